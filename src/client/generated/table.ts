// Generated from the operations by `npm run docs`.

/** Symbols of the table, and what each stands for. */
const words = `Z~p$Y+_$Xat$W p/C/$V5qui5$U/+/outbox$T outcome $S first search afHr$R5gistr@$Qtot$.id$P...on~$Os~g$N 5di5ct_to was_new_acG$Mid options
3_$Lbrowser$KiHms{"}=_left A_needs_[@
$Jp9ing$Iverifi$Hte$Gcount$F -'$Eemail$Dmessage$Clogin$Bchange$Aphone$9end$8_setup~p/$7user$6{| email linked_at last_used_at is_distrusted$5re$4auth$3start$1 first after)items:nodes{id $~ _$|provider$^password$]passkey$[confirm$@ation$> - $=recovery_codes$<items{id created_at last_seen_at expires_at ip device method is_current}
$; _+_user_input$,authenticator$+admin$*session$(}...on _mfa_challenge{status mfa_pending_token expires_in delivery methods$' message
$&access_token token_type expires_in$%}page_info{has_more:has_next_page next_cursor:end_cursor}$#/admin/users/:id$"id kind name created_at last_used_at is_synced is_distrusted$!id email full_name phone_number is_active is_verified is_superuser is_mfa_enabled created_at updated_at last_login tokens_invalidated_after`;

/**
 * A line for every operation: its name, its letter and path, the rest, and its selection, as `Operation` has them. An
 * empty rest is a dash. A capital is `_` and the small letter. Unpacked:
 *
 *     acceptInvitation p - id email fullName phoneNumber isActive isVerified isSuperuser isMfaEnabled createdAt updatedAt lastLogin tokensInvalidatedAfter
 *     activity G id first after)items:nodes{id at operation outcome code ip device}pageInfo{hasMore:hasNextPage nextCursor:endCursor}
 *     adminChangeEmail P/admin/users/:id/change-email - id email fullName phoneNumber isActive isVerified isSuperuser isMfaEnabled createdAt updatedAt lastLogin tokensInvalidatedAfter
 *     adminDeleteUser D/admin/users/:id AdminUserInput message
 *     adminDisablePhone D/admin/users/:id/phone AdminUserInput id email fullName phoneNumber isActive isVerified isSuperuser isMfaEnabled createdAt updatedAt lastLogin tokensInvalidatedAfter
 *     adminDropMessage D/admin/outbox/:id - message
 *     adminEndSession D/admin/users/:id/sessions/:sessionId? - message ended
 *     adminPromotePending P/admin/pending/:email/promote - id email fullName phoneNumber isActive isVerified isSuperuser isMfaEnabled createdAt updatedAt lastLogin tokensInvalidatedAfter
 *     adminRemoveAuthenticators D/admin/users/:id/authenticators AdminUserInput id email fullName phoneNumber isActive isVerified isSuperuser isMfaEnabled createdAt updatedAt lastLogin tokensInvalidatedAfter
 *     adminRequireNewPassword P/admin/users/:id/require-new-password AdminUserInput message
 *     adminResendVerification P/admin/users/:id/resend-verification AdminUserInput message
 *     adminRetryMessage P/admin/outbox/:id/retry - message
 *     adminRevokeSessions P/admin/users/:id/revoke-sessions AdminUserInput id email fullName phoneNumber isActive isVerified isSuperuser isMfaEnabled createdAt updatedAt lastLogin tokensInvalidatedAfter
 *     adminSendReset P/admin/users/:id/send-reset AdminUserInput message
 *     adminStats G/admin/stats - totalUsers activeUsers verifiedUsers superusers pendingRegistrations
 *     adminUnlinkOAuth D/admin/users/:id/identities/:provider - message
 *     adminUnlock P/admin/users/:id/unlock AdminUserInput message
 *     adminUpdateUser U/admin/users/:id - id email fullName phoneNumber isActive isVerified isSuperuser isMfaEnabled createdAt updatedAt lastLogin tokensInvalidatedAfter
 *     auditRecords G/admin/audit id actor subject operation outcome since until first after)items:nodes{id at operation by actor subject outcome code changes count ip requestId}pageInfo{hasMore:hasNextPage nextCursor:endCursor}
 *     authenticators G - items{id kind name createdAt lastUsedAt isSynced isDistrusted}recoveryCodesLeft phoneNeedsConfirmation
 *     changeEmail P - message
 *     changePassword P - message
 *     confirmEmailChange p - id email fullName phoneNumber isActive isVerified isSuperuser isMfaEnabled createdAt updatedAt lastLogin tokensInvalidatedAfter
 *     confirmLoginMfa p/login/mfa-confirm - accessToken tokenType expiresIn
 *     confirmPasskeySetup P/passkeys/confirm - authenticator{id kind name createdAt lastUsedAt isSynced isDistrusted}recoveryCodes session{accessToken tokenType expiresIn}
 *     confirmPhoneSetup P/phone/confirm - id email fullName phoneNumber isActive isVerified isSuperuser isMfaEnabled createdAt updatedAt lastLogin tokensInvalidatedAfter
 *     confirmTotpSetup P/totp/confirm - authenticator{id kind name createdAt lastUsedAt isSynced isDistrusted}recoveryCodes session{accessToken tokenType expiresIn}
 *     createBrowserSession P/browser-session 0 message
 *     deleteAccount D/account - message
 *     disablePhone D/phone - message
 *     endBrowserSession d/browser-session 0 message
 *     endOtherSessions D/sessions 0 message ended
 *     endSession D/sessions/:id - message
 *     exchangeOAuth p/oauth/exchange - ...on OAuthSession{accessToken tokenType expiresIn redirectTo wasNewAccount}...on MfaChallenge{status mfaPendingToken expiresIn delivery methods redirectTo wasNewAccount}
 *     features g - appName registration verificationRequired passwordReset accountDeletion sms2fa totp passkeys mfaRequired sessionList activity notMe browserSessions oauth oauthProviders{name label kind}passwordMinLength admin userFields{name type label required maxLength}
 *     forgotPassword p - message
 *     keepAddedSince P/not-me/keep 0 message
 *     login p - ...on Session{accessToken tokenType expiresIn}...on MfaChallenge{status mfaPendingToken expiresIn delivery methods}
 *     loginWithPasskey p/login/passkey - accessToken tokenType expiresIn
 *     logout P - message
 *     me G - id email fullName phoneNumber isActive isVerified isSuperuser isMfaEnabled createdAt updatedAt lastLogin tokensInvalidatedAfter
 *     oauthProviders G/oauth/providers - available linked{provider email linkedAt lastUsedAt isDistrusted}hasPassword
 *     outboxMessages G/admin/outbox id state first after)items:nodes{id kind purpose recipient state attempts createdAt nextAttemptAt lastError}pageInfo{hasMore:hasNextPage nextCursor:endCursor}
 *     pendingRegistrations G/admin/pending email first search after)items:nodes{email fullName createdAt expiresAt isContested}pageInfo{hasMore:hasNextPage nextCursor:endCursor}total:totalCount
 *     reauthenticate P - ...on Session{accessToken tokenType expiresIn}...on MfaChallenge{status mfaPendingToken expiresIn delivery methods}
 *     register p - ...on PendingRegistration{status email expiresAt}...on User{id email fullName phoneNumber isActive isVerified isSuperuser isMfaEnabled createdAt updatedAt lastLogin tokensInvalidatedAfter}
 *     removeAuthenticator D/authenticators/:id - message
 *     renameAuthenticator U/authenticators/:id - id kind name createdAt lastUsedAt isSynced isDistrusted
 *     replaceRecoveryCodes P/recovery-codes 0 recoveryCodes
 *     reportNotMe p/not-me - message passwordNeeded
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
 *     user G/admin/users/:id - id)id email fullName phoneNumber isActive isVerified isSuperuser isMfaEnabled createdAt updatedAt lastLogin tokensInvalidatedAfter reportedAt
 *     userAuthenticators G/admin/users/:id/authenticators - id)items{id kind name createdAt lastUsedAt isSynced isDistrusted}recoveryCodesLeft phoneNeedsConfirmation
 *     userIdentities G/admin/users/:id/identities - id)items{provider email linkedAt lastUsedAt isDistrusted issuer acr amr}
 *     userSessions G/admin/users/:id/sessions - id)items{id createdAt lastSeenAt expiresAt ip device method isCurrent}
 *     users G/admin/users id first search after isActive isVerified isSuperuser isMfaEnabled isReported)items:nodes{id email fullName phoneNumber isActive isVerified isSuperuser isMfaEnabled createdAt updatedAt lastLogin tokensInvalidatedAfter reportedAt}pageInfo{hasMore:hasNextPage nextCursor:endCursor}total:totalCount
 *     verify p - id email fullName phoneNumber isActive isVerified isSuperuser isMfaEnabled createdAt updatedAt lastLogin tokensInvalidatedAfter

 */
export const table = words.split('$').reduce(
  (text, word) => text.split(word[0]!).join(word.slice(1)),
  // biome-ignore format: one text
  `accept_invit@ p>!
activity~g .1X oper@Tcode ip device%
YB_EZ#/B-E>!
YdeleH_7~d#;'Ydisable_A~d#/A; !
Ydrop_D~dU/:.FY9_*~d#/*s/:*_.?>D 9ed
YpromoH_JZ/+/J/:E/promoH>!
Y5move_,s~d#/,s; !
YV_new_^Z#/V-new-^;'Y5s9_Ic@Z#/5s9-Ic@;'Y5try_DZU/:./5tryFY5voke_*sZ#/5voke-*s; !
Ys9_5setZ#/s9-5set;'YstXO/+/stXs>Qal_7s active_7s Ied_7s super7s J_Rs
Yunlink_o_4~d#/.entities/:|FYunlockZ#/unlock;'YupdaH_7~u#>!
audit_5cordO/+/audit . actor subject oper@Tsince until1X oper@ by actor subjectTcode Bs G ip 5quest_.%
,O>KB_EZFB_^ZF[_E_B p>!
[_C_mfaWmfa-[>&
[_]8]s/[>,{"}= *{&}
[_A8A/[>!
[_Qp8Qp/[>,{"}= *{&}
c5aH_L_*Z/L-* 0'deleH_acG~d/acGFdisable_A~d/AF9_L_* d/L-* 0'9_other_*s~d/*s 0 D 9ed
9_*~d/*s/:.FexB_o_4 p/o4/exB>Po_4_*{&N(N}
feXu5s g>app_name R Ic@_Vd ^_5set acG_deletion sms2fa Qp ]s mfa_Vd *_list activity not_me L_*s o4 o4_|s{name label kind}^_min_length + 7_fields{name type label Vd max_length}
forgot_^ pFkeep_added_sinceZ/not-me/keep 0'C p>P*{&(}
C_with_]W]>&
logoutZFme~g>!
o4_|O/o4/|s>available linked6}has_^
outbox_DOU . staH1kind purpose 5cipient staH XHmpts c5aHd_X next_XHmpt_X last_error%
J_RO/+/J ES)iHms:nodes{E full_name c5aHd_X expi5s_X is_conHsHd%Qal:Qal_G
54enticaHZ>P*{&(}
5gisHr p>PJ_R{stXus E expi5s_X}P7{!}
5move_,~d/,s/:.F5name_,~u/,s/:.>"
5place_=Z/5covery-codes 0 =
5port_not_me p/not-me>D ^_needed
5s9_Ic@ pF5set_^ pFs9_mfa_codeWmfa-s9F*O><3_mfa_]Wmfa-]/3>Mo_4_linkZ/o4/:|/link/3>4oriz@_url
3_o_4_sign_in r/o4/:|/3>4oriz@_url
3_]_CW]/3 0 M]8]s/3 0 MA8A/3>stXus J_token expi5s_in
3_Qp8Qp/3 0 . sec5t otp4_url qr_svg
unlink_o_4~d/o4/:|/linkFupdaH_profile~u/me>!
7~g#>.)! 5porHd_X
7_,O#/,s>.)K7_.entitieO#/.entities>.)iHms6 issuer acr amr}
7_*O#/*s>.)<7O/+/7s .S is_active is_Ied is_super7 is_mfa_enabled is_5porHd)iHms:nodes{! 5porHd_X%Qal:Qal_G
verify p>!`,
);

/** The fields of outputs that are absent in REST where GraphQL has null. */
export const optionalFields =
  /^(isDistrusted|isSynced|methods|phoneNeedsConfirmation|recoveryCodes|session)$/;
