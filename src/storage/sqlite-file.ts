import { chmodSync, closeSync, existsSync, openSync, realpathSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { StorageError } from './errors.ts';

/** How long the driver itself waits for a lock, in milliseconds; the event loop is blocked meanwhile. */
export const driverBusyTimeoutMs = 10;

/** A prepared statement of the driver; it is synchronous. */
export interface Statement {
  all(values: unknown[]): unknown[];
  get(values?: unknown[]): unknown;
  run(values: unknown[]): { changes: number };
  /** Has the first column of each row returned instead of the row. */
  pluck(): Statement;
}

/** The driver's connection to a file: as much of it as is used. */
export interface BetterSqlite3 {
  prepare(sql: string): Statement;
  exec(sql: string): unknown;
  pragma(text: string, options?: { simple: boolean }): unknown;
  transaction<A extends unknown[], R>(
    work: (...given: A) => R,
  ): ((...given: A) => R) & { immediate(...given: A): R };
  close(): unknown;
}

interface OpenOptions {
  /** How long the driver itself waits for a lock, in milliseconds. */
  timeout: number;
  fileMustExist?: boolean;
}

const Driver: new (file: string, options: OpenOptions) => BetterSqlite3 = createRequire(import.meta.url)(
  'better-sqlite3',
);

/** Opens a connection. Foreign keys of a host's own tables are obeyed. @throws the driver's error, such as SQLITE_CANTOPEN */
export function openFile(file: string, options: OpenOptions): BetterSqlite3 {
  const database = new Driver(file, options);
  database.pragma('foreign_keys = on');
  return database;
}

/**
 * Suffixes of the files that belong to a database: the write-ahead log, its index, the rollback journal, and Gatehouse's
 * lock.
 */
const companions = ['', '-wal', '-shm', '-journal', '-migration', '-migration-journal'];

/** Windows has no such file modes. */
const hasModes = process.platform !== 'win32';

/**
 * Creates the file if it is missing, with a mode that allows only its owner, whatever the umask. SQLite gives its own
 * files beside it the mode of the database. An existing file stays as it is.
 * @throws {StorageError} when its folder is missing
 */
export function createPrivateFile(path: string): void {
  if (existsSync(path)) return;
  if (!existsSync(dirname(path))) {
    throw new StorageError(
      `The folder of the SQLite file ${path} does not exist. Create it, or change database_url.`,
    );
  }
  try {
    // Appending follows a symbolic link, and does not change what another process has created meanwhile.
    closeSync(openSync(path, 'a', 0o600));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new StorageError(
      `The SQLite file ${path} can't be written (${code}). Check the permissions of the file and of its folder.`,
    );
  }
}

/**
 * Removes all rights of others from files that everybody can read or write, as earlier versions created them. A file that
 * only a group may use stays as its operator made it, and so does one of another owner.
 */
export function restrictToOwner(path: string): void {
  for (const { file, mode, isOurs } of modesOf(path)) {
    if ((mode & 0o007) !== 0 && isOurs) chmodSync(file, mode & 0o700);
  }
}

/** Returns the files that others than their owner can read or write. */
export const sharedFiles = (path: string): string[] =>
  modesOf(path)
    .filter(({ mode }) => (mode & 0o077) !== 0)
    .map(({ file }) => file);

function modesOf(path: string): { file: string; mode: number; isOurs: boolean }[] {
  if (!hasModes || !existsSync(path)) return [];
  const real = realpathSync(path);
  const user = process.geteuid?.();
  return companions.flatMap(suffix => {
    const file = `${real}${suffix}`;
    const found = statSync(file, { throwIfNoEntry: false });
    if (!found?.isFile()) return [];
    return { file, mode: found.mode & 0o777, isOurs: user === 0 || user === found.uid };
  });
}
