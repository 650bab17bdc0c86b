import { createHash } from 'node:crypto';

/** The default name of each table or collection that has a field of its own. */
export const defaultStorageNames = {
  user_collection: 'users',
  pending_collection: 'pending_registrations',
  blacklist_collection: 'token_blacklist',
  login_attempt_collection: 'login_attempts',
  mfa_code_collection: 'mfa_codes',
  oauth_identity_collection: 'oauth_identities',
  oauth_state_collection: 'oauth_states',
  rate_limit_collection: 'gatehouse_rate_limits',
  authenticator_collection: 'authenticators',
  recovery_code_collection: 'recovery_codes',
  challenge_collection: 'sign_in_challenges',
  session_collection: 'user_sessions',
  password_failure_collection: 'password_failures',
  outbox_collection: 'outbox',
  audit_collection: 'audit_records',
  webhook_collection: 'webhook_endpoints',
  not_me_link_collection: 'not_me_links',
  sign_in_place_collection: 'sign_in_places',
} as const;

/** Every field that names a table or collection. */
export type StorageNameField = keyof typeof defaultStorageNames | 'migration_collection';

/** The longest name, in characters; PostgreSQL truncates longer ones, so that two long names could become equal. */
const longestName = 63;

/** The longest name that may precede a suffix unchanged. */
const longestStem = 52;

/**
 * Returns a name with a suffix that fits into `longestName`. A long stem is truncated, and gets a hash of the whole, so
 * that two different stems never produce one name.
 */
export function nameWithSuffix(stem: string, suffix: string): string {
  if (stem.length <= longestStem) return `${stem}${suffix}`;
  const hash = createHash('sha256').update(stem).digest('hex').slice(0, 12);
  return `${stem.slice(0, longestName - suffix.length - hash.length - 1)}_${hash}${suffix}`;
}

/** Returns the name of the index of the users' texts. Its own tables and triggers on SQLite begin with this name. */
export const searchNameOf = (userCollection: string) => nameWithSuffix(userCollection, '_search');

/**
 * Returns the names of what the index of the users' roles consists of on SQL databases: a table, which gives its name to
 * the function that maintains it on PostgreSQL, and triggers on the table of users.
 */
export const roleIndexNamesOf = (userCollection: string) => ({
  table: nameWithSuffix(userCollection, '_role_index'),
  onInsert: nameWithSuffix(userCollection, '_role_i'),
  onUpdate: nameWithSuffix(userCollection, '_role_u'),
  onDelete: nameWithSuffix(userCollection, '_role_d'),
});

/** Returns the effective names. A given field is used as it is; every other name is the default after `table_prefix`. */
export function storageNamesOf(given: Record<string, unknown>): Record<StorageNameField, string> {
  const text = (key: string) => (given[key] === undefined ? undefined : String(given[key]));
  const prefix = text('table_prefix') ?? '';
  const names = Object.entries(defaultStorageNames).map(([key, byDefault]) => [
    key,
    text(key) ?? `${prefix}${byDefault}`,
  ]);
  const users = text('user_collection') ?? defaultStorageNames.user_collection;
  return {
    ...Object.fromEntries(names),
    migration_collection: text('migration_collection') ?? nameWithSuffix(`${prefix}${users}`, '_migrations'),
  };
}
