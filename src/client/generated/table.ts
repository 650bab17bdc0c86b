// Generated from the operations by `npm run docs`.

/** Symbols of the table, and what each stands for. */
const words = `j first search af8r
Zin
.id
Y...on 
Xerifica^
Qhone
K)i8ms:nodes{
J 4di4ctTo wasNewAccount
H|ingRegistra^
9s 
8te
7{p[ email linkedAt lastUsedAt
6assword
5 -&
4re
3 p/login/
1uth
~Setup P/
|end
_ser
^tion
]confirm
[rovider
@asskey
>start
= - 
<items{id createdAt lastSeenAt expiresAt ip device method isCurrent}
; AdminUserInput
,admin
+}pageInfo{hasMore:hasNextPage nextCursor:endCursor}
*uthenticator
(ession
'}...on MfaChallenge{status mfaPendingToken expiresIn delivery methods
& message
%{id kind name createdAt lastUsedAt isSynced}recoveryCodes
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
  `acceptInvita^ p=!
,Dele8U_ D";&
,DisablePQ D"/pQ; !
,DropMessage D/,/outbox/:.5
,EndS( D"/s(s/:s(Id?5 |ed
,Promo8P|Zg P/,/p|Zg/:email/promo8=!
,RemoveA*9D"/a*s; !
,Res|VX P"/4s|-vX;&
,RetryMessage P/,/outbox/:./4try5
,RevokeS(9P"/4voke-s(s; !
,S|Reset P"/s|-4set;&
,Stat9G/,/stats=totalU_9activeU_9verifiedU_9superu_9pHs
,UnlZkOA1 D"/.entities/:p[5
,Unlock P"/unlock;&
,Upda8U_ U"=!
a*9G=i8ms%Left
changeEmail P5
changeP6 P5
]EmailChange p=!
]LogZMfa3mfa-]=#
]P@~p@s/]=a*% s({#}
]PQ~pQ/]=!
]Totp~totp/]=a*% s({#}
c4a8Brow_S( P/brow_-s( 0&
dele8Account D/account5
disablePQ D/pQ5
|Brow_S( d/brow_-s( 0&
|OtherS(9D/s(90& |ed
|S( D/s(s/:.5
exchangeOA1 p/oa1/exchange=YOA1S({#J'J}
featu49g=appName 4gistra^ vXRequi4d p6Reset accountDele^ sms2fa totp p@9mfaRequi4d s(List brow_S(9oa1 oa1P[s{name label kZd}p6MZLength , u_Fields{name type label 4qui4d maxLength}
forgotP6 p5
logZ p=YS({#'}
logZWithP@3p@=#
logout P5
me G=!
oa1P[9G/oa1/p[s=available lZked7}hasP6
outboxMessage9G/,/outbox . sta8 first af8rK. kZd purpose 4cipient sta8 at8mpt9c4a8dAt nextAt8mptAt lastError+
pH9G/,/p|Zg emailjKemail fullName c4a8dAt expi4sAt isCon8s8d+total:totalCount
4a1entica8 P=YS({#'}
4gis8r p=YPH{statu9email expi4sAt}YU_{!}
4moveA* D/a*s/:.5
4nameA* U/a*s/:.=. kZd name c4a8dAt lastUsedAt isSynced
4placeRecoveryCode9P/4covery-code90 4coveryCodes
4s|VX p5
4setP6 p5
s|MfaCode3mfa-s|5
s(9G=<
>MfaP@3mfa-p@/>=. op^s
>OA1LZk P/oa1/:p[/lZk/>=a1oriza^Url
>OA1SignIn r/oa1/:p[/>=a1oriza^Url
>P@LogZ3p@/> 0 . op^s
>P@~p@s/> 0 . op^s
>PQ~pQ/>=statu9p|ZgToken expi4sIn
>Totp~totp/> 0 . sec4t otpa1Url qrSvg
unlZkOA1 D/oa1/:p[/lZk5
upda8Profile U/me=!
u_ G"=.)!
u_A*9G"/a*s=.)i8ms%Left
u_Identitie9G"/.entities=.)i8ms7 issuer acr amr}
u_S(9G"/s(s=.)<
u_9G/,/u_9.j isActive isVerified isSuperu_ isMfaEnabledK!+total:totalCount
verify p=!`,
);

/** The fields of outputs that are absent in REST where GraphQL has null. */
export const optionalFields = /^(isSynced|methods|recoveryCodes|session)$/;
