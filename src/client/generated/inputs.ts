// Generated from the operations by `npm run docs`.

import type { Json } from '../types.ts';

export interface AcceptInvitationInput {
  /** The token of the link in the email. */
  token: string;
  /** 8 to 128 characters. */
  password: string;
}

export interface ActivityInput {
  /** How many items the page has; at most 200, and 50 when absent. */
  limit?: number | null | undefined;
  /** The cursor of an item: the page begins behind it. */
  after?: string | null | undefined;
}

export interface AdminChangeEmailInput {
  /** The id of the account. */
  id: string;
  /** An email address, in any case. */
  email: string;
  /** True when you vouch that the address is that of the owner; else it is verified by an email. */
  isVerified?: boolean | null | undefined;
  /** True stops the password too, and removes other ways to sign in once another one is chosen. */
  requireNewPassword?: boolean | null | undefined;
}

export interface AdminCreateUserInput {
  /** An email address, in any case. */
  email: string;
  /** At most 200 characters; null clears it. */
  fullName?: string | null | undefined;
  /** True when you know that the address is that of the owner; false when absent. */
  isVerified?: boolean | null | undefined;
  /** The language of emails and text messages; the default one when absent. */
  locale?: string | null | undefined;
  /** Whether its owner is emailed a link to choose a password; true when absent. */
  invite?: boolean | null | undefined;
}

export interface AdminDeleteUserInput {
  /** The id of the account. */
  id: string;
}

export interface AdminDisablePhoneInput {
  /** The id of the account. */
  id: string;
}

export interface AdminDropMessageInput {
  /** The id of the message. */
  id: string;
}

export interface AdminEnableWebhookInput {
  /** The name of the webhook in the configuration. */
  name: string;
}

export interface AdminEndSessionInput {
  /** The id of the account. */
  id: string;
  /** The id of the session. */
  sessionId?: string | null | undefined;
}

export interface AdminPromotePendingInput {
  /** An email address, in any case. */
  email: string;
}

export interface AdminRemoveApiKeyInput {
  /** The id of the user. */
  id: string;
  /** The id of the key. */
  keyId: string;
}

export interface AdminRemoveApiKeysInput {
  /** The id of the user. */
  id: string;
}

export interface AdminRemoveAuthenticatorsInput {
  /** The id of the account. */
  id: string;
}

export interface AdminReplayWebhookInput {
  /** The name of the webhook in the configuration. */
  name: string;
}

export interface AdminRequireNewPasswordInput {
  /** The id of the account. */
  id: string;
}

export interface AdminResendVerificationInput {
  /** The id of the account. */
  id: string;
}

export interface AdminRetryMessageInput {
  /** The id of the message. */
  id: string;
}

export interface AdminRevokeSessionsInput {
  /** The id of the account. */
  id: string;
}

export interface AdminRotateSigningKeysInput {
  /** Whose key is replaced; those of every algorithm when left out. */
  algorithm?: 'ES256' | 'RS256' | 'EdDSA' | null | undefined;
  /** Whether a key may sign that services may not know yet: they refuse its tokens until they do. */
  force?: boolean | null | undefined;
}

export interface AdminSendResetInput {
  /** The id of the account. */
  id: string;
}

export interface AdminTestWebhookInput {
  /** The name of the webhook in the configuration. */
  name: string;
}

export interface AdminUnlinkOAuthInput {
  /** The id of the account. */
  id: string;
  /** The name of the identity provider. */
  provider: string;
}

export interface AdminUnlockInput {
  /** The id of the account. */
  id: string;
}

export interface AdminUpdateUserInput {
  /** The id of the account. */
  id: string;
  /** False disables the account and ends its sessions. */
  isActive?: boolean | null | undefined;
  /** Whether the account may use administration. */
  isSuperuser?: boolean | null | undefined;
  /** At most 200 characters; null clears it. */
  fullName?: string | null | undefined;
  /** Required to make an account a superuser whose address is not verified. */
  evenUnverified?: boolean | null | undefined;
  /** The language of emails and text messages, as `features` lists it; null for the default one. */
  locale?: string | null | undefined;
}

export interface AuditRecordsInput {
  /** Only acts of this user, by id or address; on the command line actors are users of the operating system. */
  actor?: string | null | undefined;
  /** Only acts that concerned this user, by id or address. */
  subject?: string | null | undefined;
  /** Only acts of this operation. */
  operation?: string | null | undefined;
  /** Only acts that ended so. */
  outcome?: 'ok' | 'refused' | 'failed' | null | undefined;
  /** True for acts of administrators that only looked at something, false for the others only; all when absent. */
  isLook?: boolean | null | undefined;
  /** Only records of this time or later. */
  since?: string | null | undefined;
  /** Only records of before this time. */
  until?: string | null | undefined;
  /** How many items the page has; at most 200, and 50 when absent. */
  limit?: number | null | undefined;
  /** The cursor of an item: the page begins behind it. */
  after?: string | null | undefined;
  /** True adds the addresses that actor and subject have now, which are not stored with a record. */
  withAddresses?: boolean | null | undefined;
}

export interface ChangeEmailInput {
  /** The present password. Only an account without one leaves it out, after a recent sign-in. */
  currentPassword?: string | null | undefined;
  /** An email address, in any case. */
  newEmail: string;
}

export interface ChangePasswordInput {
  /** The present password. Only an account without one leaves it out, after a recent sign-in. */
  currentPassword?: string | null | undefined;
  /** 8 to 128 characters. */
  newPassword: string;
  /** True removes the API keys of the account, which a new password leaves otherwise. */
  endApiKeys?: boolean | null | undefined;
}

export interface ConfirmEmailChangeInput {
  /** The token of the link in the email. */
  token: string;
  /** The password of the account; its session may stand in its place. */
  password?: string | null | undefined;
}

export interface ConfirmLoginMfaInput {
  /** The pending token of the first step. */
  mfaPendingToken: string;
  /** The method; when absent, the strongest one that takes what is sent. */
  method?: 'passkey' | 'totp' | 'sms' | 'recovery_code' | null | undefined;
  /** The code of the text message or the authenticator app, or a recovery code. */
  code?: string | null | undefined;
  /** The id of the challenge. */
  id?: string | null | undefined;
  /** What the browser returned, as `toJSON()` represents it. */
  credential?: Json | null | undefined;
}

export interface ConfirmPasskeySetupInput {
  /** The id of the set-up. */
  id: string;
  /** What the browser returned, as `toJSON()` represents it. */
  credential: Json;
  /** At most 100 characters. */
  name?: string | null | undefined;
  /** True ends the other sessions of the account: those that are listed, or all while sessions are not listed. */
  endOtherSessions?: boolean | null | undefined;
}

export interface ConfirmPhoneSetupInput {
  /** The pending token of the first step. */
  pendingToken: string;
  /** The code of the text message. */
  code: string;
}

export interface ConfirmTotpSetupInput {
  /** The id of the set-up. */
  id: string;
  /** The code that the app shows now. */
  code: string;
  /** At most 100 characters. */
  name?: string | null | undefined;
  /** True ends the other sessions of the account: those that are listed, or all while sessions are not listed. */
  endOtherSessions?: boolean | null | undefined;
}

export interface CreateApiKeyInput {
  /** At most 100 characters; two keys may have the same. */
  name: string;
  /** What it opens: one or more of those that `GET /api-keys` lists. */
  scopes: string[];
  /** After how many days it ends; `api_key_default_days` when absent. 0 is a key without end, where there may be some. */
  expiresInDays?: number | null | undefined;
}

export interface DeleteAccountInput {
  /** The present password. Only an account without one leaves it out, after a recent sign-in. */
  currentPassword?: string | null | undefined;
}

export interface DisablePhoneInput {
  /** The present password. Only an account without one leaves it out, after a recent sign-in. */
  currentPassword?: string | null | undefined;
}

export interface EndSessionInput {
  /** The id of the session. */
  id: string;
}

export interface ExchangeOAuthInput {
  /** The `id` of the address that the sign-in ended at. */
  id: string;
  /** Required where the flow was started with a challenge. */
  codeVerifier?: string | null | undefined;
}

export interface FinishOAuthLinkInput {
  /** The `id` of the address that the link came back to. */
  id: string;
  /** Required where the flow was started with a challenge. */
  codeVerifier?: string | null | undefined;
}

export interface ForgotPasswordInput {
  /** An email address, in any case. */
  email: string;
}

export interface IssueAccessTokenInput {
  /** The identifier of the API that the token is for. */
  resource: string;
  /** Scopes of it; all of them when left out. */
  scopes?: string[] | null | undefined;
  /** The strengths of the sign-in that are enough: `aal1`, `aal2`, `phr`. A stronger one is, too. */
  acrValues?: string[] | null | undefined;
  /** The greatest age of the sign-in, in seconds. */
  maxAge?: number | null | undefined;
}

export interface LoginInput {
  /** An email address, in any case. */
  email: string;
  /** The current password. */
  password: string;
}

export interface LoginWithPasskeyInput {
  /** The id of the challenge. */
  id: string;
  /** What the browser returned, as `toJSON()` represents it. */
  credential: Json;
}

export interface LogoutInput {
  /** True ends every session of the user, not only this one. */
  everywhere?: boolean | null | undefined;
}

export interface OutboxMessagesInput {
  /** Only messages in this state; all when absent. */
  state?: 'waiting' | 'sending' | 'dead' | null | undefined;
  /** How many items the page has; at most 200, and 50 when absent. */
  limit?: number | null | undefined;
  /** The cursor of an item: the page begins behind it. */
  after?: string | null | undefined;
}

export interface PendingRegistrationsInput {
  /** How many items the page has; at most 200, and 50 when absent. */
  limit?: number | null | undefined;
  /** A part of the address or the name. */
  search?: string | null | undefined;
  /** The cursor of an item: the page begins behind it. */
  after?: string | null | undefined;
}

export interface ReauthenticateInput {
  /** The current password. */
  password?: string | null | undefined;
  /** The id of the challenge. */
  id?: string | null | undefined;
  /** What the browser returned, as `toJSON()` represents it. */
  credential?: Json | null | undefined;
}

export interface RegisterInput {
  /** An email address, in any case. */
  email: string;
  /** 8 to 128 characters. */
  password: string;
  /** At most 200 characters; null clears it. */
  fullName?: string | null | undefined;
  /** The language of emails and text messages; that of the request when absent. */
  locale?: string | null | undefined;
}

export interface RemoveApiKeyInput {
  /** The id of the key. */
  id: string;
}

export interface RemoveAuthenticatorInput {
  /** The id of the authenticator. */
  id: string;
}

export interface RenameApiKeyInput {
  /** The id of the key. */
  id: string;
  /** At most 100 characters; two keys may have the same. */
  name: string;
}

export interface RenameAuthenticatorInput {
  /** The id of the authenticator. */
  id: string;
  /** At most 100 characters. */
  name: string;
}

export interface ReportNotMeInput {
  /** The token of the link in the email. */
  token: string;
  /** Ignored. The former version put an account back with it. */
  password?: string | null | undefined;
  /** Ignored. The former version put an account back with it. */
  newPassword?: string | null | undefined;
}

export interface ResendVerificationInput {
  /** An email address, in any case. */
  email: string;
}

export interface ResetPasswordInput {
  /** The token of the link in the email. */
  token: string;
  /** 8 to 128 characters. */
  newPassword: string;
  /** True removes the API keys of the account, which a new password leaves otherwise. */
  endApiKeys?: boolean | null | undefined;
}

export interface SendMfaCodeInput {
  /** The pending token of the first step. */
  mfaPendingToken: string;
}

export interface StartMfaPasskeyInput {
  /** The pending token of the first step. */
  mfaPendingToken: string;
}

export interface StartOAuthLinkInput {
  /** The name of the identity provider. */
  provider: string;
  /** A page of this site; the account page when absent. */
  redirectTo?: string | null | undefined;
  /** S256 (RFC 7636): the end of the flow then needs the verifier. `oauth.require_code_challenge` requires it. */
  codeChallenge?: string | null | undefined;
}

export interface StartOAuthSignInInput {
  /** The name of the identity provider. */
  provider: string;
  /** A page of this site; the account page when absent. */
  redirectTo?: string | null | undefined;
  /** S256 (RFC 7636): the end of the flow then needs the verifier. `oauth.require_code_challenge` requires it. */
  codeChallenge?: string | null | undefined;
  /** How many seconds ago people may have signed in at the provider; beyond that it asks them again. */
  maxAge?: number | null | undefined;
}

export interface StartPhoneSetupInput {
  /** E.164: `+4915112345678`. */
  phoneNumber: string;
  /** The present password. Only an account without one leaves it out, after a recent sign-in. */
  currentPassword?: string | null | undefined;
}

export interface UnlinkOAuthInput {
  /** The name of the identity provider. */
  provider: string;
}

export interface UpdateProfileInput {
  /** At most 200 characters; null clears it. */
  fullName?: string | null | undefined;
  /** The language of emails and text messages, as `features` lists it; null for the default one. */
  locale?: string | null | undefined;
}

export interface UserInput {
  /** The id of the account. */
  id: string;
}

export interface UserApiKeysInput {
  /** The id of the user. */
  id: string;
}

export interface UserAuthenticatorsInput {
  /** The id of the account. */
  id: string;
}

export interface UserIdentitiesInput {
  /** The id of the account. */
  id: string;
}

export interface UserSessionsInput {
  /** The id of the account. */
  id: string;
}

export interface UsersInput {
  /** How many items the page has; at most 200, and 50 when absent. */
  limit?: number | null | undefined;
  /** A part of the address or the name. */
  search?: string | null | undefined;
  /** The cursor of an item: the page begins behind it. */
  after?: string | null | undefined;
  /** True for accounts that are not disabled only, false for the others only; all when absent. */
  isActive?: boolean | null | undefined;
  /** True for accounts whose address is verified only, false for the others only; all when absent. */
  isVerified?: boolean | null | undefined;
  /** True for superusers only, false for the others only; all when absent. */
  isSuperuser?: boolean | null | undefined;
  /** True for accounts with a second step only, false for the others only; all when absent. */
  isMfaEnabled?: boolean | null | undefined;
  /** True for accounts that a link "this was not me" has closed only, false for the others only; all when absent. */
  isReported?: boolean | null | undefined;
  /** True for accounts that wrong passwords have locked, among the 1,000 newest locks only, false for the others only; all when absent. */
  isLocked?: boolean | null | undefined;
}

export interface VerifyInput {
  /** The token of the link in the email. */
  token: string;
  /** Replaces the registered password; required where the address was registered more than once. */
  password?: string | null | undefined;
}
