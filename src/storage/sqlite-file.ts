import { chmodSync, closeSync, existsSync, openSync, realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { SqliteConnection } from '@mikro-orm/sqlite';
import { StorageError } from './errors.ts';

/** The driver's connection to a file. */
export type BetterSqlite3 = Awaited<ReturnType<SqliteConnection['getNativeClient']>>;

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
