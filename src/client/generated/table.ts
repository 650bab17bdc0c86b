// Generated from the operations by `npm run docs`.

/** Symbols of the table, and what each stands for. */
const words = `Znd$Y|p"/$Xcode$W first 5arch afJr$V p/C/$U4qui4$T/+/outbox$S4gistr=$Rtot$Qme $.id$P...on|$Obrow5r$Ns|g$M 4di4ct_to was_new_acF$LiJms&_left 8_needs_@=
$Klink$Jte$Iid options
1_$H
+_$Gverifi$Fcount$Eu5r$Ded_at last_u5d_at$Clogin$B_5tup|p/$Achange$9pending$8phone$7email$6 -'
$5se$4re$3auth$1start$~ first after)items:nodes{id $| _$^provider$]password$[passkey$@confirm$> - $=ation$<items{id created_at last_seen_at expires_at ip device method is_current}
$; _+_user_input$,authenticator$+admin$*session$(}...on _mfa_challenge{status mfa_pending_token expires_in delivery methods$' message$&{id kind name created_at last_used_at is_synced}recovery_codes$%access_token token_type expires_in$#}page_info{has_more:has_next_page next_cursor:end_cursor}$"/admin/users/:id$!id email full_name phone_number is_active is_verified is_superuser is_mfa_enabled created_at updated_at last_login tokens_invalidated_after`;

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
 *     authenticators G - items{id kind name createdAt lastUsedAt isSynced}recoveryCodesLeft phoneNeedsConfirmation
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
 *     user G/admin/users/:id - id)id email fullName phoneNumber isActive isVerified isSuperuser isMfaEnabled createdAt updatedAt lastLogin tokensInvalidatedAfter
 *     userAuthenticators G/admin/users/:id/authenticators - id)items{id kind name createdAt lastUsedAt isSynced}recoveryCodesLeft phoneNeedsConfirmation
 *     userIdentities G/admin/users/:id/identities - id)items{provider email linkedAt lastUsedAt issuer acr amr}
 *     userSessions G/admin/users/:id/sessions - id)items{id createdAt lastSeenAt expiresAt ip device method isCurrent}
 *     users G/admin/users id first search after isActive isVerified isSuperuser isMfaEnabled)items:nodes{id email fullName phoneNumber isActive isVerified isSuperuser isMfaEnabled createdAt updatedAt lastLogin tokensInvalidatedAfter}pageInfo{hasMore:hasNextPage nextCursor:endCursor}total:totalCount
 *     verify p - id email fullName phoneNumber isActive isVerified isSuperuser isMfaEnabled createdAt updatedAt lastLogin tokensInvalidatedAfter

 */
export const table = words.split('$').reduce(
  (text, word) => text.split(word[0]!).join(word.slice(1)),
  // biome-ignore format: one text
  `accept_invit= p>!
activity|g .~at oper= outcoQX ip device#HA_7YA-7>!HdeleJ_E|d";'Hdisable_8|d"/8; !Hdrop_message|dT/:.6+_eZ_*|d"/*s/:*_.? -' eZedHpromoJ_9|p/+/9/:7/promoJ>!H4move_,s|d"/,s; !HU_new_]YU-new-];'H45Z_Gc=Y45Z-Gc=;'H4try_message|pT/:./4try6+_4voke_*sY4voke-*s; !H5Z_45tY5Z-45t;'HstatN/+/stats>Ral_Es active_Es Ged_Es superEs 9_SsHunK_o_3|d"/.entities/:^6+_unlockYunlock;'HupdaJ_E|u">!
audit_4cordN/+/audit . actor subject oper= outcoQsince until~at oper= by actor subject outcoQX As F ip 4quest_.#
,N>LA_7|p6A_]|p6@_7_A p>!
@_C_mfaVmfa-@>%
@_[B[s/@>,& *{%}
@_8B8/@>!
@_RpBRp/@>,& *{%}
c4aJ_O_*|p/O-* 0'
deleJ_acF|d/acF6disable_8|d/86eZ_O_* d/O-* 0'
eZ_other_*s|d/*s 0' eZed
eZ_*|d/*s/:.6exA_o_3 p/o3/exA>Po_3_*{%M(M}
featu4s g>app_naQS Gc=_Ud ]_45t acF_deletion sms2fa Rp [s mfa_Ud *_list O_*s o3 o3_^s{naQlabel kiZ}]_min_length + E_fields{naQtype label Ud max_length}
forgot_] p6C p>P*{%(}
C_with_[V[>%
logout|p6me|g>!
o3_^N/o3/^s>available Ked{^ 7 KD}has_]
outbox_messageNT . staJ~kiZ purpo5 4cipient staJ atJmpts c4aJd_at next_atJmpt_at last_error#
9_SN/+/9 7W)iJms:nodes{7 full_naQc4aJd_at expi4s_at is_conJsJd#Ral:Ral_F
43enticaJ|p>P*{%(}
4gisJr p>P9_S{status 7 expi4s_at}PE{!}
4move_,|d/,s/:.64name_,|u/,s/:.>. kiZ naQc4atD is_synced
4place_4covery_Xs|p/4covery-Xs 0 4covery_Xs
4port_not_Qp/not-Q-' ]_needed
45Z_Gc= p645t_] p65Z_mfa_XVmfa-5Z6*N><1_mfa_[Vmfa-[/1>Io_3_K|p/o3/:^/K/1>3oriz=_url
1_o_3_sign_in r/o3/:^/1>3oriz=_url
1_[_CV[/1 0 I[B[s/1 0 I8B8/1>status 9_token expi4s_in
1_RpBRp/1 0 . 5c4t otp3_url qr_svg
unK_o_3|d/o3/:^/K6updaJ_profile|u/me>!
E|g">.)!
E_,N"/,s>.)LE_.entitieN"/.entities>.)iJms{^ 7 KD issuer acr amr}
E_*N"/*s>.)<EN/+/Es .W is_active is_Ged is_superE is_mfa_enabled)iJms:nodes{!#Ral:Ral_F
verify p>!`,
);

/** The fields of outputs that are absent in REST where GraphQL has null. */
export const optionalFields = /^(isSynced|methods|phoneNeedsConfirmation|recoveryCodes|session)$/;
