import { chmod, mkdir, readdir, readFile, readlink, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { defaultAnswers } from '../../src/cli/answers.ts';
import { secretsOf, tomlOf, withoutSecrets } from '../../src/cli/init-files.ts';
import { loadConfig } from '../../src/config/load.ts';
import { emptyFolder, svc } from './support.ts';

/** Runs `svc init` where this is what new files may not have. */
async function init(
  args: string[],
  cwd: string,
  { umask = 0o022, env = {} }: { umask?: number; env?: Record<string, string> } = {},
) {
  const former = process.umask(umask);
  try {
    return await svc(['init', '--yes', ...args], { cwd, env });
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
  const first = await init([], cwd, { umask: 0o077 });
  expect(first).toMatchObject({
    code: 0,
    stdout:
      'svc.secrets.env written.\nsvc.toml written.\nNext: npx gatehouse-auth migrate, npx gatehouse-auth validate, npx gatehouse-auth serve.\n',
  });
  const files = await read(cwd);
  // The secrets are for their owner alone, whatever the umask.
  if (!isWindows) expect(await modesIn(cwd)).toEqual(['644', '600']);

  // The written configuration is valid.
  const { config, filesRead } = loadConfig({ cwd, env: {} });
  expect(filesRead).toHaveLength(2);
  expect(config.databaseUrl.reveal()).toBe('sqlite:///./svc.db');
  // 64 bytes, URL-safe (SPEC §1).
  expect(config.jwtSecret.reveal()).toMatch(/^[A-Za-z0-9_-]{86}$/);
  expect(files[0]).not.toContain(config.jwtSecret.reveal());
  // A new deployment starts with today's standard.
  expect(config).toMatchObject({
    ...{ enableTotp: true, enablePasskeys: true, enableSessionList: true, recentSignInForLinks: true },
    ...{ notifyNewSignIn: true, recentSignInForAdministration: true, emailChangeNeedsAccount: true },
    replaceSessionAtSignIn: true,
    ...{ maxConsecutiveFailures: 100, jwtAudience: 'http://localhost:8000' },
    mailStore: 'database',
    mfaRequired: 'off',
  });
  // There is no application to which the pages could lead.
  expect(config.homeUrl).toBeUndefined();
  expect(config.dataEncryptionKey!.reveal()).toMatch(/^[A-Za-z0-9_-]{43}$/);
  expect(files[0]).not.toContain(config.dataEncryptionKey!.reveal());
  const limits = Object.entries(config).filter(
    ([name]) => name.endsWith('RateLimit') && name !== 'introspectRateLimit',
  );
  expect(limits.filter(([, items]) => (items as unknown[]).length === 0)).toEqual([]);

  const second = await init([], cwd);
  expect(second).toMatchObject({
    code: 0,
    stdout:
      'svc.secrets.env already exists and was not changed.\nsvc.toml already exists and was not changed.\n',
  });
  expect(await read(cwd)).toEqual(files);

  await chmod(join(cwd, 'svc.secrets.env'), 0o666);
  const forced = await init(['--force'], cwd, { umask: 0 });
  const kept = (name: string) =>
    `${name} keeps the former secrets: set SVC_DATA_ENCRYPTION_KEY_PREVIOUS to its SVC_DATA_ENCRYPTION_KEY, so that stored data stay readable.\n`;
  expect(forced).toMatchObject({ code: 0, stdout: kept('svc.secrets.env.old') + first.stdout });
  const [toml, secrets] = await read(cwd);
  expect(toml).toBe(files[0]);
  expect(secrets).not.toBe(files[1]);
  if (!isWindows) expect(await modesIn(cwd)).toEqual(['644', '600']);
  const old = join(cwd, 'svc.secrets.env.old');
  expect(await readFile(old, 'utf8')).toBe(files[1]);
  if (!isWindows) expect((await stat(old)).mode & 0o777).toBe(0o600);

  // Nothing is lost by a third time.
  expect((await init(['--force'], cwd)).stdout).toContain(kept('svc.secrets.env.old.2'));
  expect(await readFile(old, 'utf8')).toBe(files[1]);
  expect(await readFile(`${old}.2`, 'utf8')).toBe(secrets);
});

test('settings whose package is not installed are there to be switched on later', () => {
  const toml = tomlOf(defaultAnswers, { limiter: false, passkeys: false });
  expect(toml).toContain(
    '# Passkeys: npm install @simplewebauthn/server, then take the # away.\n# enable_passkeys = true\n',
  );
  expect(toml).toContain('# login_passkey_rate_limit = ');
  expect(toml).not.toMatch(/^(enable_passkeys|\w+_rate_limit)/m);
  const features = { ...defaultAnswers.features, enable_passkeys: false };
  const without = tomlOf({ ...defaultAnswers, features }, { limiter: false, passkeys: false });
  expect(without).toContain('\nenable_passkeys = false\n');
  expect(without).not.toContain('npm install @simplewebauthn/server');
});

test('a preview shows no secret', () => {
  const text = secretsOf(defaultAnswers);
  expect(withoutSecrets(text)).toContain('\nSVC_JWT_SECRET=<hidden>\n');
  expect(withoutSecrets(text)).toContain('\nSVC_DATA_ENCRYPTION_KEY=<hidden>\n');
  expect(withoutSecrets(text)).not.toMatch(/[\w-]{43}/);
});

test('a target that is missing is one clear line', async () => {
  expect(await svc(['init', '--yes', '--target', 'missing'])).toEqual({
    code: 1,
    stdout: '',
    stderr: 'The folder missing does not exist. Create it first.\n',
  });
});

test('a target where nothing can be written is one clear line', async () => {
  const cwd = await emptyFolder();
  await writeFile(join(cwd, 'file'), '');
  const { code, stderr } = await svc(['init', '--yes', '--target', 'file'], { cwd });
  expect([code, stderr]).toEqual([1, "file/svc.secrets.env can't be written (ENOTDIR).\n"]);
});

describe('.gitignore', () => {
  /** A folder in a repository of its own, so that nothing above it counts. */
  async function repository(files: Record<string, string>): Promise<string> {
    const cwd = await emptyFolder();
    await mkdir(join(cwd, '.git'));
    for (const [name, text] of Object.entries(files)) await writeFile(join(cwd, name), text);
    return cwd;
  }
  const ignored = (cwd: string) => readFile(join(cwd, '.gitignore'), 'utf8');
  const line = '.gitignore: svc.secrets.env and svc.db* added, as they must not be committed.\n';

  test.each([
    ['', ''],
    ['node_modules\n', 'node_modules\n'],
    ['node_modules', 'node_modules\n'],
    ['# svc.secrets.env\n', '# svc.secrets.env\n'],
    ['*.env\n!svc.secrets.env\n', '*.env\n!svc.secrets.env\n'],
    ['config/svc.secrets.env\n', 'config/svc.secrets.env\n'],
    ['svc-secrets-env\n', 'svc-secrets-env\n'],
    // A folder.
    ['svc.secrets.env/\n', 'svc.secrets.env/\n'],
    // What SQLite has not yet moved into the file is in another.
    ['*.db\n', '*.db\n'],
  ])('of %j gets the secrets file and the database, once', async (before, kept) => {
    const cwd = await repository({ '.gitignore': before });
    expect((await init([], cwd)).stdout).toContain(line);
    const after = `${kept}svc.secrets.env\nsvc.db*\n`;
    expect(await ignored(cwd)).toBe(after);
    const again = await init([], cwd);
    expect(again.stdout).not.toContain('.gitignore');
    expect(await ignored(cwd)).toBe(after);
  });

  test('gets the former secrets, too, once they are kept', async () => {
    const cwd = await repository({ '.gitignore': 'svc.secrets.env\nsvc.db*\n' });
    await init([], cwd);
    await init(['--force'], cwd);
    expect(await ignored(cwd)).toBe('svc.secrets.env\nsvc.db*\nsvc.secrets.env.old\n');
  });

  test('keeps its line ends', async () => {
    const cwd = await repository({ '.gitignore': 'node_modules\r\ndist\r\n' });
    await init([], cwd);
    expect(await ignored(cwd)).toBe('node_modules\r\ndist\r\nsvc.secrets.env\r\nsvc.db*\r\n');
  });

  test.each([
    'svc.secrets.env\nsvc.db*\n',
    '/svc.secrets.env\n*.db\n*.db-*',
    '**/svc.secrets.env\r\n/svc.*\r\n',
    'a\n*.env  \nsvc.db?wal\n*.db-shm\nsvc.db-journal\nsvc.db\n',
    '!*.env\n*.secrets.*\n*.db*\n',
    'svc.*',
    '*\n!src\n',
  ])('of %j stays as it is', async before => {
    const cwd = await repository({ '.gitignore': before });
    expect((await init([], cwd)).stdout).not.toContain('.gitignore');
    expect(await ignored(cwd)).toBe(before);
  });

  test.each([
    ['sqlite:///./data/shop.db', 'shop.db*'],
    ['sqlite:///./shop #1.db', 'shop??1.db*'],
  ])('gets the file of %s', async (url, pattern) => {
    const cwd = await repository({});
    const env = { SVC_DATABASE_URL: url };
    const { stdout } = await init([], cwd, { env });
    expect(stdout).toContain(`.gitignore: svc.secrets.env and ${pattern} added, as they must`);
    expect(await ignored(cwd)).toBe(`svc.secrets.env\n${pattern}\n`);
    expect((await init([], cwd, { env })).stdout).not.toContain('.gitignore');
  });

  test.each(['data/', '/data', 'data/*', 'data/**', '**/data/shop.*', 'shop.*'])(
    'gets no file that it ignores as %j',
    async pattern => {
      const cwd = await repository({ '.gitignore': `*.env\n${pattern}\n` });
      const env = { SVC_DATABASE_URL: 'sqlite:///./data/shop.db' };
      expect((await init([], cwd, { env })).stdout).not.toContain('.gitignore');
    },
  );

  test.each([
    'postgresql://svc@localhost/svc',
    'mongodb://localhost/svc',
    'sqlite:///:memory:',
    'sqlite:///../outside.db',
    'no URL',
  ])('gets the secrets file alone with %s', async url => {
    const cwd = await repository({});
    const { stdout } = await init([], cwd, { env: { SVC_DATABASE_URL: url } });
    expect(stdout).toContain('.gitignore: svc.secrets.env added, as it must not be committed.\n');
    expect(await ignored(cwd)).toBe('svc.secrets.env\n');
  });

  test('is made at the root of a repository that has none, and nowhere else', async () => {
    const cwd = await repository({});
    await mkdir(join(cwd, 'settings'));
    expect((await init(['--target', 'settings'], cwd)).stdout).toContain(line);
    expect(await ignored(cwd)).toBe('svc.secrets.env\nsvc.db*\n');
    const outside = await emptyFolder();
    expect((await init([], outside)).stdout).not.toContain('.gitignore');
    expect(await readdir(outside)).not.toContain('.gitignore');
  });

  test('gets its lines, too, where the files are there already', async () => {
    const cwd = await repository({});
    await init([], cwd);
    await writeFile(join(cwd, '.gitignore'), 'dist\n');
    expect((await init([], cwd)).stdout).toContain(line);
    expect(await ignored(cwd)).toBe('dist\nsvc.secrets.env\nsvc.db*\n');
  });

  test('is that of the repository, where the folder has none of its own', async () => {
    // The pattern that is there names a file of the root alone.
    const cwd = await repository({ '.gitignore': '/svc.secrets.env\n' });
    await mkdir(join(cwd, 'settings'));
    const { stdout } = await init(['--target', 'settings'], cwd);
    expect(stdout).toContain(line);
    expect(await ignored(cwd)).toBe('/svc.secrets.env\nsvc.secrets.env\nsvc.db*\n');
  });

  test('above the folder is left alone where there is no repository', async () => {
    const cwd = await emptyFolder();
    await mkdir(join(cwd, 'settings'));
    await writeFile(join(cwd, '.gitignore'), 'dist\n');
    expect((await init(['--target', 'settings'], cwd)).stdout).not.toContain('.gitignore');
    expect(await ignored(cwd)).toBe('dist\n');
  });

  test.skipIf(isWindows)('keeps its rights, and a link to it stays one', async () => {
    const cwd = await repository({ shared: 'dist\n' });
    await chmod(join(cwd, 'shared'), 0o640);
    await symlink('shared', join(cwd, '.gitignore'));
    await init([], cwd);
    expect(await readlink(join(cwd, '.gitignore'))).toBe('shared');
    expect(await ignored(cwd)).toBe('dist\nsvc.secrets.env\nsvc.db*\n');
    expect((await stat(join(cwd, 'shared'))).mode & 0o777).toBe(0o640);
  });
});

test('in a package the next step is to mount it', async () => {
  const cwd = await emptyFolder();
  await writeFile(join(cwd, 'package.json'), '{}');
  const { stdout } = await init([], cwd);
  expect(stdout).toMatch(/^Next: npx gatehouse-auth migrate, npx gatehouse-auth validate\.$/m);
  expect(stdout).toMatch(/^Then mount it in your application: .* = await createGatehouse\(\);$/m);
  expect(stdout).toMatch(/docs\/embedding\.md .*npx gatehouse-auth serve\.$/m);
  // The pages lead back to the application.
  expect(loadConfig({ cwd, env: {} }).config.homeUrl).toBe('/');

  await mkdir(join(cwd, 'settings'));
  const elsewhere = (await init(['--target', 'settings'], cwd)).stdout;
  expect(elsewhere).toMatch(/^Next, in settings: /m);
  expect(elsewhere).toContain(
    "createGatehouse({ configFile: 'settings/svc.toml', secretsFile: 'settings/svc.secrets.env' })",
  );
  // The commands that it names work there.
  const files = {
    configFile: join(cwd, 'settings/svc.toml'),
    secretsFile: join(cwd, 'settings/svc.secrets.env'),
  };
  expect(loadConfig({ cwd: await emptyFolder(), env: {}, ...files }).filesRead).toHaveLength(2);
});
