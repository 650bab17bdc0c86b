// Generated from the operations by `npm run docs`.

/** Symbols of the table, and what each stands for. */
const words = `.id
j...on 
Zerifica_
Yhone
X)i8ms:nodes{
Q 5di5ctTo wasNewAccount
K~JgRegistra_
Jin
H{p] email linkedAt lastUsedAt
9s 
8te
7assword
6 p/login/
5re
4uth
3 -%
1Setup P/
~end
|ser
_tion
^confirm
]rovider
[asskey
@start
>Webhook P/(/webhooks/:name/
= - 
<items{id createdAt lastSeenAt expiresAt ip device method isCurrent}
; AdminUserInput
,}pageInfo{hasMore:hasNextPage nextCursor:endCursor}
+uthenticator
*ession
(admin
'}...on MfaChallenge{status mfaPendingToken expiresIn delivery methods
&{id kind name createdAt lastUsedAt isSynced}recoveryCodes
% message
#accessToken tokenType expiresIn
"/admin/users/:id
!id email fullName phoneNumber isActive isVerified isSuperuser isMfaEnabled createdAt updatedAt lastLogin tokensInvalidatedAfter`;

/**
 * A line for every operation: its name, its letter and path, the rest, and its selection, as `Operation` has them. An
 * empty rest is a dash. Unpacked:
 *
 *     acceptInvitation p - id email fullName phoneNumber isActive isVerified isSuperuser isMfaEnabled createdAt updatedAt lastLogin tokensInvalidatedAfter
 *     adminDeleteUser D/admin/users/:id AdminUserInput message
 *     adminDisablePhone D/admin/users/:id/phone AdminUserInput id email fullName phoneNumber isActive isVerified isSuperuser isMfaEnabled createdAt updatedAt lastLogin tokensInvalidatedAfter
 *     adminDropMessage D/admin/outbox/:id - message
 *     adminEnableWebhook P/admin/webhooks/:name/enable - message
 *     adminEndSession D/admin/users/:id/sessions/:sessionId? - message ended
 *     adminPromotePending P/admin/pending/:email/promote - id email fullName phoneNumber isActive isVerified isSuperuser isMfaEnabled createdAt updatedAt lastLogin tokensInvalidatedAfter
 *     adminRemoveAuthenticators D/admin/users/:id/authenticators AdminUserInput id email fullName phoneNumber isActive isVerified isSuperuser isMfaEnabled createdAt updatedAt lastLogin tokensInvalidatedAfter
 *     adminReplayWebhook P/admin/webhooks/:name/replay - message replayed
 *     adminResendVerification P/admin/users/:id/resend-verification AdminUserInput message
 *     adminRetryMessage P/admin/outbox/:id/retry - message
 *     adminRevokeSessions P/admin/users/:id/revoke-sessions AdminUserInput id email fullName phoneNumber isActive isVerified isSuperuser isMfaEnabled createdAt updatedAt lastLogin tokensInvalidatedAfter
 *     adminSendReset P/admin/users/:id/send-reset AdminUserInput message
 *     adminStats G/admin/stats - totalUsers activeUsers verifiedUsers superusers pendingRegistrations
 *     adminTestWebhook P/admin/webhooks/:name/test - isTaken problem milliseconds
 *     adminUnlinkOAuth D/admin/users/:id/identities/:provider - message
 *     adminUnlock P/admin/users/:id/unlock AdminUserInput message
 *     adminUpdateUser U/admin/users/:id - id email fullName phoneNumber isActive isVerified isSuperuser isMfaEnabled createdAt updatedAt lastLogin tokensInvalidatedAfter
 *     authenticators G - items{id kind name createdAt lastUsedAt isSynced}recoveryCodesLeft
 *     changeEmail P - message
 *     changePassword P - message
 *     confirmEmailChange p - id email fullName phoneNumber isActive isVerified isSuperuser isMfaEnabled createdAt updatedAt lastLogin tokensInvalidatedAfter
 *     confirmLoginMfa p/login/mfa-confirm - accessToken tokenType expiresIn
 *     confirmPasskeySetup P/passkeys/confirm - authenticator{id kind name createdAt lastUsedAt isSynced}recoveryCodes session{accessToken tokenType expiresIn}
 *     confirmPhoneSetup P/phone/confirm - id email fullName phoneNumber isActive isVerified isSuperuser isMfaEnabled createdAt updatedAt lastLogin tokensInvalidatedAfter
 *     confirmTotpSetup P/totp/confirm - authenticator{id kind name createdAt lastUsedAt isSynced}recoveryCodes session{accessToken tokenType expiresIn}
 *     createBrowserSession P/browser-session 0 message
 *     deleteAccount D/account - message
 *     disablePhone D/phone - message
 *     endBrowserSession d/browser-session 0 message
 *     endOtherSessions D/sessions 0 message ended
 *     endSession D/sessions/:id - message
 *     exchangeOAuth p/oauth/exchange - ...on OAuthSession{accessToken tokenType expiresIn redirectTo wasNewAccount}...on MfaChallenge{status mfaPendingToken expiresIn delivery methods redirectTo wasNewAccount}
 *     features g - appName registration verificationRequired passwordReset accountDeletion sms2fa totp passkeys mfaRequired sessionList browserSessions oauth oauthProviders{name label kind}passwordMinLength admin userFields{name type label required maxLength}
 *     forgotPassword p - message
 *     login p - ...on Session{accessToken tokenType expiresIn}...on MfaChallenge{status mfaPendingToken expiresIn delivery methods}
 *     loginWithPasskey p/login/passkey - accessToken tokenType expiresIn
 *     logout P - message
 *     me G - id email fullName phoneNumber isActive isVerified isSuperuser isMfaEnabled createdAt updatedAt lastLogin tokensInvalidatedAfter
 *     oauthProviders G/oauth/providers - available linked{provider email linkedAt lastUsedAt}hasPassword
 *     outboxMessages G/admin/outbox id state first after)items:nodes{id kind purpose recipient state attempts createdAt nextAttemptAt lastError}pageInfo{hasMore:hasNextPage nextCursor:endCursor}
 *     pendingRegistrations G/admin/pending email first search after)items:nodes{email fullName createdAt expiresAt isContested}pageInfo{hasMore:hasNextPage nextCursor:endCursor}total:totalCount
 *     reauthenticate P - ...on Session{accessToken tokenType expiresIn}...on MfaChallenge{status mfaPendingToken expiresIn delivery methods}
 *     register p - ...on PendingRegistration{status email expiresAt}...on User{id email fullName phoneNumber isActive isVerified isSuperuser isMfaEnabled createdAt updatedAt lastLogin tokensInvalidatedAfter}
 *     removeAuthenticator D/authenticators/:id - message
 *     renameAuthenticator U/authenticators/:id - id kind name createdAt lastUsedAt isSynced
 *     replaceRecoveryCodes P/recovery-codes 0 recoveryCodes
 *     resendVerification p - message
 *     resetPassword p - message
 *     sendMfaCode p/login/mfa-send - message
 *     sessions G - items{id createdAt lastSeenAt expiresAt ip device method isCurrent}
 *     startMfaPasskey p/login/mfa-passkey/start - id options
 *     startOAuthLink P/oauth/:provider/link/start - authorizationUrl
 *     startOAuthSignIn r/oauth/:provider/start - authorizationUrl
 *     startPasskeyLogin p/login/passkey/start 0 id options
 *     startPasskeySetup P/passkeys/start 0 id options
 *     startPhoneSetup P/phone/start - status pendingToken expiresIn
 *     startTotpSetup P/totp/start 0 id secret otpauthUrl qrSvg
 *     unlinkOAuth D/oauth/:provider/link - message
 *     updateProfile U/me - id email fullName phoneNumber isActive isVerified isSuperuser isMfaEnabled createdAt updatedAt lastLogin tokensInvalidatedAfter
 *     user G/admin/users/:id - id)id email fullName phoneNumber isActive isVerified isSuperuser isMfaEnabled createdAt updatedAt lastLogin tokensInvalidatedAfter
 *     userAuthenticators G/admin/users/:id/authenticators - id)items{id kind name createdAt lastUsedAt isSynced}recoveryCodesLeft
 *     userIdentities G/admin/users/:id/identities - id)items{provider email linkedAt lastUsedAt issuer acr amr}
 *     userSessions G/admin/users/:id/sessions - id)items{id createdAt lastSeenAt expiresAt ip device method isCurrent}
 *     users G/admin/users id first search after isActive isVerified isSuperuser isMfaEnabled)items:nodes{id email fullName phoneNumber isActive isVerified isSuperuser isMfaEnabled createdAt updatedAt lastLogin tokensInvalidatedAfter}pageInfo{hasMore:hasNextPage nextCursor:endCursor}total:totalCount
 *     verify p - id email fullName phoneNumber isActive isVerified isSuperuser isMfaEnabled createdAt updatedAt lastLogin tokensInvalidatedAfter
 *     webhooks G/admin/webhooks - items{name origin events isOff offAt offReason failingSince waiting dead}

 */
export const table = words.split('\n').reduce(
  (text, word) => text.split(word[0]!).join(word.slice(1)),
  // biome-ignore format: one text
  `acceptInvita_ p=!
(Dele8U| D";%
(DisablePY D"/pY; !
(DropMessage D/(/outbox/:.3
(Enable>enable3
(EndS* D"/s*s/:s*Id?3 ~ed
(Promo8P~Jg P/(/p~Jg/:email/promo8=!
(RemoveA+9D"/a+s; !
(Replay>5play3 5played
(Res~VZ P"/5s~-vZ;%
(RetryMessage P/(/outbox/:./5try3
(RevokeS*9P"/5voke-s*s; !
(S~Reset P"/s~-5set;%
(Stat9G/(/stats=totalU|9activeU|9verifiedU|9superu|9pKs
(Test>8st=isTaken problem milliseconds
(UnlJkOA4 D"/.entities/:p]3
(Unlock P"/unlock;%
(Upda8U| U"=!
a+9G=i8ms&Left
changeEmail P3
changeP7 P3
^EmailChange p=!
^LogJMfa6mfa-^=#
^P[1p[s/^=a+& s*{#}
^PY1pY/^=!
^Totp1totp/^=a+& s*{#}
c5a8Brow|S* P/brow|-s* 0%
dele8Account D/account3
disablePY D/pY3
~Brow|S* d/brow|-s* 0%
~OtherS*9D/s*90% ~ed
~S* D/s*s/:.3
exchangeOA4 p/oa4/exchange=jOA4S*{#Q'Q}
featu59g=appName 5gistra_ vZRequi5d p7Reset accountDele_ sms2fa totp p[9mfaRequi5d s*List brow|S*9oa4 oa4P]s{name label kJd}p7MJLength ( u|Fields{name type label 5qui5d maxLength}
forgotP7 p3
logJ p=jS*{#'}
logJWithP[6p[=#
logout P3
me G=!
oa4P]9G/oa4/p]s=available lJkedH}hasP7
outboxMessage9G/(/outbox . sta8 first af8rX. kJd purpose 5cipient sta8 at8mpt9c5a8dAt nextAt8mptAt lastError,
pK9G/(/p~Jg email first search af8rXemail fullName c5a8dAt expi5sAt isCon8s8d,total:totalCount
5a4entica8 P=jS*{#'}
5gis8r p=jPK{statu9email expi5sAt}jU|{!}
5moveA+ D/a+s/:.3
5nameA+ U/a+s/:.=. kJd name c5a8dAt lastUsedAt isSynced
5placeRecoveryCode9P/5covery-code90 5coveryCodes
5s~VZ p3
5setP7 p3
s~MfaCode6mfa-s~3
s*9G=<
@MfaP[6mfa-p[/@=. op_s
@OA4LJk P/oa4/:p]/lJk/@=a4oriza_Url
@OA4SignIn r/oa4/:p]/@=a4oriza_Url
@P[LogJ6p[/@ 0 . op_s
@P[1p[s/@ 0 . op_s
@PY1pY/@=statu9p~JgToken expi5sIn
@Totp1totp/@ 0 . sec5t otpa4Url qrSvg
unlJkOA4 D/oa4/:p]/lJk3
upda8Profile U/me=!
u| G"=.)!
u|A+9G"/a+s=.)i8ms&Left
u|Identitie9G"/.entities=.)i8msH issuer acr amr}
u|S*9G"/s*s=.)<
u|9G/(/u|9. first search af8r isActive isVerified isSuperu| isMfaEnabledX!,total:totalCount
verify p=!
webhook9G/(/webhooks=i8ms{name origJ event9isOff offAt offReason failJgSJce waitJg dead}`,
);

/** The fields of outputs that are absent in REST where GraphQL has null. */
export const optionalFields = /^(isSynced|methods|recoveryCodes|session)$/;
