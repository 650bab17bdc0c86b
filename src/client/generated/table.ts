// Generated from the operations by `npm run docs`.

/** Symbols of the table, and what each stands for. */
const words = `z_message$jat$Z/|>~oriz]_url
|_$Y is_$X actor subject o$Wnd$Vcode$U first 4arch afIr$T p/9/$S/,/outbox$R3gistr]$Qtot$Pme $.id$O...on^$Nbrow4r$Ms^g$L
,_$K 3di3ct_to was_new_acE$Jlink$Ite$Hid options
|_$Gchange$Fverifi$Ecount$Demail$Cphone$Bu4r$Aed_at last_u4d_at$9login$8_4tup^p/$7pending$6password$5 -'
$4se$3re$1confirm$~auth$|start$^ _$]ation$[ first after)items:nodes{id $@provider$> - $=passkey$<items{id created_at last_seen_at expires_at ip device method is_current}
$; _,_user_input$,admin$+authenticator$*session$(}...on _mfa_challenge{status mfa_pending_token expires_in delivery methods$' message$&{id kind name created_at last_used_at is_synced}recovery_codes$%/admin/users/:id$#access_token token_type expires_in$"}page_info{has_more:has_next_page next_cursor:end_cursor}$!id email full_name phone_number is_active is_verified is_superuser is_mfa_enabled created_at updated_at last_login tokens_invalidated_after`;

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
 *     userAuthenticators G/admin/users/:id/authenticators - id)items{id kind name createdAt lastUsedAt isSynced}recoveryCodesLeft
 *     userIdentities G/admin/users/:id/identities - id)items{provider email linkedAt lastUsedAt issuer acr amr}
 *     userSessions G/admin/users/:id/sessions - id)items{id createdAt lastSeenAt expiresAt ip device method isCurrent}
 *     users G/admin/users id first search after isActive isVerified isSuperuser isMfaEnabled)items:nodes{id email fullName phoneNumber isActive isVerified isSuperuser isMfaEnabled createdAt updatedAt lastLogin tokensInvalidatedAfter}pageInfo{hasMore:hasNextPage nextCursor:endCursor}total:totalCount
 *     verify p - id email fullName phoneNumber isActive isVerified isSuperuser isMfaEnabled createdAt updatedAt lastLogin tokensInvalidatedAfter

 */
export const table = words.split('$').reduce(
  (text, word) => text.split(word[0]!).join(word.slice(1)),
  // biome-ignore format: one text
  `accept_invit] p>!
activity^g .[j oper] outcoPV ip device"LdeleI_B^d%;'Ldisable_C^d%/C; !Ldropz^dS/:.5,_eW_*^d%/*s/:*_.? -' eWedLpromoI_7^p/,/7/:D/promoI>!L3move_+s^d%/+s; !L34W_Fc]^p%/34W-Fc];'L3tryz^pS/:./3try5,_3voke_*s^p%/3voke-*s; !L4W_34t^p%/4W-34t;'LstjM/,/stjs>Qal_Bs active_Bs Fed_Bs superBs 7_RsLunJ_o_~^d%/.entities/:@5,_unlock^p%/unlock;'LupdaI_B^u%>!
audit_3cordM/,/audit .Xper] outcoPsince until[j oper] byXutcoPV Gs E ip 3quest_."
+M>iIms&_left
G_D^p5G_6^p51_D_G p>!
1_9_mfaTmfa-1>#
1_=8=s/1>+& *{#}
1_C8C/1>!
1_Qp8Qp/1>+& *{#}
c3aI_N_*^p/N-* 0'
deleI_acE^d/acE5disable_C^d/C5eW_N_* d/N-* 0'
eW_other_*s^d/*s 0' eWed
eW_*^d/*s/:.5exG_o_~ p/o~/exG>Oo_~_*{#K(K}
feju3s g>app_naPR Fc]_3qui3d 6_34t acE_deletion sms2fa Qp =s mfa_3qui3d *_list N_*s o~ o~_@s{naPlabel kiW}6_min_length , B_fields{naPtype label 3qui3d max_length}
forgot_6 p59 p>O*{#(}
9_with_=T=>#
logout^p5me^g>!
o~_@M/o~/@s>available Jed{@ D JA}has_6
outboxzMS . staI[kiW purpo4 3cipient staI jImpts c3aId_j next_jImpt_j last_error"
7_RM/,/7 DU)iIms:nodes{D full_naPc3aId_j expi3s_jYconIsId"Qal:Qal_E
3~enticaI^p>O*{#(}
3gisIr p>O7_R{stjus D expi3s_j}OB{!}
3move_+^d/+s/:.53name_+^u/+s/:.>. kiW naPc3jAYsynced
3place_3covery_Vs^p/3covery-Vs 0 3covery_Vs
3port_not_Pp/not-P-' 6_needed
34W_Fc] p534t_6 p54W_mfa_VTmfa-4W5*M><|_mfa_=Tmfa-=/|>Ho_~_J^p/o~/:@/JZo_~_sign_in r/o~/:@Z=_9T=/| 0 H=8=s/| 0 HC8C/|>stjus 7_token expi3s_in
|_Qp8Qp/| 0 . 4c3t otp~_url qr_svg
unJ_o_~^d/o~/:@/J5updaI_profile^u/me>!
B^g%>.)!
B_+M%/+s>.)iIms&_left
B_.entitieM%/.entities>.)iIms{@ D JA issuer acr amr}
B_*M%/*s>.)<BM/,/Bs .UYactiveYFedYsuperBYmfa_enabled)iIms:nodes{!"Qal:Qal_E
verify p>!`,
);

/** The fields of outputs that are absent in REST where GraphQL has null. */
export const optionalFields = /^(isSynced|methods|recoveryCodes|session)$/;
