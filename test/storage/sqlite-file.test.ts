import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readdir, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, inject, test } from 'vitest';
import { parseDatabaseUrl } from '../../src/config/database-url.ts';
import { openStorage } from '../../src/storage/open.ts';
import { storageOptions } from '../support/storage.ts';

const run = promisify(execFile);
const script = fileURLToPath(new URL('./print-modes.ts', import.meta.url));
const folder = () => mkdtemp(join(inject('temporaryFolder'), 'modes-'));
const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);
const open = (path: string) => openStorage(parseDatabaseUrl(`sqlite:///${path}`, 'svc'), storageOptions());

/** The modes of the files of a database while a process with this umask has it open. */
async function modesUnder(umask: string, path: string): Promise<Record<string, string>> {
  const command = `umask ${umask}; exec "$0" "$@"`;
  const { stdout } = await run('sh', ['-c', command, process.execPath, script, path]);
  return JSON.parse(stdout);
}

/** The database, its write-ahead log with its index, and the lock of the migration. */
const own = { '': '600', '-wal': '600', '-shm': '600', '-migration': '600' };

describe.skipIf(process.platform === 'win32')('the files of SQLite', () => {
  test.each(['000', '022', '077'])('are for their owner alone under the umask %s', async umask => {
    const parent = await folder();
    await chmod(parent, 0o755);
    expect(await modesUnder(umask, join(parent, 'svc.db'))).toEqual(own);
    expect(await modeOf(parent)).toBe('755');
  });

  test('are for their owner alone where a symbolic link leads, too', async () => {
    const [parent, target] = [await folder(), await folder()];
    await symlink(join(target, 'real.db'), join(parent, 'svc.db'));
    await modesUnder('000', join(parent, 'svc.db'));
    expect(await readdir(target)).toEqual(['real.db']);
    expect(await modeOf(join(target, 'real.db'))).toBe('600');
  });

  test('are closed to others by the next start when everybody can read them', async () => {
    // As earlier versions created them.
    const parent = await folder();
    const path = join(parent, 'svc.db');
    for (const suffix of ['', '-migration']) await writeFile(`${path}${suffix}`, '', { mode: 0o644 });
    await writeFile(join(parent, 'other.txt'), '', { mode: 0o644 });
    expect(await modesUnder('022', path)).toEqual({ ...own, 'other.txt': '644' });
  });

  test('stay as they are when their operator lets a group read them, and svc validate says so', async () => {
    const path = join(await folder(), 'svc.db');
    await writeFile(path, '', { mode: 0o640 });
    const storage = await open(path);
    await storage.install();
    expect(await modeOf(path)).toBe('640');
    expect(await storage.listRemarks()).toEqual(
      [path, `${path}-wal`, `${path}-shm`].map(file => ({
        outcome: 'warn',
        text: `${file} can be read by others, and contains password hashes and addresses: chmod 600 ${file}`,
      })),
    );
    await storage.close();
    await chmod(path, 0o600);
    const again = await open(path);
    expect(await again.listRemarks()).toEqual([]);
    await again.close();
  });

  test('are not changed by a look at them', async () => {
    const path = join(await folder(), 'svc.db');
    await (await open(path)).close();
    await writeFile(path, '');
    await chmod(path, 0o644);
    const storage = await open(path);
    await storage.ping();
    await storage.listRemarks();
    await storage.close();
    expect(await modeOf(path)).toBe('644');
  });
});
