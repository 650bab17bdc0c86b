import { createHash } from 'node:crypto';
import { UnderscoreNamingStrategy } from '@mikro-orm/core';
import { Migrator } from '@mikro-orm/migrations';
import type { MikroORM as PostgresORM } from '@mikro-orm/postgresql';
import { createEntities } from '../entities/index.ts';
import { importOptional } from '../optional.ts';
import type { Backend } from './backend.ts';
import { databaseCode, isPassing, StorageError } from './errors.ts';
import { gramsOfSearch } from './grams.ts';
import { deadlineMs, withDeadline } from './guard.ts';
import { compare, migrate } from './migrate.ts';
import { createMigrations, migrationsTable, searchName } from './migrations/index.ts';
import type { StorageOptions } from './open.ts';
import { type Driver, type Narrow, sqlStatements } from './sql.ts';
import type { SqlDialect } from './sql-text.ts';

const dialect: SqlDialect = {
  greatest: (...operands) => `greatest(${operands.map(o => `(${o})::timestamptz(3)`).join(', ')})`,
  plusOneMillisecond: column => `${column} + interval '1 millisecond'`,
  asMilliseconds: column => `(extract(epoch from ${column}) * 1000)::float8`,
  parameter: value => value,
  placeholder: position => `$${position}`,
  contains: (column, text) => `strpos(lower(${column} collate "C"), ${text}) > 0`,
};

/** A connection that breaks fails its statement with the same error. */
const ignore = () => {};

/** From where on pages of a search are read in order: the grams of everybody before would be computed for nothing. */
const farBehind = 1000;

/** What the index knows of users' texts: their grams. The planner decides whether it reads that or in order. */
const narrowBy =
  (grams: string): Narrow =>
  async (text, offset) =>
    offset > farBehind
      ? null
      : { condition: bind => `${grams}(email, full_name) @@ ${bind(queryOf(text))}::tsquery` };

/** The grams of a text as PostgreSQL asks for them; of a short one, grams that begin with it. */
function queryOf(text: string): string {
  const lexeme = (gram: string) => `'${gram.replace(/['\\]/g, '$&$&')}'`;
  const grams = gramsOfSearch(text);
  return 'all' in grams ? grams.all.map(lexeme).join(' & ') : `${lexeme(grams.begin)}:*`;
}

/** Bounds that keep a dead or hung server from holding a request; migrations run without them. */
const timeouts = {
  connectionTimeoutMillis: deadlineMs,
  query_timeout: deadlineMs,
  statement_timeout: deadlineMs,
};

/** How long a start waits for the server to take its connection, in milliseconds. */
const installConnectMs = 5000;

/** The options of the ORM on PostgreSQL, for the application and for the ORM's own command line. */
export function postgresqlOptions(
  url: string,
  { names }: StorageOptions,
  entities = createEntities(names, 'sql'),
) {
  return {
    entities: Object.values(entities),
    clientUrl: url,
    namingStrategy: UnderscoreNamingStrategy,
    extensions: [Migrator],
    // Otherwise a mistyped name would make a new and empty database.
    ensureDatabase: false,
    pool: { min: 0, max: 10 },
    driverOptions: { keepAlive: true, application_name: 'gatehouse' },
    forceUtcTimezone: true,
    // What matters reaches the instance's own log, without the data that the ORM would print.
    logger: () => {},
    // The function that the index of texts is made of.
    schemaGenerator: { ignoreRoutines: true },
    migrations: {
      tableName: migrationsTable(names),
      migrationsList: createMigrations(names, 'postgresql'),
      snapshot: false,
      silent: true,
    },
  };
}

/** PostgreSQL over the `pg` driver. @throws {MissingPackageError} when the package of the driver is missing. */
export async function openPostgresql(url: string, options: StorageOptions): Promise<Backend> {
  const { MikroORM } = await importOptional(
    '@mikro-orm/postgresql',
    'PostgreSQL',
    () => import('@mikro-orm/postgresql'),
  );
  const entities = createEntities(options.names, 'sql');
  const ormOptions = postgresqlOptions(url, options, entities);
  const orm = new MikroORM({ ...ormOptions, driverOptions: { ...ormOptions.driverOptions, ...timeouts } });

  const names = new Map<string, string>();
  async function query(text: string, values: unknown[], how = { plannedAnew: false }) {
    const pool = await orm.em.getConnection().getNativeClient();
    const client = await pool.connect();
    client.on('error', ignore);
    let isBroken = false;
    try {
      return await client.query({ text, values, ...(!how.plannedAnew && { name: nameOf(text) }) });
    } catch (error) {
      // A row that was refused says nothing about the connection; anything else may, a statement gone stale included.
      isBroken = !/^2[23]/.test(databaseCode(error));
      throw error;
    } finally {
      client.off('error', ignore);
      client.release(isBroken);
    }
  }
  function nameOf(text: string): string {
    let name = names.get(text);
    if (!name) {
      // By its text, as a pooler between may lend one connection to instances with other tables.
      name = `gatehouse_${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
      names.set(text, name);
    }
    return name;
  }
  const driver: Driver = {
    read: async (sql, values, how) => (await query(sql, values, how)).rows,
    write: async (sql, values) => (await query(sql, values)).rowCount ?? 0,
  };

  return {
    name: 'postgresql',
    entities,
    ...sqlStatements(orm, entities, dialect, driver, narrowBy(`"${searchName(options.names)}"`)),
    guard: withDeadline,
    async install() {
      const installer = new MikroORM({
        ...ormOptions,
        entities: Object.values(createEntities(options.names, 'sql')),
        driverOptions: { ...ormOptions.driverOptions, connectionTimeoutMillis: installConnectMs },
      });
      try {
        return await withAdvisoryLock(installer, () => migrate(installer));
      } catch (error) {
        throw explain(error, url, true);
      } finally {
        await installer.close(true);
      }
    },
    explain: error => explain(error, url),
    schemaState: () => withDeadline(() => compare(orm)),
    ping: () => withDeadline(async () => void (await query('select 1', []))),
    counterStore: async () => ({
      kind: 'postgresql',
      client: await orm.em.getConnection().getNativeClient(),
    }),
    async close() {
      const pool = await orm.em.getConnection().getNativeClient();
      await orm.close(true);
      // The ORM ends only a pool that it has used itself.
      if (!pool.ending) await pool.end();
    },
  };
}

/**
 * Runs work while holding a lock of the whole database, so that only one process migrates. Instances with other names
 * wait for it too, as one table is common to all.
 */
async function withAdvisoryLock<T>(orm: PostgresORM, work: () => Promise<T>): Promise<T> {
  const pool = await orm.em.getConnection().getNativeClient();
  const client = await pool.connect();
  try {
    await client.query(`set lock_timeout = '60s'`);
    await client.query(`select pg_advisory_lock(hashtext('gatehouse:migration'))`);
    return await work();
  } finally {
    // Ending the connection also gives the lock back, whatever happened to it meanwhile.
    client.release(true);
  }
}

/** What is wrong with the server, in one line that holds no password; some of it only while the schema is installed. */
function explain(error: unknown, url: string, isInstalling = false): unknown {
  if (error instanceof StorageError) return error;
  const { host, pathname, username } = new URL(url);
  const database = decodeURIComponent(pathname.slice(1));
  const code = databaseCode(error);
  switch (code) {
    case '3D000':
      return new StorageError(
        `PostgreSQL at ${host} has no database "${database}". Create it, or change database_url.`,
      );
    case '28P01':
    case '28000':
      return new StorageError(
        `PostgreSQL at ${host} does not let "${decodeURIComponent(username)}" in. Check user and password in database_url.`,
      );
    case '42501':
      if (!isInstalling) return error;
      return new StorageError(
        `"${decodeURIComponent(username)}" may not create tables in "${database}" at ${host}. Grant it CREATE on the schema.`,
      );
  }
  if (isPassing(error)) {
    return new StorageError(
      `PostgreSQL at ${host} does not answer (${code}). Check that it runs and is reachable.`,
    );
  }
  return error;
}
