// Generated from the operations by `npm run docs`.

import type { NoOwnData, OwnData, OwnInput, UserOf } from '../own.ts';
import type { CallOptions, NoInput, Page } from '../types.ts';
import type {
  AcceptInvitationInput,
  ActivityInput,
  AdminChangeEmailInput,
  AdminCreateUserInput,
  AdminDeleteUserInput,
  AdminDisablePhoneInput,
  AdminDropMessageInput,
  AdminEnableWebhookInput,
  AdminEndSessionInput,
  AdminPromotePendingInput,
  AdminRemoveApiKeyInput,
  AdminRemoveApiKeysInput,
  AdminRemoveAuthenticatorsInput,
  AdminReplayWebhookInput,
  AdminRequireNewPasswordInput,
  AdminResendVerificationInput,
  AdminRetryMessageInput,
  AdminRevokeSessionsInput,
  AdminRotateSigningKeysInput,
  AdminSendResetInput,
  AdminTestWebhookInput,
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
  CreateApiKeyInput,
  DeleteAccountInput,
  DisablePhoneInput,
  EndSessionInput,
  ExchangeOAuthInput,
  FinishOAuthLinkInput,
  ForgotPasswordInput,
  IssueAccessTokenInput,
  LoginInput,
  LoginWithPasskeyInput,
  LogoutInput,
  OutboxMessagesInput,
  PendingRegistrationsInput,
  ReauthenticateInput,
  RegisterInput,
  RemoveApiKeyInput,
  RemoveAuthenticatorInput,
  RenameApiKeyInput,
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
  UserApiKeysInput,
  UserAuthenticatorsInput,
  UserIdentitiesInput,
  UserInput,
  UserSessionsInput,
  UsersInput,
  VerifyInput,
} from './inputs.ts';
import type {
  AccessToken,
  Activity,
  AdminStats,
  AdminUser,
  ApiKey,
  ApiKeyCreated,
  ApiKeyList,
  AuditRecord,
  Authenticator,
  AuthenticatorAdded,
  Authenticators,
  Features,
  LinkedIdentity,
  Message,
  MfaChallenge,
  NotMeReport,
  OAuthMfaChallenge,
  OAuthProviders,
  OAuthSession,
  OAuthStart,
  OutboxMessage,
  Overview,
  PasskeyChallenge,
  PendingRegistration,
  PendingVerification,
  PhoneSetup,
  RecoveryCodes,
  Session,
  SessionList,
  SessionsEnded,
  SigningKeys,
  TotpSetup,
  UserApiKeys,
  UserIdentities,
  WebhookList,
  WebhookReplay,
  WebhookTest,
} from './views.ts';

/** The operations of sign-in and of the own account. */
export interface Operations<Own extends OwnData = NoOwnData> {
  /** Sets the password of an account with the token of an invitation, and verifies its address. The token is good once. It is no sign-in: the person signs in with the new password. */
  acceptInvitation(input: AcceptInvitationInput, options?: CallOptions): Promise<UserOf<Own>>;
  /** The acts of the owner of the account, newest first. Attempts of others to sign in as the owner are among it. */
  activity(input?: ActivityInput, options?: CallOptions): Promise<Page<Activity>>;
  /** The authenticator apps and passkeys of the account. Neither secrets nor public keys are shown. The number of unused recovery codes is told, too. */
  authenticators(input?: NoInput, options?: CallOptions): Promise<Authenticators>;
  /** Emails a link to the new address; the address changes when the link is used. The account keeps its present address until then. The owner is told at that address. */
  changeEmail(input: ChangeEmailInput, options?: CallOptions): Promise<Message>;
  /** Sets another password and ends every session, this one included. An account without a password uses the reset by email first. The owner gets an email that the password was changed. */
  changePassword(input: ChangePasswordInput, options?: CallOptions): Promise<Message>;
  /** Moves the account to the address that the link was sent to and ends every session. The former address gets an email about it. Where the configuration asks for it, the session or the password of the account must come with the token. */
  confirmEmailChange(input: ConfirmEmailChangeInput, options?: CallOptions): Promise<UserOf<Own>>;
  /** Completes the second step of a sign-in. Takes the token of the first step with one of: a texted code, the code of an authenticator app, a recovery code, or the response of a passkey. Returns a session. */
  confirmLoginMfa(input: ConfirmLoginMfaInput, options?: CallOptions): Promise<Session>;
  /** Adds the passkey that the browser has created. It takes what `navigator.credentials.create` has returned. The first authenticator of an account also returns recovery codes. */
  confirmPasskeySetup(input: ConfirmPasskeySetupInput, options?: CallOptions): Promise<AuthenticatorAdded>;
  /** Sets the phone up with the code that was sent to it and turns the second step on. A code allows a few attempts, and is void after them. The owner gets an email about it. */
  confirmPhoneSetup(input: ConfirmPhoneSetupInput, options?: CallOptions): Promise<UserOf<Own>>;
  /** Adds the authenticator app, with a code that it shows, and turns the second step on. The first authenticator of an account also returns recovery codes, which are shown only then. */
  confirmTotpSetup(input: ConfirmTotpSetupInput, options?: CallOptions): Promise<AuthenticatorAdded>;
  /** Lets the pages that the application renders know the session. Sets a cookie that scripts cannot read and no operation of the API accepts. It ends with the session. */
  createBrowserSession(input?: NoInput, options?: CallOptions): Promise<void>;
  /** Deletes the account that is signed in. Everything that belongs to the account is deleted, and every token is refused. It cannot be undone. */
  deleteAccount(input?: DeleteAccountInput, options?: CallOptions): Promise<Message>;
  /** Removes the phone and turns the second step off. Authenticators of the account stay. The owner gets an email about it. */
  disablePhone(input?: DisablePhoneInput, options?: CallOptions): Promise<Message>;
  /** Takes the cookie away by which the pages of the application know the session. The session itself goes on; a browser without the cookie gets the same response. */
  endBrowserSession(input?: NoInput, options?: CallOptions): Promise<void>;
  /** Ends every listed session of the account except the present one. Their tokens are refused from then on by every process. */
  endOtherSessions(input?: NoInput, options?: CallOptions): Promise<SessionsEnded>;
  /** Ends one session of the account. Its token is refused from then on by every process. */
  endSession(input: EndSessionInput, options?: CallOptions): Promise<Message>;
  /** Exchanges a finished external sign-in for a session, once. It takes the `id` that the browser brought, and the code verifier where the start had a challenge. Returns a session, or the token of a second step. */
  exchangeOAuth(input: ExchangeOAuthInput, options?: CallOptions): Promise<OAuthSession | OAuthMfaChallenge>;
  /** Which features are switched on, so that an application can draw its forms. It needs no session, and changes only with the configuration. */
  features(input?: NoInput, options?: CallOptions): Promise<Features>;
  /** Links the external identity that the browser came back with, once. It takes the `id` that the browser brought, and the code verifier of the start, in the session that started the link. */
  finishOAuthLink(input: FinishOAuthLinkInput, options?: CallOptions): Promise<LinkedIdentity>;
  /** Emails a link to set a new password; the response is the same for every address. The link is good once and until it expires. How often one address is written to is capped. */
  forgotPassword(input: ForgotPasswordInput, options?: CallOptions): Promise<Message>;
  /** Trusts again the passkeys, identities and API keys that a report has made distrusted. After a report, a passkey, an identity or an API key that was added since the reported act gives no access by itself, until its owner keeps or removes it. */
  keepAddedSince(input?: NoInput, options?: CallOptions): Promise<Message>;
  /** Signs in with email address and password. Returns a session, or the token of a second step where the account has one. Failed attempts are counted for the address: after some of them it is locked for a while. */
  login(input: LoginInput, options?: CallOptions): Promise<Session | MfaChallenge>;
  /** Signs in with a passkey. It takes what `navigator.credentials.get` has returned, and returns a session: a passkey counts as both factors. */
  loginWithPasskey(input: LoginWithPasskeyInput, options?: CallOptions): Promise<Session>;
  /** Ends the session, or every session of the user. The token is refused from then on by every process. With `everywhere`, so is every token that was issued to the user before. The cookie of `createBrowserSession` goes with them. */
  logout(input?: LogoutInput, options?: CallOptions): Promise<Message>;
  /** The account that is signed in. It is read from the database at each request, and never from the token. */
  me(input?: NoInput, options?: CallOptions): Promise<UserOf<Own>>;
  /** The identity providers that can be used, and those that are linked to the account. Those that can be used come from the configuration. */
  oauthProviders(input?: NoInput, options?: CallOptions): Promise<OAuthProviders>;
  /** Signs in again, with what a sign-in takes; the session is replaced by a new one. It takes the response of a passkey, or a password, after which the second step of the account may be due. */
  reauthenticate(input?: ReauthenticateInput, options?: CallOptions): Promise<Session | MfaChallenge>;
  /** Creates an account, or a pending registration where the address must be verified first. The link in its email makes a pending registration an account. An address that has an account is refused; with `enumeration_safe_registration` the response is the same, and its owner gets an email. */
  register(
    input: RegisterInput & OwnInput<Own, 'fields'>,
    options?: CallOptions,
  ): Promise<PendingVerification | UserOf<Own>>;
  /** Removes an authenticator. The last factor of an account that must have one cannot be removed. */
  removeAuthenticator(input: RemoveAuthenticatorInput, options?: CallOptions): Promise<Message>;
  /** Gives an authenticator another name. The name is shown to its owner alone, and changes nothing else. */
  renameAuthenticator(input: RenameAuthenticatorInput, options?: CallOptions): Promise<Authenticator>;
  /** Issues new recovery codes; the former ones are void. They are shown only in this response. The account needs a second factor before it can have any. */
  replaceRecoveryCodes(input?: NoInput, options?: CallOptions): Promise<RecoveryCodes>;
  /** Closes an account with the link "this was not me" of an email. Every session ends, and no one can sign in until the owner has chosen a new password with a link in an email. The link is good for seven days, and acts once. */
  reportNotMe(input: ReportNotMeInput, options?: CallOptions): Promise<NotMeReport>;
  /** Emails a new verification link if this address waits for one; the response is the same for every address. How often one address is written to is capped. */
  resendVerification(input: ResendVerificationInput, options?: CallOptions): Promise<Message>;
  /** Sets the password with the token of a reset email and ends every session. It also verifies the address, because the token was sent there. The token is good once. */
  resetPassword(input: ResetPasswordInput, options?: CallOptions): Promise<Message>;
  /** Sends a code for the second step by text message; it replaces one that was sent before. It takes the token of the first step. How many messages one phone gets is capped. */
  sendMfaCode(input: SendMfaCodeInput, options?: CallOptions): Promise<Message>;
  /** The sessions of the account, the one used last first. Each has the browser and the IP address of its sign-in. The session of this request is marked. */
  sessions(input?: NoInput, options?: CallOptions): Promise<SessionList>;
  /** Starts the second step with a passkey. It takes the token of the first step, and returns the options that the browser hands to the passkey. */
  startMfaPasskey(input: StartMfaPasskeyInput, options?: CallOptions): Promise<PasskeyChallenge>;
  /** Starts linking an external identity to the account that is signed in. Returns the address of the provider, to which the application sends the browser. */
  startOAuthLink(input: StartOAuthLinkInput, options?: CallOptions): Promise<OAuthStart>;
  /** Starts a sign-in with an external identity provider. A browser is redirected to the provider, with a state that is good once. `redirect_to` must be a page of this site. */
  startOAuthSignIn(input: StartOAuthSignInInput, options?: CallOptions): Promise<OAuthStart>;
  /** Starts a sign-in with a passkey. Returns the options for `navigator.credentials.get`. No address is named, so they tell nothing of any account. */
  startPasskeyLogin(input?: NoInput, options?: CallOptions): Promise<PasskeyChallenge>;
  /** Starts to set up a passkey. Returns the options for `navigator.credentials.create`. The set-up can be confirmed for five minutes. */
  startPasskeySetup(input?: NoInput, options?: CallOptions): Promise<PasskeyChallenge>;
  /** Sends a code to a phone that is to become the second factor. Nothing changes until the code is confirmed. How many messages one phone gets is capped. */
  startPhoneSetup(input: StartPhoneSetupInput, options?: CallOptions): Promise<PhoneSetup>;
  /** Starts to set up an authenticator app. The secret is shown only in this response. The set-up can be confirmed for ten minutes. */
  startTotpSetup(input?: NoInput, options?: CallOptions): Promise<TotpSetup>;
  /** Unlinks an external identity, unless it is the last sign-in method. The provider itself is told nothing. The owner gets an email about it. */
  unlinkOAuth(input: UnlinkOAuthInput, options?: CallOptions): Promise<Message>;
  /** Changes the given fields of the account that is signed in. A field that is left out stays as it is, and null clears one that can be empty. Neither the address nor the password is changed by it. */
  updateProfile(
    input?: UpdateProfileInput & OwnInput<Own, 'fields'>,
    options?: CallOptions,
  ): Promise<UserOf<Own>>;
  /** Verifies an address with the token of a verification email. The token is good once and until it expires. Where the address was registered more than once, a password of the owner must come with it. */
  verify(input: VerifyInput, options?: CallOptions): Promise<UserOf<Own>>;
}

/** The operations of administration. */
export interface AdministrationOperations<Own extends OwnData = NoOwnData> {
  /** Moves an account to another address at once and ends every session. Both addresses are told. Unless the administrator vouches for the address, a verification link goes there. The address that the account has is taken, too. */
  adminChangeEmail(input: AdminChangeEmailInput, options?: CallOptions): Promise<UserOf<Own>>;
  /** Creates an account, and invites its owner to choose a password. The account has no password. Unless `invite` is false, its owner is emailed a link to choose one, within the cap of the address. A pending registration of the address is removed. */
  adminCreateUser(
    input: AdminCreateUserInput & OwnInput<Own, 'fields' | 'roles'>,
    options?: CallOptions,
  ): Promise<UserOf<Own>>;
  /** Deletes an account. Everything that belongs to the account is deleted, and every token is refused. It cannot be undone. */
  adminDeleteUser(input: AdminDeleteUserInput, options?: CallOptions): Promise<Message>;
  /** Removes the phone of somebody who lost it and turns the second step off. Authenticators of the account stay. The owner gets an email about it. */
  adminDisablePhone(input: AdminDisablePhoneInput, options?: CallOptions): Promise<UserOf<Own>>;
  /** Deletes a message that was not delivered yet. One that is being sent may still arrive. */
  adminDropMessage(input: AdminDropMessageInput, options?: CallOptions): Promise<Message>;
  /** Switches a webhook on again. It gets what happens from then on; what it missed is sent by a replay. */
  adminEnableWebhook(input: AdminEnableWebhookInput, options?: CallOptions): Promise<Message>;
  /** Ends one session of an account, or every listed one. Tokens of ended sessions are refused from then on by every process. */
  adminEndSession(input: AdminEndSessionInput, options?: CallOptions): Promise<SessionsEnded>;
  /** The last 24 hours in numbers. Counts are kept by the hour, for two days. */
  adminOverview(input?: NoInput, options?: CallOptions): Promise<Overview>;
  /** Makes a pending registration a verified account without the email. The person signs in with the password of the registration. An account whose address was registered more than once has no password until its owner resets it. */
  adminPromotePending(input: AdminPromotePendingInput, options?: CallOptions): Promise<UserOf<Own>>;
  /** Removes an API key of an account. It is refused at once. */
  adminRemoveApiKey(input: AdminRemoveApiKeyInput, options?: CallOptions): Promise<Message>;
  /** Removes every API key of an account. They are refused at once. */
  adminRemoveApiKeys(input: AdminRemoveApiKeysInput, options?: CallOptions): Promise<Message>;
  /** Removes every second factor of somebody who lost them: phone, authenticators and recovery codes. The person signs in with the password alone until a new factor is set up. The owner gets an email about it. */
  adminRemoveAuthenticators(
    input: AdminRemoveAuthenticatorsInput,
    options?: CallOptions,
  ): Promise<UserOf<Own>>;
  /** Has everything tried again that a webhook has not taken. Deliveries that wait, were given up, or happened while the webhook was switched off are kept for a month. The ids stay the same. */
  adminReplayWebhook(input: AdminReplayWebhookInput, options?: CallOptions): Promise<WebhookReplay>;
  /** Stops the password of an account, ends every session, and emails a link to choose another one. The password is refused from then on. The owner chooses another one with the link. */
  adminRequireNewPassword(input: AdminRequireNewPasswordInput, options?: CallOptions): Promise<Message>;
  /** Emails a new verification link to an account that is not verified. The cap for one address applies. */
  adminResendVerification(input: AdminResendVerificationInput, options?: CallOptions): Promise<Message>;
  /** Has a message tried at once that waits or was given up. One whose link has expired is given up again. */
  adminRetryMessage(input: AdminRetryMessageInput, options?: CallOptions): Promise<Message>;
  /** Ends every session of an account. Their tokens are refused from then on by every process. The owner can sign in again. */
  adminRevokeSessions(input: AdminRevokeSessionsInput, options?: CallOptions): Promise<UserOf<Own>>;
  /** Has the next key of each algorithm sign, and publishes another one. A key that has been published for less than `signing_key_lead_seconds` is `key_not_published`, because services may not know it yet. */
  adminRotateSigningKeys(input?: AdminRotateSigningKeysInput, options?: CallOptions): Promise<SigningKeys>;
  /** Emails the owner of an account a link to set a new password. The password stays valid until the link is used. The cap for one address applies. */
  adminSendReset(input: AdminSendResetInput, options?: CallOptions): Promise<Message>;
  /** How many accounts and pending registrations there are. Beyond 10,000 a count may be ten seconds old. */
  adminStats(input?: NoInput, options?: CallOptions): Promise<AdminStats>;
  /** Sends a test to a webhook at once, and returns whether it was taken. Its type is `webhook_test`. It is sent to a webhook that is switched off, too, and is not retried. */
  adminTestWebhook(input: AdminTestWebhookInput, options?: CallOptions): Promise<WebhookTest>;
  /** Unlinks an external identity of an account, the last sign-in method too. The sessions of the account go on; its owner gets an email. */
  adminUnlinkOAuth(input: AdminUnlinkOAuthInput, options?: CallOptions): Promise<Message>;
  /** Clears the failed sign-ins and other failed attempts of an account. It lifts a lockout, and a block of the password. Whatever a report has made distrusted stays so. */
  adminUnlock(input: AdminUnlockInput, options?: CallOptions): Promise<Message>;
  /** Changes the given fields of an account. A field that is left out stays as it is. Disabling an account ends every session. The last active superuser can be neither disabled nor demoted. */
  adminUpdateUser(
    input: AdminUpdateUserInput & OwnInput<Own, 'fields' | 'roles'>,
    options?: CallOptions,
  ): Promise<UserOf<Own>>;
  /** Audit records, newest first. Looking is recorded, too. */
  auditRecords(input?: AuditRecordsInput, options?: CallOptions): Promise<Page<AuditRecord>>;
  /** Emails, text messages, webhooks and stored events that were not delivered yet, newest first. Neither their content nor the whole recipient is shown. */
  outboxMessages(input?: OutboxMessagesInput, options?: CallOptions): Promise<Page<OutboxMessage>>;
  /** Registrations that wait for their verification link to be used, by address. A registration ends when its link expires. */
  pendingRegistrations(
    input?: PendingRegistrationsInput,
    options?: CallOptions,
  ): Promise<Page<PendingRegistration> & { total: number }>;
  /** The keys that sign access tokens, and those that will and did. Private parts are never shown. */
  signingKeys(input?: NoInput, options?: CallOptions): Promise<SigningKeys>;
  /** One account. It says since when the account is reported and until when it is locked, which administration alone may know. */
  user(input: UserInput, options?: CallOptions): Promise<UserOf<Own, AdminUser>>;
  /** The API keys of an account. The keys themselves are never shown. */
  userApiKeys(input: UserApiKeysInput, options?: CallOptions): Promise<UserApiKeys>;
  /** The authenticator apps and passkeys of an account. Neither secrets nor public keys are shown. */
  userAuthenticators(input: UserAuthenticatorsInput, options?: CallOptions): Promise<Authenticators>;
  /** The external identities of an account, the one linked first at the top. They show with which providers the account can sign in, and since when. */
  userIdentities(input: UserIdentitiesInput, options?: CallOptions): Promise<UserIdentities>;
  /** The sessions of an account, the one used last first. Each has the browser and the IP address of its sign-in. */
  userSessions(input: UserSessionsInput, options?: CallOptions): Promise<SessionList>;
  /** Every account, newest first. They can be searched by a part of the email address or the name, and filtered. Those of whom wrong passwords have locked the address are found among the 1,000 newest locks. */
  users(
    input?: UsersInput & OwnInput<Own, 'role'>,
    options?: CallOptions,
  ): Promise<Page<UserOf<Own, AdminUser>> & { total: number; isCapped?: boolean }>;
  /** The webhooks of the configuration, and which of them are switched off. Secrets are never shown. */
  webhooks(input?: NoInput, options?: CallOptions): Promise<WebhookList>;
}

/** Access tokens for APIs. */
export interface TokensOperations {
  /** Returns a token for an API that checks it by itself. It lives for minutes, names the person and the scopes, and is no session: no operation here takes it. A sign-in that is too weak or too old for the API is `recent_sign_in_required`, which names what would do. */
  issueAccessToken(input: IssueAccessTokenInput, options?: CallOptions): Promise<AccessToken>;
}

/** API keys of the own account. */
export interface ApiKeysOperations {
  /** The API keys of the account, and what a new one may open. The keys themselves are never shown again. */
  apiKeys(input?: NoInput, options?: CallOptions): Promise<ApiKeyList>;
  /** Makes an API key, which is shown only now. A script sends it as `Authorization: Bearer` or `X-API-Key`. It is no session: of the operations here it opens the profile and the access tokens of its scopes. */
  createApiKey(input: CreateApiKeyInput, options?: CallOptions): Promise<ApiKeyCreated>;
  /** Removes an API key: it is refused at once. Access tokens that were made with it end with it, too. */
  removeApiKey(input: RemoveApiKeyInput, options?: CallOptions): Promise<Message>;
  /** Gives an API key another name. The name changes nothing else. */
  renameApiKey(input: RenameApiKeyInput, options?: CallOptions): Promise<ApiKey>;
}
