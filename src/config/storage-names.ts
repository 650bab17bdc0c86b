import { createHash } from 'node:crypto';
import { bySetting, type TableSetting } from '../tables/index.ts';

/** The usual name of each table or collection, by the field that sets it. */
const usualNames = bySetting(({ usualName }) => usualName);

/** Every field that names a table or collection. */
export type StorageNameField = TableSetting | 'migration_collection';

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
  const names = Object.entries(usualNames).map(([key, byDefault]) => [
    key,
    text(key) ?? `${prefix}${byDefault}`,
  ]);
  const users = text('user_collection') ?? usualNames.user_collection;
  return {
    ...Object.fromEntries(names),
    migration_collection: text('migration_collection') ?? nameWithSuffix(`${prefix}${users}`, '_migrations'),
  };
}
