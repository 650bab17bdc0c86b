import { foundBySqlite } from './search/sqlite.ts';
import type { SqlDialect } from './sql-text.ts';

/** The SQL of SQLite, where it is SQLite's own. */
export const sqliteDialect: SqlDialect = {
  greatest: (...operands) => `max(${operands.join(', ')})`,
  plusOneMillisecond: column => `${column} + 1`,
  asMilliseconds: column => column,
  unindexed: column => `+${column}`,
  parameter(value) {
    if (value instanceof Date) return value.getTime();
    return typeof value === 'boolean' ? Number(value) : value;
  },
  placeholder: () => '?',
  fromNow: ms => `(cast(round(unixepoch('subsec') * 1000) as integer) + ${ms})`,
  // SQLite has one writer at a time.
  isClaimed: (key, query) => `${key} in (${query})`,
  isFound: foundBySqlite,
  // RFC 7396: a null removes a member.
  mergeJson: (column, values) => `json_patch(coalesce(${column}, '{}'), ${values})`,
  chooseJson: (column, known, given) =>
    `(select json_group_array(value) from (select value from json_each(${column})
      where value not in (select value from json_each(${known})) union select value from json_each(${given})))`,
  hasText: (column, text) => `${text} in (select value from json_each(${column}))`,
  joinEach: (h, table, on) => `${h} cross join ${table} found on ${on('found')}`,
};
