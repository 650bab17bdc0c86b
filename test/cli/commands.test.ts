import { chmod, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buildSchema } from 'graphql';
import { describe, expect, test } from 'vitest';
import { parseDatabaseUrl } from '../../src/config/database-url.ts';
import { openStorage } from '../../src/storage/open.ts';
import { withSqlite } from '../support/admin.ts';
import { storageOptions } from '../support/storage.ts';
import { emptyFolder, installedFolder, jwtSecret, svc } from './support.ts';

/** Every command of CONTRACT §8, with what it must be given. */
const commands: [command: string, required: string[]][] = [
  ['init', []],
  ['validate', []],
  ['oauth setup', []],
  ['serve', []],
  ['check', ['http://127.0.0.1:1']],
  ['migrate', []],
  ['create-admin', ['--email', 'ada@example.org']],
  ['user show', ['--email', 'ada@example.org']],
  ['user unlock', ['--email', 'ada@example.org']],
  ['user revoke', ['--email', 'ada@example.org']],
  ['user disable', ['--email', 'ada@example.org']],
  ['user enable', ['--email', 'ada@example.org']],
  ['user disable-mfa', ['--email', 'ada@example.org']],
  ['user resend-verification', ['--email', 'ada@example.org']],
  ['user send-reset', ['--email', 'ada@example.org']],
  ['user delete', ['--email', 'ada@example.org']],
  ['passwords build-filter', ['source.txt', '--output', 'known.filter']],
  ['mail preview', []],
  ['locale list', []],
  ['outbox list', []],
  ['webhook list', []],
  ['webhook test', ['crm']],
  ['webhook enable', ['crm']],
  ['webhook replay', ['crm']],
  ['outbox retry', ['--dead']],
  ['outbox drop', ['--dead']],
  ['audit', []],
  ['keys list', []],
  ['token inspect', []],
  ['api-key list', ['--email', 'ada@example.org']],
  ['purge', []],
  ['schema', []],
  ['documents', []],
];

/** The rest of an error when the hint where to find help is taken away. */
const complaint = (stderr: string) => stderr.replace(/\(svc --help [^)]*\)\n?/, '').trimEnd();

test('the help lists every command', async () => {
  const { code, stdout } = await svc(['--help']);
  expect(code).toBe(0);
  const listed = [...stdout.matchAll(/^ {2}([a-z-]+)(?= |\n)/gm)].map(match => match[1]!);
  const names = new Set(commands.map(([command]) => command.split(' ')[0]!));
  expect(new Set(listed)).toEqual(new Set([...names, 'help']));
});

describe.each(commands)('svc %s', (command, required) => {
  test('has help, which is no failure', async () => {
    const { code, stdout, stderr } = await svc([...command.split(' '), '--help']);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(
      new RegExp(
        `^Usage: svc ${command} \\[options\\]( \\[(address|kind|id)\\]| <(source|name|url)>)?\\n\\n\\S`,
      ),
    );
  });

  test('refuses an option and an argument that it does not know, in one clear line', async () => {
    for (const [extra, line] of [
      [['--colour'], "error: unknown option '--colour'"],
      [['extra'], /^error: too many arguments for '\S+'\. Expected [01] arguments? but got [12]/],
    ] as const) {
      // It takes one argument, which need not be given.
      const first = command === 'mail preview' ? ['verification'] : [];
      const { code, stdout, stderr } = await svc([...command.split(' '), ...first, ...required, ...extra]);
      expect([code, stdout]).toEqual([1, '']);
      expect(complaint(stderr)).toMatch(line);
      expect(complaint(stderr)).not.toContain('\n');
    }
  });
});

test.each(commands.filter(([, required]) => required.length > 0))(
  'svc %s asks for what it needs, in one clear line',
  async command => {
    const { code, stdout, stderr } = await svc(command.split(' '));
    expect([code, stdout]).toEqual([1, '']);
    const [group] = command.split(' ') as [string];
    const options: Record<string, string> = { passwords: "'--output <file>'", outbox: "'--dead', or an id," };
    const positional: Record<string, string> = { webhook: 'name', check: 'url' };
    expect(complaint(stderr)).toBe(
      positional[group]
        ? `error: missing required argument '${positional[group]}'`
        : `error: required option ${options[group] ?? "'--email <address>'"} not specified`,
    );
  },
);

test.each(commands.filter(([command]) => command.startsWith('user ')))(
  'svc %s takes an id in place of the address, and not both',
  async command => {
    const both = ['--email', 'ada@example.org', '--id', 'x'];
    const { code, stderr } = await svc([...command.split(' '), ...both]);
    expect(code).toBe(1);
    expect(complaint(stderr)).toBe(
      "error: option '--id <id>' cannot be used with option '--email <address>'",
    );
    const extra = await svc([...command.split(' '), 'ada@example.org', '--id', 'x']);
    expect(complaint(extra.stderr)).toMatch(/^error: too many arguments/);
  },
);

describe.each(['user show', 'user unlock', 'user revoke', 'user disable-mfa', 'purge'])('svc %s', command => {
  test('says that the database has no tables yet, and which command makes them', async () => {
    const args = command === 'purge' ? [] : ['--email', 'ada@example.org'];
    const { code, stdout, stderr } = await svc([...command.split(' '), ...args]);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^read .*\n.*svc migrate\.\n$/);
  });
});

test('a command that is not there is said so, with where to look', async () => {
  const { code, stderr } = await svc(['sevre']);
  expect(code).toBe(1);
  expect(stderr).toContain("unknown command 'sevre'");
  expect(stderr).toContain('svc --help');
});

describe('the configuration', () => {
  test('is told with everything that is wrong, at once, and no secret', async () => {
    const env = { SVC_JWT_SECRET: 'hunter2', SVC_PORT: 'eighty', SVC_TRANSPORT: 'cookie' };
    const { code, stdout, stderr } = await svc(['serve'], { env });
    expect(code).toBe(1);
    expect(stdout).toBe('');
    const [first, ...problems] = stderr.trimEnd().split('\n');
    expect(first).toBe("The configuration can't be used:");
    expect(problems.sort()).toEqual([
      expect.stringMatching(/^ {2}environment: SVC_JWT_SECRET: must have at least 32/),
      expect.stringMatching(/^ {2}environment: SVC_PORT: must be a whole number/),
      expect.stringMatching(/^ {2}environment: SVC_TRANSPORT: must be bearer/),
    ]);
    expect(stderr).not.toContain('hunter2');
  });

  test.each(['--config', '--secrets'])('a file that %s names must be there', async option => {
    const { code, stderr } = await svc(['migrate', option, 'absent']);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^The configuration can't be used:\n {2}\S+absent: file: does not exist\n$/);
  });

  test('comes from the files that --config and --secrets name, and they are told', async () => {
    const cwd = await emptyFolder();
    const [config, secrets] = [join(cwd, 'named.toml'), join(cwd, 'named.env')];
    await writeFile(config, 'app_name = "Named"\n');
    await writeFile(secrets, `SVC_DATABASE_URL=sqlite+aiosqlite:///./named.db\n`);
    await chmod(secrets, 0o600);
    const result = await svc(['migrate', '--config', 'named.toml', '--secrets', 'named.env'], { cwd });
    expect(result).toMatchObject({ code: 0, stdout: expect.stringMatching(/^The schema is up to date: /) });
    expect(result.stderr).toContain(`read ${config} and ${secrets}\n`);
    const storage = await openStorage(parseDatabaseUrl(`sqlite:///${cwd}/named.db`, 'svc'), storageOptions());
    expect(await storage.readSchemaState()).toBe('current');
    await storage.close();
  });
});

describe('the database', () => {
  test('is brought up to date by migrate, as often as it is asked', async () => {
    const cwd = await emptyFolder();
    const first = await svc(['migrate'], { cwd });
    expect(first).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(
        /^The schema is up to date: (1 migration was|\d+ migrations were) applied\.\n$/,
      ),
    });
    const second = await svc(['migrate'], { cwd });
    expect(second).toMatchObject({ code: 0, stdout: 'The schema is up to date: nothing to do.\n' });
  });

  test('is not made by a command that looks at it', async () => {
    const cwd = await emptyFolder();
    const env = {
      SVC_LOGIN_RATE_LIMIT: '5/minute',
      SVC_MAIL_STORE: 'database',
      SVC_DATA_ENCRYPTION_KEY: 'A'.repeat(43),
    };
    for (const args of [['purge'], ['outbox', 'list'], ['user', 'show', 'ada@example.org']]) {
      const { code, stdout, stderr } = await svc(args, { cwd, env });
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toContain(
        `\nThere is no SQLite file ${join(cwd, 'svc.db')}: run this command in the service's folder, or`,
      );
    }
    expect(await readdir(cwd)).toEqual([]);
    await writeFile(join(cwd, 'svc.db'), '');
    expect((await svc(['purge'], { cwd, env })).stderr).toContain(
      '\nThe database schema is not installed, or is older than this version: run svc migrate.\n',
    );
  });

  test('that lacks a column is told by its name, not only by the code of the database', async () => {
    const cwd = await installedFolder();
    await withSqlite(join(cwd, 'svc.db'), file => file.exec('alter table users drop column phone_number'));
    const { code, stderr } = await svc(['user', 'show', 'ada@example.org'], { cwd });
    expect([code, stderr.split('\n').at(-2)]).toEqual([
      1,
      'The database refused a statement (SQLITE_ERROR): the column users.phone_number is missing: svc validate names every difference.',
    ]);
  });

  test('that cannot be reached is one clear line without its password', async () => {
    const env = { SVC_DATABASE_URL: 'postgresql+asyncpg://ada:hunter2@127.0.0.1:1/accounts' };
    const { code, stdout, stderr } = await svc(['migrate'], { env });
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain('PostgreSQL at 127.0.0.1:1 is unreachable (ECONNREFUSED). Check that it runs');
    expect(stderr).not.toMatch(/hunter2|^ +at /m);
    const another = await svc(['user', 'show', 'ada@example.org'], { env });
    expect(another).toEqual({ code, stdout, stderr });
  });

  test('loses what ended more than a day ago when it is purged, and nothing else', async () => {
    const cwd = await emptyFolder();
    const url = `sqlite+aiosqlite:///${cwd}/svc.db`;
    const storage = await openStorage(parseDatabaseUrl(url, 'svc'), storageOptions());
    await storage.install();
    const { blacklist, pending } = storage.repositories;
    const days = (count: number) => new Date(Date.now() + count * 86_400_000);
    await blacklist.add({ jti: 'long gone', exp: days(-2) });
    await blacklist.add({ jti: 'gone too', exp: days(-1.1) });
    await blacklist.add({ jti: 'just ended', exp: days(-0.9) });
    const row = {
      userId: null,
      hashedPassword: 'h',
      passwordForm: null,
      fullName: null,
      createdAt: days(-9),
      expiresAt: days(-8),
      isContested: false,
      claimedAt: null,
      fields: null,
      fieldsAt: null,
      locale: null,
    };
    await pending.add({ ...row, email: 'ada@example.org', tokenHash: 'a' });
    await storage.close();

    const { code, stdout } = await svc(['purge'], { env: { SVC_DATABASE_URL: url } });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^pending: 1 removed$/m);
    expect(stdout).toMatch(/^blacklist: 2 removed$/m);
    expect(stdout).toMatch(/^attempts: 0 removed$/m);
  });
});

test('schema prints the schema of this configuration, and nothing else, on standard output', async () => {
  const { code, stdout } = await svc(['schema'], { env: { SVC_ENABLE_PASSWORD_RESET: 'false' } });
  expect(code).toBe(0);
  const mutations = buildSchema(stdout).getMutationType()!.getFields();
  expect(Object.keys(mutations)).toContain('login');
  expect(Object.keys(mutations)).not.toContain('resetPassword');
  expect(stdout).not.toContain(jwtSecret);
});
