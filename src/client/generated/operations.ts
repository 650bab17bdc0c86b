// Generated from the operations by `npm run docs`.

import type { NoOwnData, OwnData, OwnInput, UserOf } from '../own.ts';
import type { CallOptions, NoInput, Page } from '../types.ts';
import type {
  AcceptInvitationInput,
  ActivityInput,
  AdminChangeEmailInput,
  AdminDeleteUserInput,
  AdminDisablePhoneInput,
  AdminDropMessageInput,
  AdminEndSessionInput,
  AdminPromotePendingInput,
  AdminRemoveAuthenticatorsInput,
  AdminRequireNewPasswordInput,
  AdminResendVerificationInput,
  AdminRetryMessageInput,
  AdminRevokeSessionsInput,
  AdminSendResetInput,
  AdminUnlinkOAuthInput,
  AdminUnlockInput,
  AdminUpdateUserInput,
  AuditRecordsInput,
  ChangeEmailInput,
  ChangePasswordInput,
  ConfirmEmailChangeInput,
  ConfirmLoginMfaInput,
  ConfirmPasskeySetupInput,
  ConfirmPhoneSetupInput,
  ConfirmTotpSetupInput,
  DeleteAccountInput,
  DisablePhoneInput,
  EndSessionInput,
  ExchangeOAuthInput,
  ForgotPasswordInput,
  LoginInput,
  LoginWithPasskeyInput,
  LogoutInput,
  OutboxMessagesInput,
  PendingRegistrationsInput,
  ReauthenticateInput,
  RegisterInput,
  RemoveAuthenticatorInput,
  RenameAuthenticatorInput,
  ReportNotMeInput,
  ResendVerificationInput,
  ResetPasswordInput,
  SendMfaCodeInput,
  StartMfaPasskeyInput,
  StartOAuthLinkInput,
  StartOAuthSignInInput,
  StartPhoneSetupInput,
  UnlinkOAuthInput,
  UpdateProfileInput,
  UserAuthenticatorsInput,
  UserIdentitiesInput,
  UserInput,
  UserSessionsInput,
  UsersInput,
  VerifyInput,
} from './inputs.ts';
import type {
  Activity,
  AdminStats,
  AdminUser,
  AuditRecord,
  Authenticator,
  AuthenticatorAdded,
  Authenticators,
  Features,
  Message,
  MfaChallenge,
  NotMeReport,
  OAuthMfaChallenge,
  OAuthProviders,
  OAuthSession,
  OAuthStart,
  OutboxMessage,
  PasskeyChallenge,
  PendingRegistration,
  PendingVerification,
  PhoneSetup,
  RecoveryCodes,
  Session,
  SessionList,
  SessionsEnded,
  TotpSetup,
  UserIdentities,
} from './views.ts';

/** Every operation of the API. */
export interface Operations<Own extends OwnData = NoOwnData> {
  /** Sets the password of an account with the token of an invitation, and verifies its address. */
  acceptInvitation(input: AcceptInvitationInput, options?: CallOptions): Promise<UserOf<Own>>;
  /** What the owner of the account did, newest first. Attempts of others to sign in as the owner are among it. */
  activity(input?: ActivityInput, options?: CallOptions): Promise<Page<Activity>>;
  /** Moves an account to another address at once and ends every session. Both addresses are told. Unless the administrator vouches for the address, a verification link goes there. The address that the account has is taken, too. */
  adminChangeEmail(input: AdminChangeEmailInput, options?: CallOptions): Promise<UserOf<Own>>;
  /** Deletes an account. */
  adminDeleteUser(input: AdminDeleteUserInput, options?: CallOptions): Promise<Message>;
  /** Removes the phone of somebody who lost it and turns the second step off. */
  adminDisablePhone(input: AdminDisablePhoneInput, options?: CallOptions): Promise<UserOf<Own>>;
  /** Deletes a message that was not delivered yet. One that is being sent may still arrive. */
  adminDropMessage(input: AdminDropMessageInput, options?: CallOptions): Promise<Message>;
  /** Ends one session of an account, or every listed one. */
  adminEndSession(input: AdminEndSessionInput, options?: CallOptions): Promise<SessionsEnded>;
  /** Makes a pending registration a verified account without the email. */
  adminPromotePending(input: AdminPromotePendingInput, options?: CallOptions): Promise<UserOf<Own>>;
  /** Removes every second factor of somebody who lost them: phone, authenticators and recovery codes. */
  adminRemoveAuthenticators(
    input: AdminRemoveAuthenticatorsInput,
    options?: CallOptions,
  ): Promise<UserOf<Own>>;
  /** Stops the password of an account, ends every session, and emails a link to choose another one. */
  adminRequireNewPassword(input: AdminRequireNewPasswordInput, options?: CallOptions): Promise<Message>;
  /** Emails a new verification link to an account that is not verified. */
  adminResendVerification(input: AdminResendVerificationInput, options?: CallOptions): Promise<Message>;
  /** Has a message tried at once that waits or was given up. One whose link has expired is given up again. */
  adminRetryMessage(input: AdminRetryMessageInput, options?: CallOptions): Promise<Message>;
  /** Ends every session of an account. */
  adminRevokeSessions(input: AdminRevokeSessionsInput, options?: CallOptions): Promise<UserOf<Own>>;
  /** Emails the owner of an account a link to set a new password. */
  adminSendReset(input: AdminSendResetInput, options?: CallOptions): Promise<Message>;
  /** How many accounts and pending registrations there are. */
  adminStats(input?: NoInput, options?: CallOptions): Promise<AdminStats>;
  /** Unlinks an external identity of an account, the last sign-in method too. The sessions of the account go on; its owner gets an email. */
  adminUnlinkOAuth(input: AdminUnlinkOAuthInput, options?: CallOptions): Promise<Message>;
  /** Clears the failed sign-ins and other failed attempts of an account. */
  adminUnlock(input: AdminUnlockInput, options?: CallOptions): Promise<Message>;
  /** Changes the given fields of an account. */
  adminUpdateUser(
    input: AdminUpdateUserInput & OwnInput<Own, 'fields' | 'roles'>,
    options?: CallOptions,
  ): Promise<UserOf<Own>>;
  /** Audit records, newest first. Looking is recorded, too. */
  auditRecords(input?: AuditRecordsInput, options?: CallOptions): Promise<Page<AuditRecord>>;
  /** The authenticator apps and passkeys of the account. */
  authenticators(input?: NoInput, options?: CallOptions): Promise<Authenticators>;
  /** Emails a link to the new address; the address changes when the link is used. */
  changeEmail(input: ChangeEmailInput, options?: CallOptions): Promise<Message>;
  /** Sets another password and ends every session, this one included. */
  changePassword(input: ChangePasswordInput, options?: CallOptions): Promise<Message>;
  /** Moves the account to the address that the link was sent to and ends every session. */
  confirmEmailChange(input: ConfirmEmailChangeInput, options?: CallOptions): Promise<UserOf<Own>>;
  /** Completes the second step of a sign-in. */
  confirmLoginMfa(input: ConfirmLoginMfaInput, options?: CallOptions): Promise<Session>;
  /** Adds the passkey that the browser has created. */
  confirmPasskeySetup(input: ConfirmPasskeySetupInput, options?: CallOptions): Promise<AuthenticatorAdded>;
  /** Sets the phone up with the code that was sent to it and turns the second step on. */
  confirmPhoneSetup(input: ConfirmPhoneSetupInput, options?: CallOptions): Promise<UserOf<Own>>;
  /** Adds the authenticator app, with a code that it shows, and turns the second step on. */
  confirmTotpSetup(input: ConfirmTotpSetupInput, options?: CallOptions): Promise<AuthenticatorAdded>;
  /** Lets the pages that the application renders know the session. Sets a cookie that scripts cannot read and no operation of the API accepts. It ends with the session. */
  createBrowserSession(input?: NoInput, options?: CallOptions): Promise<Message>;
  /** Deletes the account that is signed in. */
  deleteAccount(input?: DeleteAccountInput, options?: CallOptions): Promise<Message>;
  /** Removes the phone and turns the second step off. */
  disablePhone(input?: DisablePhoneInput, options?: CallOptions): Promise<Message>;
  /** Takes the cookie away by which the pages of the application know the session. The session itself goes on; a browser without the cookie gets the same response. */
  endBrowserSession(input?: NoInput, options?: CallOptions): Promise<Message>;
  /** Ends every listed session of the account except the present one. */
  endOtherSessions(input?: NoInput, options?: CallOptions): Promise<SessionsEnded>;
  /** Ends one session of the account. */
  endSession(input: EndSessionInput, options?: CallOptions): Promise<Message>;
  /** Exchanges a finished external sign-in for a session, once. */
  exchangeOAuth(input: ExchangeOAuthInput, options?: CallOptions): Promise<OAuthSession | OAuthMfaChallenge>;
  /** Which features are switched on, so that an application can draw its forms. */
  features(input?: NoInput, options?: CallOptions): Promise<Features>;
  /** Emails a link to set a new password; the response is the same for every address. */
  forgotPassword(input: ForgotPasswordInput, options?: CallOptions): Promise<Message>;
  /** Trusts again the passkeys and identities that a report has made distrusted. After a report, a passkey or an identity that was added since the reported act signs nobody in by itself, until its owner keeps or removes it. */
  keepAddedSince(input?: NoInput, options?: CallOptions): Promise<Message>;
  /** Signs in with email address and password. */
  login(input: LoginInput, options?: CallOptions): Promise<Session | MfaChallenge>;
  /** Signs in with a passkey. */
  loginWithPasskey(input: LoginWithPasskeyInput, options?: CallOptions): Promise<Session>;
  /** Ends the session, or every session of the user. */
  logout(input?: LogoutInput, options?: CallOptions): Promise<Message>;
  /** The account that is signed in. */
  me(input?: NoInput, options?: CallOptions): Promise<UserOf<Own>>;
  /** The identity providers that can be used, and those that are linked to the account. */
  oauthProviders(input?: NoInput, options?: CallOptions): Promise<OAuthProviders>;
  /** Emails, text messages, webhooks and stored events that were not delivered yet, newest first. */
  outboxMessages(input?: OutboxMessagesInput, options?: CallOptions): Promise<Page<OutboxMessage>>;
  /** Registrations that wait for their verification link to be used, by address. */
  pendingRegistrations(
    input?: PendingRegistrationsInput,
    options?: CallOptions,
  ): Promise<Page<PendingRegistration> & { total: number }>;
  /** Signs in again, with what a sign-in takes; the session is replaced by a new one. */
  reauthenticate(input?: ReauthenticateInput, options?: CallOptions): Promise<Session | MfaChallenge>;
  /** Creates an account, or a pending registration where the address must be verified first. */
  register(
    input: RegisterInput & OwnInput<Own, 'fields'>,
    options?: CallOptions,
  ): Promise<PendingVerification | UserOf<Own>>;
  /** Removes an authenticator. */
  removeAuthenticator(input: RemoveAuthenticatorInput, options?: CallOptions): Promise<Message>;
  /** Gives an authenticator another name. */
  renameAuthenticator(input: RenameAuthenticatorInput, options?: CallOptions): Promise<Authenticator>;
  /** Issues new recovery codes; the former ones are void. */
  replaceRecoveryCodes(input?: NoInput, options?: CallOptions): Promise<RecoveryCodes>;
  /** Closes an account with the link "this was not me" of an email. Every session ends, and nobody can sign in until the owner has chosen a new password with a link in an email. The link is good for seven days, and acts once. */
  reportNotMe(input: ReportNotMeInput, options?: CallOptions): Promise<NotMeReport>;
  /** Emails a new verification link if this address waits for one; the response is the same for every address. */
  resendVerification(input: ResendVerificationInput, options?: CallOptions): Promise<Message>;
  /** Sets the password with the token of a reset email and ends every session. */
  resetPassword(input: ResetPasswordInput, options?: CallOptions): Promise<Message>;
  /** Sends a code for the second step by text message; it replaces one that was sent before. */
  sendMfaCode(input: SendMfaCodeInput, options?: CallOptions): Promise<Message>;
  /** The sessions of the account, the one used last first. */
  sessions(input?: NoInput, options?: CallOptions): Promise<SessionList>;
  /** Starts the second step with a passkey. */
  startMfaPasskey(input: StartMfaPasskeyInput, options?: CallOptions): Promise<PasskeyChallenge>;
  /** Starts linking an external identity to the account that is signed in. */
  startOAuthLink(input: StartOAuthLinkInput, options?: CallOptions): Promise<OAuthStart>;
  /** Starts a sign-in with an external identity provider. */
  startOAuthSignIn(input: StartOAuthSignInInput, options?: CallOptions): Promise<OAuthStart>;
  /** Starts a sign-in with a passkey. */
  startPasskeyLogin(input?: NoInput, options?: CallOptions): Promise<PasskeyChallenge>;
  /** Starts to set up a passkey. */
  startPasskeySetup(input?: NoInput, options?: CallOptions): Promise<PasskeyChallenge>;
  /** Sends a code to a phone that is to become the second factor. */
  startPhoneSetup(input: StartPhoneSetupInput, options?: CallOptions): Promise<PhoneSetup>;
  /** Starts to set up an authenticator app. The secret is shown only in this response. The set-up can be confirmed for ten minutes. */
  startTotpSetup(input?: NoInput, options?: CallOptions): Promise<TotpSetup>;
  /** Unlinks an external identity, unless it is the last sign-in method. */
  unlinkOAuth(input: UnlinkOAuthInput, options?: CallOptions): Promise<Message>;
  /** Changes the given fields of the account that is signed in. */
  updateProfile(
    input?: UpdateProfileInput & OwnInput<Own, 'fields'>,
    options?: CallOptions,
  ): Promise<UserOf<Own>>;
  /** One account. */
  user(input: UserInput, options?: CallOptions): Promise<UserOf<Own, AdminUser>>;
  /** The authenticator apps and passkeys of an account. */
  userAuthenticators(input: UserAuthenticatorsInput, options?: CallOptions): Promise<Authenticators>;
  /** The external identities of an account, the one linked first at the top. */
  userIdentities(input: UserIdentitiesInput, options?: CallOptions): Promise<UserIdentities>;
  /** The sessions of an account, the one used last first. */
  userSessions(input: UserSessionsInput, options?: CallOptions): Promise<SessionList>;
  /** Every account, newest first. */
  users(
    input?: UsersInput & OwnInput<Own, 'role'>,
    options?: CallOptions,
  ): Promise<Page<UserOf<Own, AdminUser>> & { total: number }>;
  /** Verifies an address with the token of a verification email. */
  verify(input: VerifyInput, options?: CallOptions): Promise<UserOf<Own>>;
}
