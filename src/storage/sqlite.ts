import { resolve } from 'node:path';
import { isInMemory, type SqliteUrl } from '../config/database-url.ts';
import { roleIndexNamesOf, searchNameOf } from '../config/storage-names.ts';
import { lazily, rememberFor } from '../lazily.ts';
import { bindTables } from '../tables/bind.ts';
import type { Backend } from './backend.ts';
import { differencesBetween, neededTables } from './drift.ts';
import { databaseCode, isBusy } from './driver-codes.ts';
import { isDriverError } from './driver-error.ts';
import { StorageError } from './errors.ts';
import { withBusyRetry } from './guard.ts';
import { schemaStateOf } from './migrate.ts';
import { steps } from './migrations/names.ts';
import type { StorageOptions } from './options.ts';
import { aheadError } from './schema-state.ts';
import { sqliteSearch } from './search/sqlite.ts';
import { readSignInTables } from './sign-in-rows.ts';
import { sqlStatements } from './sql.ts';
import type { Driver } from './sql-driver.ts';
import { sqliteSessions } from './sql-sessions.ts';
import { indexObjects, readSqliteCatalog } from './sqlite-catalog.ts';
import { sqliteDialect as dialect } from './sqlite-dialect.ts';
import {
  type BetterSqlite3,
  createPrivateFile,
  driverBusyTimeoutMs,
  openFile,
  restrictToOwner,
  type Statement,
  sharedFiles,
} from './sqlite-file.ts';
import { createWriteBack } from './sqlite-write-back.ts';
import { remarksOnVersion } from './versions.ts';

/** How long a readiness check relies on the last write, in milliseconds. */
const writeProbeMs = 10_000;
/** How long a start waits for another process that is migrating, in milliseconds. */
const migrationWaitMs = 60_000;

/** Opens SQLite in a file, in WAL mode, or in the memory of this process. */
export function openSqlite(url: SqliteUrl, options: StorageOptions): Backend {
  const inMemory = isInMemory(url);
  const file = inMemory ? url.path : resolve(url.path);
  const tables = bindTables(options.names, 'sql');

  /** The ORM is loaded when there is something to install: a current file is served without it. */
  const openOrm = lazily(async () => (await import('./sqlite-orm.ts')).openOrm(file, options));
  let writeBack: ReturnType<typeof createWriteBack> | undefined;
  let opened: BetterSqlite3 | undefined;
  const database = lazily(async (): Promise<BetterSqlite3> => {
    // A database in memory is always to be installed, in the connection that has it.
    if (inMemory) return (await openOrm()).em.getConnection().getNativeClient();
    createPrivateFile(file);
    const database = openFile(file, { timeout: driverBusyTimeoutMs });
    try {
      database.pragma('journal_mode = WAL');
      database.pragma('synchronous = NORMAL');
    } catch (error) {
      database.close();
      throw error;
    }
    if (options.warnOfServer) writeBack = createWriteBack(file, database, options.warnOfServer);
    opened = database;
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

  const readState = async () => {
    const client = await database();
    const execute = async (sql: string) => client.prepare(sql).all([]) as Record<string, unknown>[];
    return schemaStateOf(execute, { steps, table: `"${options.migrations}"` });
  };

  /** Brings the schema to the latest version, in a connection of the ORM. */
  async function migrate(): Promise<number> {
    const { openOrm: openAnother, migrateSqlite } = await import('./sqlite-orm.ts');
    if (inMemory) return migrateSqlite(await openOrm(), options);
    const orm = openAnother(file, options);
    try {
      return await withBusyRetry(() => migrateSqlite(orm, options), migrationWaitMs);
    } finally {
      await orm.close(true);
    }
  }

  const narrow = sqliteSearch(searchNameOf(options.names.users));

  const rows = sqlStatements({
    ...{ tables, dialect, driver, narrow },
    roleIndex: `"${roleIndexNamesOf(options.names.users).table}"`,
  });

  return {
    name: 'sqlite',
    tables,
    ...sqliteSessions({ ...options, tables, dialect }, readEach),
    findForSignIn: key => readSignInTables({ tables, ...rows }, key),
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
        // Most starts find nothing to do, so they need no lock.
        const state = await withBusyRetry(readState, migrationWaitMs);
        if (state === 'ahead') throw aheadError();
        if (state !== 'behind') return 0;
        if (inMemory) return await migrate();
        const lock = await lockFile(`${file}-migration`);
        try {
          return await migrate();
        } finally {
          lock.close();
        }
      } catch (error) {
        throw explain(error, file);
      }
    },
    isDriverError,
    explain: error => explain(error, file),
    readSchemaState: () => withBusyRetry(readState),
    async findDifferences() {
      const needed = neededTables(tables, 'sqlite');
      const objects = indexObjects(options.names);
      const names = needed.map(({ name }) => name);
      return differencesBetween(needed, objects, await readSqliteCatalog(driver, names, objects));
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
      if (inMemory) await (await openOrm()).close(true);
      else opened?.close();
    },
  };
}

/**
 * Locks a sibling file exclusively while the schema changes. The ORM's migrator reads before it writes, and processes that
 * start together would all read an empty database; the database itself cannot be the lock, because the migrator begins
 * transactions of its own.
 */
async function lockFile(path: string): Promise<BetterSqlite3> {
  createPrivateFile(path);
  // Even connecting is refused while another process holds it.
  return withBusyRetry(async () => {
    const lock = openFile(path, { timeout: driverBusyTimeoutMs });
    try {
      lock.exec('begin exclusive');
      return lock;
    } catch (error) {
      lock.close();
      throw error;
    }
  }, migrationWaitMs);
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
