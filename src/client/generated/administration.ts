// Generated from the operations by `npm run docs`.

import type { Operation } from '../operation.ts';

// biome-ignore format: one operation a line
export const administrationTable: readonly Operation[] = [
  ["adminChangeEmail","P","/admin/users/:id/change-email","","id email fullName phoneNumber isActive isVerified isSuperuser isMfaEnabled createdAt updatedAt lastLogin tokensInvalidatedAfter"],
  ["adminCreateUser","P","/admin/users","","id email fullName phoneNumber isActive isVerified isSuperuser isMfaEnabled createdAt updatedAt lastLogin tokensInvalidatedAfter"],
  ["adminDeleteUser","D","/admin/users/:id","AdminUserInput","message"],
  ["adminDisablePhone","D","/admin/users/:id/phone","AdminUserInput","id email fullName phoneNumber isActive isVerified isSuperuser isMfaEnabled createdAt updatedAt lastLogin tokensInvalidatedAfter"],
  ["adminDropMessage","D","/admin/outbox/:id","","message"],
  ["adminEnableWebhook","P","/admin/webhooks/:name/enable","","message"],
  ["adminEndSession","D","/admin/users/:id/sessions/:sessionId?","","message ended"],
  ["adminOverview","G","/admin/overview","","since signIns refusals lockouts deadDeliveries webhooksOff"],
  ["adminPromotePending","P","/admin/pending/:email/promote","","id email fullName phoneNumber isActive isVerified isSuperuser isMfaEnabled createdAt updatedAt lastLogin tokensInvalidatedAfter"],
  ["adminRemoveAuthenticators","D","/admin/users/:id/authenticators","AdminUserInput","id email fullName phoneNumber isActive isVerified isSuperuser isMfaEnabled createdAt updatedAt lastLogin tokensInvalidatedAfter"],
  ["adminReplayWebhook","P","/admin/webhooks/:name/replay","","message replayed"],
  ["adminRequireNewPassword","P","/admin/users/:id/require-new-password","AdminUserInput","message"],
  ["adminResendVerification","P","/admin/users/:id/resend-verification","AdminUserInput","message"],
  ["adminRetryMessage","P","/admin/outbox/:id/retry","","message"],
  ["adminRevokeSessions","P","/admin/users/:id/revoke-sessions","AdminUserInput","id email fullName phoneNumber isActive isVerified isSuperuser isMfaEnabled createdAt updatedAt lastLogin tokensInvalidatedAfter"],
  ["adminRotateSigningKeys","P","/admin/keys/rotate","","items{kid algorithm state since until}"],
  ["adminSendReset","P","/admin/users/:id/send-reset","AdminUserInput","message"],
  ["adminStats","G","/admin/stats","","totalUsers activeUsers verifiedUsers superusers pendingRegistrations"],
  ["adminTestWebhook","P","/admin/webhooks/:name/test","","isTaken problem milliseconds"],
  ["adminUnlinkOAuth","D","/admin/users/:id/identities/:provider","","message"],
  ["adminUnlock","P","/admin/users/:id/unlock","AdminUserInput","message"],
  ["adminUpdateUser","U","/admin/users/:id","","id email fullName phoneNumber isActive isVerified isSuperuser isMfaEnabled createdAt updatedAt lastLogin tokensInvalidatedAfter"],
  ["auditRecords","G","/admin/audit","id","actor subject operation outcome isLook since until first after withAddresses)items:nodes{id at operation by actor actorEmail subject subjectEmail outcome code changes count ip requestId}pageInfo{hasMore:hasNextPage nextCursor:endCursor}"],
  ["outboxMessages","G","/admin/outbox","id","state first after)items:nodes{id kind purpose recipient state attempts createdAt nextAttemptAt lastError}pageInfo{hasMore:hasNextPage nextCursor:endCursor}"],
  ["pendingRegistrations","G","/admin/pending","email","first search after)items:nodes{email fullName createdAt expiresAt isContested}pageInfo{hasMore:hasNextPage nextCursor:endCursor}total:totalCount"],
  ["signingKeys","G","/admin/keys","","items{kid algorithm state since until}"],
  ["user","G","/admin/users/:id","","id)id email fullName phoneNumber isActive isVerified isSuperuser isMfaEnabled createdAt updatedAt lastLogin tokensInvalidatedAfter reportedAt lockedUntil"],
  ["userAuthenticators","G","/admin/users/:id/authenticators","","id)items{id kind name createdAt lastUsedAt isSynced isDistrusted}recoveryCodesLeft hasPassword phoneNeedsConfirmation"],
  ["userIdentities","G","/admin/users/:id/identities","","id)items{provider email linkedAt lastUsedAt isDistrusted issuer acr amr}"],
  ["userSessions","G","/admin/users/:id/sessions","","id)items{id createdAt lastSeenAt expiresAt ip device method isCurrent}"],
  ["users","G","/admin/users","id createdAt","first search after isActive isVerified isSuperuser isMfaEnabled isReported isLocked)items:nodes{id email fullName phoneNumber isActive isVerified isSuperuser isMfaEnabled createdAt updatedAt lastLogin tokensInvalidatedAfter reportedAt lockedUntil}pageInfo{hasMore:hasNextPage nextCursor:endCursor}total:totalCount isCapped"],
  ["webhooks","G","/admin/webhooks","","items{name origin events isOff offAt offReason failingSince waiting dead}"],
];
