/** A database, as `database_url` names it. */
export type DatabaseUrl =
  | { backend: 'sqlite'; path: string }
  | { backend: 'postgresql'; url: string }
  | { backend: 'mongodb'; url: string; database: string };

const supported = 'sqlite+aiosqlite:///PATH, postgresql+asyncpg://…, mongodb://… or mongodb+srv://…';

/**
 * Picks the backend by the scheme (SPEC §2.5). The URL itself is never quoted, as it holds a password.
 * @throws {Error} that says what is expected
 */
export function parseDatabaseUrl(url: string, mongodbDatabase: string): DatabaseUrl {
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(url)?.[1]?.toLowerCase();
  switch (scheme) {
    case 'sqlite':
    case 'sqlite+aiosqlite':
      return { backend: 'sqlite', path: sqlitePath(url.slice(scheme.length + 1)) };
    case 'postgres':
    case 'postgresql':
    case 'postgresql+asyncpg':
      return { backend: 'postgresql', url: postgresqlUrl(url.slice(scheme.length + 1)) };
    case 'mongodb':
    case 'mongodb+srv':
      return { backend: 'mongodb', url, database: mongodbName(url) || mongodbDatabase };
  }
  // What stands before a colon alone may be a user's name or a password.
  if (scheme === undefined || !url.startsWith('//', scheme.length + 1))
    throw new Error(`must be a URL: ${supported}`);
  throw new Error(`has the scheme ${scheme}, which names a driver that is not supported: use ${supported}`);
}

function sqlitePath(rest: string): string {
  const path = rest.replace(/^\/\/\/?/, '');
  if (!rest.startsWith('//') || path === '')
    throw new Error(
      'must name a file: sqlite+aiosqlite:///./name.db, four slashes for an absolute path, or sqlite+aiosqlite:///:memory:',
    );
  return path;
}

function postgresqlUrl(rest: string): string {
  const url = `postgresql:${rest}`;
  if (!URL.canParse(url))
    throw new Error('must have the form postgresql+asyncpg://<user>:<password>@<host>:<port>/<db>');
  const { host, pathname, username, password } = new URL(url);
  if (!host || pathname.length < 2) {
    throw new Error('must name host and database: postgresql+asyncpg://<user>:<password>@<host>:<port>/<db>');
  }
  for (const part of [username, password, pathname]) decoded(part);
  return url;
}

/** A MongoDB URL may list several hosts, which the URL standard does not know. */
function mongodbName(url: string): string {
  const [, hosts, path = ''] = /^mongodb(?:\+srv)?:\/\/([^/?#]+)(?:\/([^?#]*))?/i.exec(url) ?? [];
  if (!hosts) throw new Error('must have the form mongodb://<user>:<password>@<host>:<port>/<db>');
  decoded(hosts);
  const name = decoded(path);
  if (!isMongodbName(name)) {
    throw new Error(
      'must end in the name of a database, without / \\ . @ $ quotes or spaces; in a password they are written as %2F and so on',
    );
  }
  return name;
}

/** The characters that MongoDB refuses in a name on some system, and `@`, which is a mistake in the user's part. */
export const isMongodbName = (name: string) => /^[^/\\. "$*<>:|?@]*$/.test(name);

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new Error('must write a percent sign as %25: it begins an escape');
  }
}
