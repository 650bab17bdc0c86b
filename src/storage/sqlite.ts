import { resolve } from 'node:path';
import { UnderscoreNamingStrategy } from '@mikro-orm/core';
import { Migrator } from '@mikro-orm/migrations';
import { MikroORM } from '@mikro-orm/sqlite';
import { isInMemory, type SqliteUrl } from '../config/database-url.ts';
import { roleIndexNamesOf, searchNameOf } from '../config/storage-names.ts';
import { createEntities } from '../entities/index.ts';
import { lazily, rememberFor } from '../lazily.ts';
import type { Backend } from './backend.ts';
import { differencesBetween, neededTables } from './drift.ts';
import { databaseCode, isBusy } from './driver-codes.ts';
import { isDriverError } from './driver-error.ts';
import { StorageError } from './errors.ts';
import { withBusyRetry } from './guard.ts';
import { executeOn, type Installation, migrate, schemaStateOf } from './migrate.ts';
import { createMigrations } from './migrations/index.ts';
import type { StorageOptions } from './options.ts';
import { schemasOf } from './orm-entities.ts';
import { sqliteSearch } from './search/sqlite.ts';
import { readSignInTables } from './sign-in-rows.ts';
import { sqlStatements } from './sql.ts';
import type { Driver } from './sql-driver.ts';
import { sqliteSessions } from './sql-sessions.ts';
import { indexObjects, readSqliteCatalog } from './sqlite-catalog.ts';
import { sqliteDialect as dialect } from './sqlite-dialect.ts';
import { type BetterSqlite3, createPrivateFile, restrictToOwner, sharedFiles } from './sqlite-file.ts';
import { createWriteBack } from './sqlite-write-back.ts';
import { remarksOnVersion } from './versions.ts';

type Statement = ReturnType<BetterSqlite3['prepare']>;

/** How long the driver itself waits for a lock, in milliseconds; the event loop is blocked meanwhile. */
const driverBusyTimeoutMs = 10;
/** How long a readiness check relies on the last write, in milliseconds. */
const writeProbeMs = 10_000;
/** How long a start waits for another process that is migrating, in milliseconds. */
const migrationWaitMs = 60_000;

/** Returns the options of the ORM on SQLite, for the application and for the ORM's own command line. */
export function sqliteOptions(
  path: string,
  { names, migrations, identityIssuers }: StorageOptions,
  entities = createEntities(names, 'sql'),
) {
  return {
    entities: schemasOf(entities),
    dbName: path,
    namingStrategy: UnderscoreNamingStrategy,
    extensions: [Migrator],
    driverOptions: { timeout: driverBusyTimeoutMs },
    forceUtcTimezone: true,
    // What matters is written to the instance's own log, without the data that the ORM would print.
    logger: () => {},
    // The index of roles, the search index, and the tables that SQLite keeps for it, are not entities.
    schemaGenerator: {
      skipTables: [
        new RegExp(`^${searchNameOf(names.user)}(_|$)`),
        new RegExp(`^${roleIndexNamesOf(names.user).table}$`),
      ],
      ignoreTriggers: true,
    },
    migrations: {
      tableName: migrations,
      migrationsList: createMigrations(names, 'sqlite', identityIssuers),
      snapshot: false,
      silent: true,
    },
  };
}

/** Opens SQLite in a file, in WAL mode, or in the memory of this process. */
export function openSqlite(url: SqliteUrl, options: StorageOptions): Backend {
  const inMemory = isInMemory(url);
  const file = inMemory ? url.path : resolve(url.path);
  const entities = createEntities(options.names, 'sql');
  const orm = new MikroORM(sqliteOptions(file, options, entities));

  let writeBack: ReturnType<typeof createWriteBack> | undefined;
  const database = lazily(async (): Promise<BetterSqlite3> => {
    if (!inMemory) createPrivateFile(file);
    const database = await orm.em.getConnection().getNativeClient();
    if (!inMemory) {
      database.pragma('journal_mode = WAL');
      database.pragma('synchronous = NORMAL');
      if (options.warnOfServer) writeBack = createWriteBack(file, database, options.warnOfServer);
    }
    return database;
  });

  const statements = new Map<string, Statement>();
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
      // The driver is synchronous: requests that have arrived are read first, so that their responses leave together.
      await new Promise(setImmediate);
      return statement.all(values) as Record<string, unknown>[];
    },
    write: async (sql, values) => (await prepare(sql)).run(values).changes,
  };

  const together = lazily(async () =>
    (await database()).transaction((statement: Statement, values: unknown[][]) =>
      values.map(each => statement.get(each)),
    ),
  );

  /**
   * Runs one statement with each of the values, within one read transaction: most of the cost of a short read is that of
   * beginning and ending it. The statement is synchronous, so no other comes in between.
   */
  async function readEach(sql: string, values: unknown[][]) {
    const statement = await prepare(sql);
    if (values.length === 1) return [statement.get(values[0]!) as Record<string, unknown> | undefined];
    return (await together())(statement, values) as (Record<string, unknown> | undefined)[];
  }

  /**
   * Writes one page of the file unchanged, so that a full disk or a read-only file is noticed. If another process holds
   * the write lock at this moment, that proves the same.
   */
  const assertWritable = rememberFor(writeProbeMs, async () => {
    const client = await database();
    const probe = client.transaction(() => {
      client.pragma(`user_version = ${client.pragma('user_version', { simple: true })}`);
    });
    try {
      probe.immediate();
    } catch (error) {
      if (!isBusy(error)) throw error;
    }
  });

  const installation: Installation = {
    dialect: 'sqlite',
    steps: createMigrations(options.names, 'sqlite', options.identityIssuers),
    tableName: options.migrations,
    table: `"${options.migrations}"`,
  };
  const narrow = sqliteSearch(searchNameOf(options.names.user), driver);

  const rows = sqlStatements(orm, {
    ...{ entities, dialect, driver, narrow },
    roleIndex: `"${roleIndexNamesOf(options.names.user).table}"`,
  });

  return {
    name: 'sqlite',
    entities,
    findSessions: sqliteSessions(orm, { ...options, entities, dialect }, readEach),
    findForSignIn: key => readSignInTables({ entities, ...rows }, key),
    ...rows,
    guard: work =>
      withBusyRetry(async () => {
        await database();
        writeBack?.count();
        return work();
      }),
    async install() {
      try {
        await withBusyRetry(database, migrationWaitMs);
        if (!inMemory) restrictToOwner(file);
        const isBehind = async () => (await schemaStateOf(executeOn(orm), installation)) === 'behind';
        // Most starts find nothing to do, so they need no lock.
        if (inMemory || !(await withBusyRetry(isBehind, migrationWaitMs)))
          return await migrate(orm, installation);
        const lock = await lockFile(`${file}-migration`, options);
        try {
          return await withBusyRetry(() => migrate(orm, installation), migrationWaitMs);
        } finally {
          await lock.close();
        }
      } catch (error) {
        throw explain(error, file);
      }
    },
    isDriverError,
    explain: error => explain(error, file),
    readSchemaState: () =>
      withBusyRetry(async () => {
        await database();
        return schemaStateOf(executeOn(orm), installation);
      }),
    async findDifferences() {
      const tables = neededTables(orm, entities);
      const objects = indexObjects(options.names);
      const names = tables.map(({ name }) => name);
      return differencesBetween(tables, objects, await readSqliteCatalog(driver, names, objects));
    },
    async ping() {
      await withBusyRetry(async () => (await database()).prepare('select 1').get());
      await assertWritable();
    },
    async listRemarks() {
      const version = (await database()).prepare('select sqlite_version()').pluck().get();
      const shared = inMemory ? [] : sharedFiles(file);
      return [
        ...remarksOnVersion('SQLite', String(version)),
        ...shared.map(path => ({
          outcome: 'warn' as const,
          text: `${path} can be read by others, and contains password hashes and addresses: chmod 600 ${path}`,
        })),
      ];
    },
    describeConnection: async () => ({ transport: null, pooler: null }),
    async now() {
      const [row] = await driver.read(`select unixepoch('subsec') * 1000 as now`, []);
      return new Date(Number(row!.now));
    },
    openCounterStore: async () => ({ kind: 'sqlite', client: await database() }),
    async close() {
      await writeBack?.close();
      await orm.close(true);
    },
  };
}

/**
 * Locks a sibling file exclusively while the schema changes. The ORM's migrator reads before it writes, and processes that
 * start together would all read an empty database; the database itself cannot be the lock, because the migrator begins
 * transactions of its own.
 */
async function lockFile(path: string, options: StorageOptions) {
  createPrivateFile(path);
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

/** Returns what is wrong with the file, in one line. */
function explain(error: unknown, file: string): unknown {
  if (error instanceof StorageError) return error;
  const code = databaseCode(error);
  if (isBusy(error)) {
    return new StorageError(
      `Another process has locked the SQLite file ${file}. Try again when it has ended.`,
    );
  }
  if (code.startsWith('SQLITE_FULL')) {
    return new StorageError(
      `The disk of the SQLite file ${file} is full. Free some space; nothing stored is lost.`,
      'full',
    );
  }
  if (code.startsWith('SQLITE_IOERR')) {
    return new StorageError(
      `The disk of the SQLite file ${file} fails or is full (${code}). Free some space, or check the disk.`,
    );
  }
  if (code.startsWith('SQLITE_NOTADB')) {
    return new StorageError(
      `The file ${file} is not an SQLite database. Change database_url, or move the file elsewhere.`,
    );
  }
  if (/^SQLITE_(CANTOPEN|READONLY|PERM|AUTH)/.test(code)) {
    return new StorageError(
      `The SQLite file ${file} can't be written (${code}). Check the permissions of the file and of its folder.`,
      code.startsWith('SQLITE_READONLY') ? 'read_only' : 'down',
    );
  }
  return error;
}
