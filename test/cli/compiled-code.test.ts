import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdir, readdir, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { emptyFolder } from './support.ts';

const source = join(import.meta.dirname, '../../src');

/** A package whose code is this one's, and how `svc` of it starts under a umask. */
async function setUp() {
  const folder = await emptyFolder();
  await symlink(source, join(folder, 'src'));
  const cache = join(folder, '.cache');
  return {
    cache,
    /** Starts as somebody who has no folder of compiled code of their own, and returns what the package's one has then. */
    async kept(umask = '022'): Promise<string[]> {
      const main = join(folder, 'src/cli/main.ts');
      const command = `umask ${umask}; exec "$0" --preserve-symlinks-main "${main}" --version`;
      const env = { PATH: process.env.PATH };
      const child = spawn('/bin/sh', ['-c', command, process.execPath], { env, stdio: 'ignore' });
      expect(await once(child, 'close')).toEqual([0, null]);
      return readdir(cache);
    },
  };
}

const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);

test.each(['000', '022', '077'])('compiled code is for its owner alone under the umask %s', async umask => {
  const { cache, kept } = await setUp();
  expect(await kept(umask)).toHaveLength(1);
  expect(await modeOf(cache)).toBe('700');
});

test.each([
  [0o700, 1],
  [0o755, 1],
  [0o775, 0],
  [0o757, 0],
  [0o777, 0],
])('a folder with the mode %o keeps compiled code only where others may not write', async (mode, folders) => {
  const { cache, kept } = await setUp();
  await mkdir(cache);
  await chmod(cache, mode);
  expect(await kept()).toHaveLength(folders);
});

test('a link to a folder of compiled code is not followed', async () => {
  const { cache, kept } = await setUp();
  await symlink(await emptyFolder(), cache);
  expect(await kept()).toEqual([]);
});

test.runIf(process.getuid?.() === 0)('a folder of another user keeps no compiled code', async () => {
  const { cache, kept } = await setUp();
  await mkdir(cache, { mode: 0o700 });
  await chown(cache, 65534, 65534);
  expect(await kept()).toEqual([]);
});
