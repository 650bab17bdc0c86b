import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { UnderscoreNamingStrategy } from '@mikro-orm/core';
import { Migrator } from '@mikro-orm/migrations';
import { MikroORM, type SqliteConnection } from '@mikro-orm/sqlite';
import { createEntities } from '../entities/index.ts';
import { lazily } from '../lazily.ts';
import type { Backend } from './backend.ts';
import { databaseCode, isBusy, StorageError } from './errors.ts';
import { withBusyRetry } from './guard.ts';
import { compare, migrate } from './migrate.ts';
import { createMigrations, migrationsTable, searchName } from './migrations/index.ts';
import type { StorageOptions } from './open.ts';
import { type Driver, sqlStatements } from './sql.ts';
import type { SqlDialect } from './sql-text.ts';
import { openSearch } from './sqlite-search.ts';

type BetterSqlite3 = Awaited<ReturnType<SqliteConnection['getNativeClient']>>;

/** How long the driver itself waits for a lock, in milliseconds; the event loop stands still meanwhile. */
const driverBusyTimeoutMs = 10;
/** How long a start waits for another process that is migrating. */
const migrationWaitMs = 60_000;

const dialect: SqlDialect = {
  greatest: (...operands) => `max(${operands.join(', ')})`,
  plusOneMillisecond: column => `${column} + 1`,
  asMilliseconds: column => column,
  parameter(value) {
    if (value instanceof Date) return value.getTime();
    return typeof value === 'boolean' ? Number(value) : value;
  },
  placeholder: () => '?',
  contains: (column, text) => `instr(lower(${column}), ${text}) > 0`,
};

/** The options of the ORM on SQLite, for the application and for the ORM's own command line. */
export function sqliteOptions(
  path: string,
  { names }: StorageOptions,
  entities = createEntities(names, 'sql'),
) {
  return {
    entities: Object.values(entities),
    dbName: path,
    namingStrategy: UnderscoreNamingStrategy,
    extensions: [Migrator],
    driverOptions: { timeout: driverBusyTimeoutMs },
    forceUtcTimezone: true,
    // What matters reaches the instance's own log, without the data that the ORM would print.
    logger: () => {},
    // The index of texts, and the tables that SQLite keeps for it, are no entities.
    schemaGenerator: { skipTables: [new RegExp(`^${searchName(names)}(_|$)`)], ignoreTriggers: true },
    migrations: {
      tableName: migrationsTable(names),
      migrationsList: createMigrations(names, 'sqlite'),
      snapshot: false,
      silent: true,
    },
  };
}

/** SQLite in a file, in WAL mode, or in the memory of this process. */
export function openSqlite(path: string, options: StorageOptions): Backend {
  const inMemory = path === ':memory:';
  const file = inMemory ? path : resolve(path);
  const entities = createEntities(options.names, 'sql');
  const orm = new MikroORM(sqliteOptions(file, options, entities));

  const database = lazily(async (): Promise<BetterSqlite3> => {
    if (!inMemory && !existsSync(dirname(file))) {
      throw new StorageError(
        `The folder of the SQLite file ${file} does not exist. Make it, or change database_url.`,
      );
    }
    const database = await orm.em.getConnection().getNativeClient();
    if (!inMemory) {
      database.pragma('journal_mode = WAL');
      database.pragma('synchronous = NORMAL');
    }
    return database;
  });

  const statements = new Map<string, ReturnType<BetterSqlite3['prepare']>>();
  async function prepare(sql: string) {
    let statement = statements.get(sql);
    if (!statement) {
      statement = (await database()).prepare(sql);
      statements.set(sql, statement);
    }
    return statement;
  }
  const driver: Driver = {
    async read(sql, values) {
      const statement = await prepare(sql);
      // The driver is synchronous: requests that have arrived are read first, so that their answers leave together.
      await new Promise(setImmediate);
      return statement.all(values) as Record<string, unknown>[];
    },
    write: async (sql, values) => (await prepare(sql)).run(values).changes,
  };

  const narrow = openSearch(searchName(options.names), driver);

  return {
    name: 'sqlite',
    entities,
    ...sqlStatements(orm, entities, dialect, driver, narrow),
    guard: work =>
      withBusyRetry(async () => {
        await database();
        return work();
      }),
    async install() {
      try {
        await withBusyRetry(database, migrationWaitMs);
        if (inMemory) return await migrate(orm);
        const lock = await lockFile(`${file}-migration`, options);
        try {
          return await withBusyRetry(() => migrate(orm), migrationWaitMs);
        } finally {
          await lock.close();
        }
      } catch (error) {
        throw explain(error, file);
      }
    },
    explain: error => explain(error, file),
    schemaState: () => withBusyRetry(() => database().then(() => compare(orm))),
    async ping() {
      await withBusyRetry(async () => (await database()).prepare('select 1').get());
    },
    counterStore: async () => ({ kind: 'sqlite', client: await database() }),
    close: () => orm.close(true),
  };
}

/**
 * Holds a sibling file exclusively while the schema changes. The ORM's migrator reads before it writes, and processes
 * that start together would all read an empty database; the database itself can't be the lock, because the migrator
 * begins transactions of its own.
 */
async function lockFile(path: string, options: StorageOptions) {
  const lock = new MikroORM(sqliteOptions(path, options));
  try {
    // Even connecting is refused while another process holds it.
    await withBusyRetry(async () => {
      const client = await lock.em.getConnection().getNativeClient();
      client.exec('begin exclusive');
    }, migrationWaitMs);
  } catch (error) {
    await lock.close(true);
    throw error;
  }
  return lock;
}

/** What is wrong with the file, in one line. */
function explain(error: unknown, file: string): unknown {
  if (error instanceof StorageError) return error;
  const code = databaseCode(error);
  if (isBusy(error)) {
    return new StorageError(`Another process holds the SQLite file ${file}. Try again when it has ended.`);
  }
  if (code.startsWith('SQLITE_FULL')) {
    return new StorageError(
      `The disk of the SQLite file ${file} is full. Make room; nothing stored is lost.`,
    );
  }
  if (code.startsWith('SQLITE_IOERR')) {
    return new StorageError(
      `The disk of the SQLite file ${file} fails or is full (${code}). Make room, or look at it.`,
    );
  }
  if (code.startsWith('SQLITE_NOTADB')) {
    return new StorageError(
      `The file ${file} is not an SQLite database. Change database_url, or move the file away.`,
    );
  }
  if (/^SQLITE_(CANTOPEN|READONLY|PERM|AUTH)/.test(code)) {
    return new StorageError(
      `The SQLite file ${file} can't be written (${code}). Check the rights on it and on its folder.`,
    );
  }
  return error;
}
