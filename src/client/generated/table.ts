// Generated from the operations by `npm run docs`.

/** Symbols of the table, and what each stands for. */
const words = `Zte
.id
Y...on 
Xchange
Qt 
K 4di4ctTo wasNewAccount
J~ingRegistr@
He 
9{p| email linkedAt lastUsedAt
8s 
7assword
6 -'
5 p/login/
4re
3uth
1Setup P/
~end
|rovid^
_confirm
^er
]asskey
[start
@ation
> first after)items:nodes{id 
= - 
<items{id createdAt lastSeenAt expiresAt ip device method isCurrent}
; AdminUserInput
,admin
+uthenticator
*ession
(}...on MfaChallenge{status mfaPendingToken expiresIn delivery methods
' message
&{id kind name createdAt lastUsedAt isSynced}recoveryCodes
%accessToken tokenType expiresIn
#/admin/users/:id
"}pageInfo{hasMore:hasNextPage nextCursor:endCursor}
!id email fullName phoneNumber isActive isVerified isSuperuser isMfaEnabled createdAt updatedAt lastLogin tokensInvalidatedAfter`;

/**
 * A line for every operation: its name, its letter and path, the rest, and its selection, as `Operation` has them. An
 * empty rest is a dash. Unpacked:
 *
 *     acceptInvitation p - id email fullName phoneNumber isActive isVerified isSuperuser isMfaEnabled createdAt updatedAt lastLogin tokensInvalidatedAfter
 *     activity G id first after)items:nodes{id at operation outcome code ip device}pageInfo{hasMore:hasNextPage nextCursor:endCursor}
 *     adminDeleteUser D/admin/users/:id AdminUserInput message
 *     adminDisablePhone D/admin/users/:id/phone AdminUserInput id email fullName phoneNumber isActive isVerified isSuperuser isMfaEnabled createdAt updatedAt lastLogin tokensInvalidatedAfter
 *     adminDropMessage D/admin/outbox/:id - message
 *     adminEndSession D/admin/users/:id/sessions/:sessionId? - message ended
 *     adminPromotePending P/admin/pending/:email/promote - id email fullName phoneNumber isActive isVerified isSuperuser isMfaEnabled createdAt updatedAt lastLogin tokensInvalidatedAfter
 *     adminRemoveAuthenticators D/admin/users/:id/authenticators AdminUserInput id email fullName phoneNumber isActive isVerified isSuperuser isMfaEnabled createdAt updatedAt lastLogin tokensInvalidatedAfter
 *     adminResendVerification P/admin/users/:id/resend-verification AdminUserInput message
 *     adminRetryMessage P/admin/outbox/:id/retry - message
 *     adminRevokeSessions P/admin/users/:id/revoke-sessions AdminUserInput id email fullName phoneNumber isActive isVerified isSuperuser isMfaEnabled createdAt updatedAt lastLogin tokensInvalidatedAfter
 *     adminSendReset P/admin/users/:id/send-reset AdminUserInput message
 *     adminStats G/admin/stats - totalUsers activeUsers verifiedUsers superusers pendingRegistrations
 *     adminUnlinkOAuth D/admin/users/:id/identities/:provider - message
 *     adminUnlock P/admin/users/:id/unlock AdminUserInput message
 *     adminUpdateUser U/admin/users/:id - id email fullName phoneNumber isActive isVerified isSuperuser isMfaEnabled createdAt updatedAt lastLogin tokensInvalidatedAfter
 *     auditRecords G/admin/audit id actor subject operation outcome since until first after)items:nodes{id at operation by actor subject outcome code changes count ip requestId}pageInfo{hasMore:hasNextPage nextCursor:endCursor}
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

 */
export const table = words.split('\n').reduce(
  (text, word) => text.split(word[0]!).join(word.slice(1)),
  // biome-ignore format: one text
  `acceptInvit@ p=!
activity G .>aQop^@ outcomHcodHip device"
,DeleZUs^ D#;'
,DisablePhonHD#/phone; !
,DropMessagHD/,/outbox/:.6
,EndS* D#/s*s/:s*Id?6 ~ed
,PromoZP~ing P/,/p~ing/:email/promoZ=!
,RemoveA+8D#/a+s; !
,Res~V^ific@ P#/4s~-v^ific@;'
,RetryMessagHP/,/outbox/:./4try6
,RevokeS*8P#/4voke-s*s; !
,S~ReseQP#/s~-4set;'
,Stat8G/,/stats=totalUs^8activeUs^8v^ifiedUs^8sup^us^8pJs
,UnlinkOA3 D#/.entities/:p|6
,Unlock P#/unlock;'
,UpdaZUs^ U#=!
auditRecord8G/,/audiQ. actor subjecQop^@ outcomHsincHuntil>aQop^@ by actor subjecQoutcomHcodHX8counQip 4questId"
a+8G=iZms&Left
XEmail P6
XP7 P6
_EmailChangHp=!
_LoginMfa5mfa-_=%
_P]1p]s/_=a+& s*{%}
_Phone1phone/_=!
_Totp1totp/_=a+& s*{%}
c4aZBrows^S* P/brows^-s* 0'
deleZAccounQD/account6
disablePhonHD/phone6
~Brows^S* d/brows^-s* 0'
~Oth^S*8D/s*80' ~ed
~S* D/s*s/:.6
exXOA3 p/oa3/exX=YOA3S*{%K(K}
featu48g=appNamH4gistr@ v^ific@Requi4d p7ReseQaccountDeletion sms2fa totp p]8mfaRequi4d s*LisQbrows^S*8oa3 oa3P|s{namHlabel kind}p7MinLength , us^Fields{namHtypHlabel 4qui4d maxLength}
forgotP7 p6
login p=YS*{%(}
loginWithP]5p]=%
logouQP6
mHG=!
oa3P|8G/oa3/p|s=availablHlinked9}hasP7
outboxMessage8G/,/outbox . staZ>kind purposH4cipienQstatHatZmpt8c4aZdAQnextAtZmptAQlastError"
pJ8G/,/p~ing email firsQsearch aft^)iZms:nodes{email fullNamHc4aZdAQexpi4sAQisConZsZd"total:totalCount
4a3enticatHP=YS*{%(}
4gist^ p=YPJ{statu8email expi4sAt}YUs^{!}
4moveA+ D/a+s/:.6
4nameA+ U/a+s/:.=. kind namHc4aZdAQlastUsedAQisSynced
4placeRecov^yCode8P/4cov^y-code80 4cov^yCodes
4s~V^ific@ p6
4setP7 p6
s~MfaCode5mfa-s~6
s*8G=<
[MfaP]5mfa-p]/[=. options
[OA3Link P/oa3/:p|/link/[=a3oriz@Url
[OA3SignIn r/oa3/:p|/[=a3oriz@Url
[P]Login5p]/[ 0 . options
[P]1p]s/[ 0 . options
[Phone1phone/[=statu8p~ingToken expi4sIn
[Totp1totp/[ 0 . sec4Qotpa3Url qrSvg
unlinkOA3 D/oa3/:p|/link6
updaZProfilHU/me=!
us^ G#=.)!
us^A+8G#/a+s=.)iZms&Left
us^Identitie8G#/.entities=.)iZms9 issu^ acr amr}
us^S*8G#/s*s=.)<
us^8G/,/us^8. firsQsearch aft^ isActivHisV^ified isSup^us^ isMfaEnabled)iZms:nodes{!"total:totalCount
v^ify p=!`,
);

/** The fields of outputs that are absent in REST where GraphQL has null. */
export const optionalFields = /^(isSynced|methods|recoveryCodes|session)$/;
