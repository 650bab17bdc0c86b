import { chmod, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { emptyFolder, svc } from './support.ts';

/** Runs `svc init` where this is what new files may not have. */
async function init(args: string[], cwd: string, umask = 0o022) {
  const former = process.umask(umask);
  try {
    return await svc(['init', '--yes', ...args], { cwd });
  } finally {
    process.umask(former);
  }
}

async function modesIn(folder: string): Promise<string[]> {
  const files = ['svc.toml', 'svc.secrets.env'].map(name => stat(join(folder, name)));
  return (await Promise.all(files)).map(({ mode }) => (mode & 0o777).toString(8));
}

const isWindows = process.platform === 'win32';

const read = (folder: string) =>
  Promise.all(['svc.toml', 'svc.secrets.env'].map(name => readFile(join(folder, name), 'utf8')));

test('init writes both files once, keeps those that are there, and replaces them when told so', async () => {
  const cwd = await emptyFolder();
  const first = await init([], cwd, 0o077);
  expect(first).toMatchObject({
    code: 0,
    stdout:
      'svc.secrets.env written.\nsvc.toml written.\nNext: npx svc migrate, npx svc validate, npx svc serve.\n',
  });
  const files = await read(cwd);
  // The secrets are for their owner alone, whatever the umask.
  if (!isWindows) expect(await modesIn(cwd)).toEqual(['644', '600']);

  // What it wrote is a configuration without a fault.
  const { config, filesRead } = loadConfig({ cwd, env: {} });
  expect(filesRead).toHaveLength(2);
  expect(config.databaseUrl.reveal()).toBe('sqlite+aiosqlite:///./svc.db');
  // 64 bytes, URL-safe (SPEC §1).
  expect(config.jwtSecret.reveal()).toMatch(/^[A-Za-z0-9_-]{86}$/);
  expect(files[0]).not.toContain(config.jwtSecret.reveal());

  const second = await init([], cwd);
  expect(second).toMatchObject({
    code: 0,
    stdout:
      'svc.secrets.env is there already and stays as it is.\nsvc.toml is there already and stays as it is.\n',
  });
  expect(await read(cwd)).toEqual(files);

  await chmod(join(cwd, 'svc.secrets.env'), 0o666);
  const forced = await init(['--force'], cwd, 0);
  expect(forced).toMatchObject({ code: 0, stdout: first.stdout });
  const [toml, secrets] = await read(cwd);
  expect(toml).toBe(files[0]);
  expect(secrets).not.toBe(files[1]);
  if (!isWindows) expect(await modesIn(cwd)).toEqual(['644', '600']);
});

test('a target that is missing is one clear line', async () => {
  expect(await svc(['init', '--yes', '--target', 'missing'])).toEqual({
    code: 1,
    stdout: '',
    stderr: 'The folder missing does not exist. Make it first.\n',
  });
});

test('a target where nothing can be written is one clear line', async () => {
  const cwd = await emptyFolder();
  await writeFile(join(cwd, 'file'), '');
  const { code, stderr } = await svc(['init', '--yes', '--target', 'file'], { cwd });
  expect([code, stderr]).toEqual([1, "file/svc.secrets.env can't be written (ENOTDIR).\n"]);
});
