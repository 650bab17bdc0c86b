// Generated from the operations by `npm run docs`.

import type { Operation } from '../operation.ts';

// biome-ignore format: one operation a line
export const table: readonly Operation[] = [
  ["acceptInvitation","p","/accept-invitation","","id email fullName phoneNumber isActive isVerified isSuperuser isMfaEnabled createdAt updatedAt lastLogin tokensInvalidatedAfter"],
  ["activity","G","/activity","id","first after)items:nodes{id at operation outcome code ip device}pageInfo{hasMore:hasNextPage nextCursor:endCursor}"],
  ["authenticators","G","/authenticators","","items{id kind name createdAt lastUsedAt isSynced isDistrusted}recoveryCodesLeft hasPassword phoneNeedsConfirmation"],
  ["changeEmail","P","/change-email","","message"],
  ["changePassword","P","/change-password","","message"],
  ["confirmEmailChange","o","/confirm-email-change","","id email fullName phoneNumber isActive isVerified isSuperuser isMfaEnabled createdAt updatedAt lastLogin tokensInvalidatedAfter"],
  ["confirmLoginMfa","p","/login/mfa-confirm","","accessToken tokenType expiresIn"],
  ["confirmPasskeySetup","P","/passkeys/confirm","","authenticator{id kind name createdAt lastUsedAt isSynced isDistrusted}recoveryCodes session{accessToken tokenType expiresIn}"],
  ["confirmPhoneSetup","P","/phone/confirm","","id email fullName phoneNumber isActive isVerified isSuperuser isMfaEnabled createdAt updatedAt lastLogin tokensInvalidatedAfter"],
  ["confirmTotpSetup","P","/totp/confirm","","authenticator{id kind name createdAt lastUsedAt isSynced isDistrusted}recoveryCodes session{accessToken tokenType expiresIn}"],
  ["createBrowserSession","P","/browser-session","0","message"],
  ["deleteAccount","D","/account","","message"],
  ["disablePhone","D","/phone","","message"],
  ["endBrowserSession","d","/browser-session","0","message"],
  ["endOtherSessions","D","/sessions","0","message ended"],
  ["endSession","D","/sessions/:id","","message"],
  ["exchangeOAuth","o","/oauth/exchange","","...on OAuthSession{accessToken tokenType expiresIn redirectTo wasNewAccount}...on MfaChallenge{status mfaPendingToken expiresIn delivery methods redirectTo wasNewAccount}"],
  ["features","g","/features","","appName registration verificationRequired passwordReset accountDeletion sms2fa mfaRequired sessionList oauth oauthProviders{name label kind}passwordMinLength admin userFields{name type label required maxLength}locales{tag name direction}defaultLocale tokens apiKeys activity totp browserSessions notMe passkeys"],
  ["finishOAuthLink","P","/oauth/link/finish","","provider email linkedAt lastUsedAt isDistrusted"],
  ["forgotPassword","p","/forgot-password","","message"],
  ["keepAddedSince","P","/not-me/keep","0","message"],
  ["login","o","/login","","...on Session{accessToken tokenType expiresIn}...on MfaChallenge{status mfaPendingToken expiresIn delivery methods}"],
  ["loginWithPasskey","o","/login/passkey","","accessToken tokenType expiresIn"],
  ["logout","P","/logout","","message"],
  ["me","G","/me","","id email fullName phoneNumber isActive isVerified isSuperuser isMfaEnabled createdAt updatedAt lastLogin tokensInvalidatedAfter"],
  ["oauthProviders","G","/oauth/providers","","available linked{provider email linkedAt lastUsedAt isDistrusted}hasPassword"],
  ["reauthenticate","P","/reauthenticate","","...on Session{accessToken tokenType expiresIn}...on MfaChallenge{status mfaPendingToken expiresIn delivery methods}"],
  ["register","p","/register","","...on PendingRegistration{status email expiresAt}...on User{id email fullName phoneNumber isActive isVerified isSuperuser isMfaEnabled createdAt updatedAt lastLogin tokensInvalidatedAfter}"],
  ["removeAuthenticator","D","/authenticators/:id","","message"],
  ["renameAuthenticator","U","/authenticators/:id","","id kind name createdAt lastUsedAt isSynced isDistrusted"],
  ["replaceRecoveryCodes","P","/recovery-codes","0","recoveryCodes"],
  ["reportNotMe","p","/not-me","","message passwordNeeded"],
  ["resendVerification","p","/resend-verification","","message"],
  ["resetPassword","p","/reset-password","","message"],
  ["sendMfaCode","p","/login/mfa-send","","message"],
  ["sessions","G","/sessions","","items{id createdAt lastSeenAt expiresAt ip device method isCurrent}"],
  ["startMfaPasskey","p","/login/mfa-passkey/start","","id options"],
  ["startOAuthLink","P","/oauth/:provider/link/start","","authorizationUrl"],
  ["startOAuthSignIn","r","/oauth/:provider/start","","authorizationUrl"],
  ["startPasskeyLogin","p","/login/passkey/start","0","id options"],
  ["startPasskeySetup","P","/passkeys/start","0","id options"],
  ["startPhoneSetup","P","/phone/start","","status pendingToken expiresIn"],
  ["startTotpSetup","P","/totp/start","0","id secret otpauthUrl qrSvg"],
  ["unlinkOAuth","D","/oauth/:provider/link","","message"],
  ["updateProfile","U","/me","","id email fullName phoneNumber isActive isVerified isSuperuser isMfaEnabled createdAt updatedAt lastLogin tokensInvalidatedAfter"],
  ["verify","p","/verify","","id email fullName phoneNumber isActive isVerified isSuperuser isMfaEnabled createdAt updatedAt lastLogin tokensInvalidatedAfter"],
];

/** The fields of outputs that are absent in REST where GraphQL has null. */
export const optionalFields =
  /^(actorEmail|hasPassword|isDistrusted|isSynced|phoneNeedsConfirmation|recoveryCodes|session|subjectEmail)$/;
