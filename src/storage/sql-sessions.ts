import type { BoundTables } from '../tables/bind.ts';
import type { User } from '../tables/user.ts';
import type { Backend, SessionKey, SessionRow, TokenKey } from './backend.ts';
import type { Driver } from './sql-driver.ts';
import { type SqlDialect, type Table, tableOf } from './sql-text.ts';

/** The needs of the statements of the session check. */
interface SessionParts {
  tables: BoundTables;
  dialect: SqlDialect;
  /** Whether the session check reads when a session was last used. */
  readsLastSeen?: boolean | undefined;
  /** Whether it leaves own fields and roles unread. */
  omitsOwnData?: boolean | undefined;
}

/** The checks of sessions and of access tokens. */
type Checks = Pick<Backend, 'findSessions' | 'findTokens'>;

/** Returns an expression for the first of these that is not null. */
const firstOf = (expressions: string[]) =>
  expressions.length === 1 ? expressions[0]! : `coalesce(${expressions.join(', ')})`;

/** The ids of which none may be blacklisted, in the order in which they are bound. */
const idsOf = {
  session: ({ jti }: SessionKey) => [jti],
  token: ({ jti, tokenJti }: TokenKey) => [jti, tokenJti],
};

/**
 * The tables and columns of the session check: the user, whether one of so many ids is blacklisted, and when the session was
 * last used.
 */
function sourcesOf({ tables, dialect, readsLastSeen = false, omitsOwnData }: SessionParts, ids: number) {
  const users = tableOf(tables.users, dialect);
  const blacklist = tableOf(tables.blacklist, dialect);
  const sessions = tableOf(tables.sessions, dialect);
  /** Returns the columns of a session, of which two are these expressions. */
  const selection = (blacklisted: string, lastSeen: string) =>
    [
      users.selectionFrom('u.', omitsOwnData ? ['fields', 'roles'] : []),
      `${blacklisted} as blacklisted`,
      ...(readsLastSeen ? [`${dialect.asMilliseconds(lastSeen)} as last_seen`] : []),
    ].join(', ');
  const jti = blacklist.column('jti');
  const lastSeenAt = sessions.column('lastSeenAt');

  function read(row: Record<string, unknown>): SessionRow {
    const found = { user: users.read(row) as User, isBlacklisted: row.blacklisted !== null };
    if (!readsLastSeen) return found;
    return { ...found, lastSeenAt: row.last_seen === null ? null : new Date(Number(row.last_seen)) };
  }

  let bound = 0;
  const bind = () => dialect.placeholder(++bound);
  // Each by itself: for a list of two, SQLite would build a table.
  const isEnded = () => `(select ${jti} from ${blacklist.name} where ${jti} = ${bind()})`;
  const alone = selection(
    firstOf(Array.from({ length: ids }, isEnded)),
    readsLastSeen
      ? `(select ${lastSeenAt} from ${sessions.name} where ${sessions.column('id')} = ${bind()})`
      : '',
  );
  /**
   * Reads one session. With a join, SQLite would plan the statement again for each value of a file for which somebody has run
   * `analyze`, which takes ten times as long as the statement.
   */
  const one = {
    text: `select ${alone} from ${users.name} u where u.${users.column('id')} = ${bind()}`,
    valuesOf: ({ userId, jti }: SessionKey, ended: readonly string[]) =>
      readsLastSeen ? [...ended, jti, userId] : [...ended, userId],
  };
  const joined = selection(firstOf(Array.from({ length: ids }, (_, i) => `b${i}.${jti}`)), `s.${lastSeenAt}`);
  return { users, blacklist, sessions, joined, read, one };
}

/** The checks on SQLite. `readEach` runs one statement with each of the values, by one look at the database. */
export function sqliteSessions(
  parts: SessionParts,
  readEach: (text: string, values: unknown[][]) => Promise<(Record<string, unknown> | undefined)[]>,
): Checks {
  function checkOf<Key extends SessionKey>(idsOfKey: (key: Key) => string[], ids: number) {
    const { one, read } = sourcesOf(parts, ids);
    return async (keys: readonly Key[]) => {
      const rows = await readEach(
        one.text,
        keys.map(key => one.valuesOf(key, idsOfKey(key))),
      );
      return rows.map(row => (row ? read(row) : null));
    };
  }
  return { findSessions: checkOf(idsOf.session, 1), findTokens: checkOf(idsOf.token, 2) };
}

/** The checks on PostgreSQL: several by one statement. */
export function postgresqlSessions(parts: SessionParts, driver: Driver): Checks {
  const place = parts.dialect.placeholder;
  /** Each row is looked up by its key: the planner does not look into a subquery with an offset. */
  const lookUp = ({ name, key }: Table, value: string) =>
    `(select * from ${name} where ${key} = ${value} offset 0)`;

  function checkOf<Key extends SessionKey>(idsOfKey: (key: Key) => string[], ids: number) {
    const { users, blacklist, sessions, joined, read, one } = sourcesOf(parts, ids);
    const names = Array.from({ length: ids }, (_, i) => `jti${i}`);
    const lists = ['user_id', ...names].map((_, i) => `${place(i + 1)}::text[]`);
    const many = `select ${joined}, k.position::int4 as position
      from unnest(${lists.join(', ')}) with ordinality k(user_id, ${names.join(', ')}, position)
      cross join lateral ${lookUp(users, 'k.user_id')} u
      ${names.map((name, i) => `left join lateral ${lookUp(blacklist, `k.${name}`)} b${i} on true`).join('\n')}
      ${parts.readsLastSeen ? `left join lateral ${lookUp(sessions, 'k.jti0')} s on true` : ''}`;

    return async (keys: readonly Key[]) => {
      const [key] = keys;
      if (key && keys.length === 1) {
        const [row] = await driver.read(one.text, one.valuesOf(key, idsOfKey(key)));
        return [row ? read(row) : null];
      }
      const rows: (SessionRow | null)[] = keys.map(() => null);
      const ended = keys.map(idsOfKey);
      const values = [keys.map(({ userId }) => userId), ...names.map((_, i) => ended.map(each => each[i]))];
      for (const row of await driver.read(many, values)) rows[Number(row.position) - 1] = read(row);
      return rows;
    };
  }
  return { findSessions: checkOf(idsOf.session, 1), findTokens: checkOf(idsOf.token, 2) };
}
