import { execFile } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { jwtSecret, svc as runSvc } from '../../cli/support.ts';
import { type App, type Member, signUp, startApp } from '../../support/app.ts';
import { built } from '../../support/built.ts';

let app: App;
let member: Member;
let databaseUrl: string;
beforeAll(async () => {
  const folder = await mkdtemp(join(inject('temporaryFolder'), 'cli-audit-'));
  databaseUrl = `sqlite+aiosqlite:///${join(folder, 'gatehouse.db')}`;
  app = await startApp({ databaseUrl, settings: { auditStore: 'database' } });
  member = await signUp(app);
});
afterAll(() => app?.close());

const stored = { SVC_AUDIT_STORE: 'database' };
const svc = (args: string[], env: Record<string, string> = stored) =>
  runSvc(args, { env: { SVC_JWT_SECRET: jwtSecret, SVC_DATABASE_URL: databaseUrl, ...env } });
const records = async (...args: string[]) =>
  (await svc(['audit', '--json', ...args])).stdout
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line));

test('commands leave records with the user of the operating system, refused ones and looks too', async () => {
  const disabled = await svc(['user', 'disable', member.email]);
  // The record is in the database, and so not on standard error.
  expect([disabled.code, disabled.stderr]).toEqual([0, expect.not.stringContaining('audit')]);
  expect((await svc(['create-admin', '--email', 'nobody@example.org'])).code).toBe(1);
  const actor = expect.stringContaining(userInfo().username);
  const by = { by: 'cli', actor, ip: null };
  const since = new Date(Date.now() - 3_600_000).toISOString();
  expect(await records('--since', since, '--until', '2039-01-01')).toMatchObject([
    { ...by, operation: 'auditRecords', outcome: 'ok' },
    { ...by, operation: 'createAdmin', outcome: 'refused', code: 'invalid_input' },
    { ...by, operation: 'adminUpdateUser', subject: member.id, changes: ['is_active:false'] },
  ]);
});

test('svc migrate and svc purge leave records of what they did', async () => {
  const since = new Date(Date.now() - 1).toISOString();
  const { blacklist } = app.gatehouse.repositories;
  const longAgo = new Date(Date.now() - 3 * 86_400_000);
  await blacklist.add({ jti: 'gone', exp: longAgo });
  await blacklist.add({ jti: 'gone too', exp: longAgo });
  expect((await svc(['migrate'])).code).toBe(0);
  expect((await svc(['purge'])).stdout).toContain('blacklist: 2 removed\n');
  const by = { by: 'cli', actor: expect.stringContaining(userInfo().username), outcome: 'ok', subject: null };
  // A look of the test before may be of the same millisecond.
  const all = await records('--since', since, '--until', '2039-01-01');
  const made = all.filter(({ operation }) => operation !== 'auditRecords');
  expect(made).toMatchObject([
    { ...by, operation: 'purge', changes: ['blacklist:2'] },
    { ...by, operation: 'migrate', changes: [] },
  ]);
  // The hourly purge of a server has no actor.
  await app.gatehouse.purgeExpired();
  expect(await records('--operation', 'purge')).toHaveLength(1);
});

test('svc audit prints a line for each record that the options select, or a JSON object', async () => {
  const { stdout } = await svc(['audit', '--subject', member.id, '--operation', 'login', '--outcome', 'ok']);
  expect(stdout).toMatch(
    new RegExp(`^[0-9a-f-]{36}  \\S+Z  login: ok, by self, on ${member.id}, from 127\\.0\\.0\\.1\\n$`),
  );
  expect(await records('--subject', member.id, '--operation', 'login')).toMatchObject([
    { operation: 'login', subject: member.id, count: 1 },
  ]);
  expect((await svc(['audit', '--actor', 'nobody'])).stdout).toBe('No record matches.\n');
  expect((await svc(['audit', '--subject', 'Mistyped@example.org'])).stdout).toBe(
    'No record matches.\nThere is no account with the address mistyped@example.org; records of a deleted account have its id.\n',
  );
  const wrong = await svc(['audit', '--since', 'yesterday']);
  expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('since must be a time')]);
});

test('svc audit says where records are while they are in the log, and svc purge counts what it removes', async () => {
  const { code, stderr } = await svc(['audit'], {});
  expect([code, stderr]).toEqual([1, expect.stringContaining('set audit_store = "database"')]);
  expect((await svc(['purge'])).stdout).toContain('audit: 0 removed\n');
  expect((await svc(['validate'])).stdout).toMatch(
    /audit .*records are in the database for 365 days: the latest is of /,
  );
});

test('a reader who has seen enough ends svc audit, and disturbs no other command', async () => {
  const { audit } = app.gatehouse.repositories;
  const at = new Date(Date.now() - 86_400_000);
  const record = { at, operation: 'login', by: 'self', outcome: 'ok', count: 1 } as const;
  const nothing = {
    actor: null,
    subject: null,
    code: null,
    changes: null,
    ip: null,
    device: null,
    fold: null,
  };
  for (let i = 0; i < 600; i++)
    await audit.add({ ...nothing, ...record, id: `0${i}`, requestId: 'r'.repeat(200) });
  const env = { ...process.env, ...stored, SVC_JWT_SECRET: jwtSecret, SVC_DATABASE_URL: databaseUrl };
  const main = await built('svc');
  for (const command of ['audit', 'validate']) {
    const pipe = `{ "$0" "$1" ${command}; echo "code $?" >&2; } | head -n 1`;
    const { stdout, stderr } = await promisify(execFile)('sh', ['-c', pipe, process.execPath, main], { env });
    expect(stdout.split('\n')).toHaveLength(2);
    expect([command, stderr]).toEqual([command, expect.stringMatching(/^code [01]$/m)]);
    expect(stderr).not.toContain('EPIPE');
  }
});
