import { type MongodbUrl, parseMongodbUrl } from './mongodb-url.ts';
import { type PostgresqlUrl, parsePostgresqlUrl } from './postgresql-url.ts';

/** A database of SQLite: a file, or the memory of a process. */
export interface SqliteUrl {
  backend: 'sqlite';
  path: string;
}

/** A database, as `database_url` names it. */
export type DatabaseUrl = SqliteUrl | PostgresqlUrl | MongodbUrl;

/** Returns whether each process has a database of its own, which ends with it. */
export const isInMemory = (database: DatabaseUrl) =>
  database.backend === 'sqlite' && database.path === ':memory:';

const supported = 'sqlite:///PATH, postgresql://…, mongodb://… or mongodb+srv://…';

/**
 * Selects the backend by the scheme (SPEC §2.5). The URL itself is never quoted, because it holds a password.
 * `mongodbDatabase` is that of a MongoDB URL that names none.
 * @throws {Error} that says what is expected
 */
export function parseDatabaseUrl(url: string, mongodbDatabase = ''): DatabaseUrl {
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(url)?.[1]?.toLowerCase();
  switch (scheme) {
    case 'sqlite':
    case 'sqlite+aiosqlite':
      return { backend: 'sqlite', path: sqlitePath(url.slice(scheme.length + 1)) };
    case 'postgres':
    case 'postgresql':
    case 'postgresql+asyncpg':
      return parsePostgresqlUrl(url.slice(scheme.length + 1));
    case 'mongodb':
    case 'mongodb+srv':
      return parseMongodbUrl(url, mongodbDatabase);
  }
  // Text before a colon without slashes may be a user name or a password.
  if (scheme === undefined || !url.startsWith('//', scheme.length + 1))
    throw new Error(`must be a URL: ${supported}`);
  throw new Error(`has the scheme ${scheme}, which names a driver that is not supported: use ${supported}`);
}

function sqlitePath(rest: string): string {
  const path = rest.replace(/^\/\/\/?/, '');
  if (!rest.startsWith('//') || path === '')
    throw new Error(
      'must name a file: sqlite:///./name.db, four slashes for an absolute path, or sqlite:///:memory:',
    );
  return path;
}
