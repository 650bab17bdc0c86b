// The console's GraphQL documents. The server imports this module, too: it knows by it what the console may ask.

/**
 * Returns the document of each call. Every one answers as `it`.
 * @param {{ fields: string, hasRoles: boolean }} own What the application adds to every user: the names of its fields in
 * GraphQL with spaces between them, and whether there are roles.
 */
export function adminDocuments({ fields, hasRoles }) {
  /** What of it a user has in an answer. */
  const own = `${hasRoles ? 'roles' : ''} ${fields && `fields { ${fields} }`}`;
  const [role, byRole] = hasRoles ? ['$role: String,', 'role: $role,'] : ['', ''];

  const row = 'id email fullName isActive isVerified isSuperuser isMfaEnabled createdAt lastLogin';
  const user = `id email fullName phoneNumber isActive isVerified isSuperuser isMfaEnabled
    createdAt updatedAt lastLogin tokensInvalidatedAfter ${own}`;
  const page = 'totalCount pageInfo { hasNextPage endCursor }';

  /** @type {(field: string, type: string, answer: string) => string} */
  const change = (field, type, answer) =>
    `mutation ($input: ${type}!) { it: ${field}(input: $input) { ${answer} } }`;
  /** @type {(field: string, answer: string) => string} */
  const onUser = (field, answer) => change(field, 'AdminUserInput', answer);

  return {
    me: '{ it: me { id email isSuperuser } }',
    stats: '{ it: adminStats { totalUsers activeUsers verifiedUsers superusers pendingRegistrations } }',
    users: `query ($first: Int, $after: String, $search: String, ${role}
      $isActive: Boolean, $isVerified: Boolean, $isSuperuser: Boolean, $isMfaEnabled: Boolean,
      $isReported: Boolean) {
      it: users(first: $first, after: $after, search: $search, ${byRole} isActive: $isActive, isVerified: $isVerified,
        isSuperuser: $isSuperuser, isMfaEnabled: $isMfaEnabled, isReported: $isReported) {
        ${page} nodes { ${row} reportedAt } } }`,
    user: `query ($id: ID!) { it: user(id: $id) { ${user} reportedAt } }`,
    update: change('adminUpdateUser', 'AdminUpdateUserInput', user),
    remove: onUser('adminDeleteUser', 'message'),
    resendVerification: onUser('adminResendVerification', 'message'),
    sendReset: onUser('adminSendReset', 'message'),
    changeEmail: change('adminChangeEmail', 'AdminChangeEmailInput', user),
    requireNewPassword: onUser('adminRequireNewPassword', 'message'),
    unlock: onUser('adminUnlock', 'message'),
    revokeSessions: onUser('adminRevokeSessions', user),
    disablePhone: onUser('adminDisablePhone', user),
    authenticators: `query ($id: ID!) { it: userAuthenticators(id: $id) {
      items { id kind name createdAt lastUsedAt isSynced isDistrusted } recoveryCodesLeft phoneNeedsConfirmation } }`,
    removeAuthenticators: onUser('adminRemoveAuthenticators', user),
    identities: `query ($id: ID!) { it: userIdentities(id: $id) {
      items { provider issuer email linkedAt lastUsedAt acr amr isDistrusted } } }`,
    unlink: change('adminUnlinkOAuth', 'AdminUnlinkOAuthInput', 'message'),
    sessions: `query ($id: ID!) { it: userSessions(id: $id) {
      items { id createdAt lastSeenAt ip device method isCurrent } } }`,
    endSession: change('adminEndSession', 'AdminEndSessionInput', 'message'),
    pending: `query ($first: Int, $after: String, $search: String) {
      it: pendingRegistrations(first: $first, after: $after, search: $search) {
        ${page} nodes { email fullName createdAt expiresAt isContested } } }`,
    resendLink: change('resendVerification', 'ResendVerificationInput', 'message'),
    promote: change('adminPromotePending', 'AdminPromotePendingInput', 'id email'),
    outbox: `query ($first: Int, $after: String, $state: String) {
      it: outboxMessages(first: $first, after: $after, state: $state) {
        pageInfo { hasNextPage endCursor }
        nodes { id kind purpose recipient state attempts createdAt nextAttemptAt lastError } } }`,
    retryMessage: change('adminRetryMessage', 'AdminRetryMessageInput', 'message'),
    dropMessage: change('adminDropMessage', 'AdminDropMessageInput', 'message'),
    audit: `query ($first: Int, $after: String, $actor: String, $subject: String, $operation: String, $outcome: String,
      $since: String, $until: String) {
      it: auditRecords(first: $first, after: $after, actor: $actor, subject: $subject, operation: $operation,
        outcome: $outcome, since: $since, until: $until) {
        pageInfo { hasNextPage endCursor }
        nodes { id at operation by actor subject outcome code changes count ip } } }`,
    webhooks: `{ it: webhooks { items {
      name origin events isOff offAt offReason failingSince waiting dead } } }`,
    testWebhook: change('adminTestWebhook', 'AdminTestWebhookInput', 'isTaken problem milliseconds'),
    enableWebhook: change('adminEnableWebhook', 'AdminEnableWebhookInput', 'message'),
    replayWebhook: change('adminReplayWebhook', 'AdminReplayWebhookInput', 'message'),
    signOut: 'mutation { it: logout { message } }',
  };
}
