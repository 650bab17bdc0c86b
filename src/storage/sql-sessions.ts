import type { BoundTables } from '../tables/bind.ts';
import type { User } from '../tables/user.ts';
import type { Backend, SessionKey, SessionRow } from './backend.ts';
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

/** The tables and columns of the session check: the user, whether the token is blacklisted, and when it was last used. */
function sourcesOf({ tables, dialect, readsLastSeen = false, omitsOwnData }: SessionParts) {
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

  const place = dialect.placeholder;
  const alone = selection(
    `(select ${jti} from ${blacklist.name} where ${jti} = ${place(1)})`,
    `(select ${lastSeenAt} from ${sessions.name} where ${sessions.column('id')} = ${place(2)})`,
  );
  /**
   * Reads one session. With a join, SQLite would plan the statement again for each value of a file for which somebody has run
   * `analyze`, which takes ten times as long as the statement.
   */
  const one = {
    text: `select ${alone} from ${users.name} u where u.${users.column('id')} = ${place(readsLastSeen ? 3 : 2)}`,
    valuesOf: ({ userId, jti }: SessionKey) => (readsLastSeen ? [jti, jti, userId] : [jti, userId]),
  };
  const joined = selection(`b.${jti}`, `s.${lastSeenAt}`);
  return { users, blacklist, sessions, joined, read, one };
}

/** The session check on SQLite. `readEach` runs one statement with each of the values, by one look at the database. */
export function sqliteSessions(
  parts: SessionParts,
  readEach: (text: string, values: unknown[][]) => Promise<(Record<string, unknown> | undefined)[]>,
): Backend['findSessions'] {
  const { one, read } = sourcesOf(parts);
  return async keys => {
    const rows = await readEach(one.text, keys.map(one.valuesOf));
    return rows.map(row => (row ? read(row) : null));
  };
}

/** The session check on PostgreSQL: several by one statement. */
export function postgresqlSessions(parts: SessionParts, driver: Driver): Backend['findSessions'] {
  const { users, blacklist, sessions, joined, read, one } = sourcesOf(parts);
  const place = parts.dialect.placeholder;
  /** Each row is looked up by its key: the planner does not look into a subquery with an offset. */
  const lookUp = ({ name, key }: Table, value: string) =>
    `(select * from ${name} where ${key} = ${value} offset 0)`;
  const many = `select ${joined}, k.position::int4 as position
    from unnest(${place(1)}::text[], ${place(2)}::text[]) with ordinality k(user_id, jti, position)
    cross join lateral ${lookUp(users, 'k.user_id')} u
    left join lateral ${lookUp(blacklist, 'k.jti')} b on true
    ${parts.readsLastSeen ? `left join lateral ${lookUp(sessions, 'k.jti')} s on true` : ''}`;

  return async keys => {
    if (keys.length === 1) {
      const [row] = await driver.read(one.text, one.valuesOf(keys[0]!));
      return [row ? read(row) : null];
    }
    const rows: (SessionRow | null)[] = keys.map(() => null);
    const values = [keys.map(({ userId }) => userId), keys.map(({ jti }) => jti)];
    for (const row of await driver.read(many, values)) rows[Number(row.position) - 1] = read(row);
    return rows;
  };
}
