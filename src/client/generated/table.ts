// Generated from the operations by `npm run docs`.

/** Symbols of the table, and what each stands for. */
const words = `zat$Z/|=~oriz]_url
|_$Y is_$Xnd$Wcode$V first 4arch afJr$Uname $T p/8/$S/,/outbox$R outcome $Q3gistr]$Ptot$.id$O...on^$Nbrow4r$Ms^g$L 3di3ct_to was_new_acE$Klink$Jte$Iid options
|_$Hmessage$Gchange$Fverifi$Ecount$Demail$C -'$Bphone$Au4r$9ed_at last_u4d_at$8login$7_4tup^p/$6password$5pending$4se$3re$1confirm$~auth$|start$^ _$]ation$[ first after)items:nodes{id $@provider$>passkey$= - $<items{id created_at last_seen_at expires_at ip device method is_current}
$; _,_user_input$,admin$+authenticator$*session$(}...on _mfa_challenge{status mfa_pending_token expires_in delivery methods$' message
$&{id kind name created_at last_used_at is_synced}recovery_codes$%/admin/users/:id$#access_token token_type expires_in$"}page_info{has_more:has_next_page next_cursor:end_cursor}$!id email full_name phone_number is_active is_verified is_superuser is_mfa_enabled created_at updated_at last_login tokens_invalidated_after`;

/**
 * A line for every operation: its name, its letter and path, the rest, and its selection, as `Operation` has them. An
 * empty rest is a dash. A capital is `_` and the small letter. Unpacked:
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
export const table = words.split('$').reduce(
  (text, word) => text.split(word[0]!).join(word.slice(1)),
  // biome-ignore format: one text
  `accept_invit] p=!
activity^g .[z oper]RW ip device"
,_deleJ_A^d%;',_disable_B^d%/B; !
,_drop_H^dS/:.C,_eX_*^d%/*s/:*_.?=H eXed
,_promoJ_5^p/,/5/:D/promoJ=!
,_3move_+s^d%/+s; !
,_34X_Fc]^p%/34X-Fc];',_3try_H^pS/:./3tryC,_3voke_*s^p%/3voke-*s; !
,_4X_34t^p%/4X-34t;',_stzM/,/stzs=Pal_As active_As Fed_As superAs 5_Qs
,_unK_o_~^d%/.entities/:@C,_unlock^p%/unlock;',_updaJ_A^u%=!
audit_3cordM/,/audit . actor subject oper]Rsince until[z oper] by actor subjectRW Gs E ip 3quest_."
+M=iJms&_left
G_D^pCG_6^pC1_D_G p=!
1_8_mfaTmfa-1=#
1_>7>s/1=+& *{#}
1_B7B/1=!
1_Pp7Pp/1=+& *{#}
c3aJ_N_*^p/N-* 0'deleJ_acE^d/acECdisable_B^d/BCeX_N_* d/N-* 0'eX_other_*s^d/*s 0 H eXed
eX_*^d/*s/:.CexG_o_~ p/o~/exG=Oo_~_*{#L(L}
fezu3s g=app_UQ Fc]_3qui3d 6_34t acE_deletion sms2fa Pp >s mfa_3qui3d *_list N_*s o~ o~_@s{Ulabel kiX}6_min_length , A_fields{Utype label 3qui3d max_length}
forgot_6 pC8 p=O*{#(}
8_with_>T>=#
logout^pCme^g=!
o~_@M/o~/@s=available Ked{@ D K9}has_6
outbox_HMS . staJ[kiX purpo4 3cipient staJ zJmpts c3aJd_z next_zJmpt_z last_error"
5_QM/,/5 DV)iJms:nodes{D full_Uc3aJd_z expi3s_zYconJsJd"Pal:Pal_E
3~enticaJ^p=O*{#(}
3gisJr p=O5_Q{stzus D expi3s_z}OA{!}
3move_+^d/+s/:.C3name_+^u/+s/:.=. kiX Uc3z9Ysynced
3place_3covery_Ws^p/3covery-Ws 0 3covery_Ws
34X_Fc] pC34t_6 pC4X_mfa_WTmfa-4XC*M=<|_mfa_>Tmfa->/|=Io_~_K^p/o~/:@/KZo_~_sign_in r/o~/:@Z>_8T>/| 0 I>7>s/| 0 IB7B/|=stzus 5_token expi3s_in
|_Pp7Pp/| 0 . 4c3t otp~_url qr_svg
unK_o_~^d/o~/:@/KCupdaJ_profile^u/me=!
A^g%=.)!
A_+M%/+s=.)iJms&_left
A_.entitieM%/.entities=.)iJms{@ D K9 issuer acr amr}
A_*M%/*s=.)<AM/,/As .VYactiveYFedYsuperAYmfa_enabled)iJms:nodes{!"Pal:Pal_E
verify p=!`,
);

/** The fields of outputs that are absent in REST where GraphQL has null. */
export const optionalFields = /^(isSynced|methods|recoveryCodes|session)$/;
