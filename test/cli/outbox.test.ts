import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { type App, dataEncryptionKey, signUp, startApp } from '../support/app.ts';
import { addMessage, storedSettings } from '../support/outbox.ts';
import { copyInstalled } from '../support/sqlite.ts';
import { jwtSecret, svc as runSvc } from './support.ts';

let app: App;
let databaseUrl: string;
beforeEach(async () => {
  const folder = await mkdtemp(join(inject('temporaryFolder'), 'cli-outbox-'));
  await copyInstalled(join(folder, 'gatehouse.db'));
  databaseUrl = `sqlite+aiosqlite:///${join(folder, 'gatehouse.db')}`;
  app = await startApp({ databaseUrl, settings: storedSettings });
});
afterEach(() => app?.close());

const stored = { SVC_MAIL_STORE: 'database', SVC_DATA_ENCRYPTION_KEY: dataEncryptionKey };
const svc = (args: string[], env: Record<string, string> = stored) =>
  runSvc(args, { env: { SVC_JWT_SECRET: jwtSecret, SVC_DATABASE_URL: databaseUrl, ...env } });
const rows = () => app.gatehouse.repositories.outbox;
const ids = async () => (await rows().list({}, { limit: 10 })).map(({ id }) => id);

test('svc outbox list prints each message that waits, and nothing of its content', async () => {
  expect((await svc(['outbox', 'list'])).stdout).toBe('No message waits.\n');
  const dead = await addMessage(app);
  const waiting = await addMessage(app, { state: 'waiting', lastError: 'ECONNREFUSED: the server is away' });
  const { stdout, code } = await svc(['outbox', 'list']);
  expect(code).toBe(0);
  expect(stdout.trimEnd().split('\n')).toHaveLength(2);
  expect(stdout).toMatch(
    new RegExp(
      `^${dead}  \\S+Z  mail password-changed to a\\*\\*\\*@example.org: dead, 1 try, EENVELOPE: refused$`,
      'm',
    ),
  );
  expect(stdout).toMatch(new RegExp(`^${waiting} .*: waiting, 1 try, next at \\S+Z, ECONNREFUSED`, 'm'));
  const { stdout: only } = await svc(['outbox', 'list', '--state', 'dead', '--json']);
  expect(JSON.parse(only)).toMatchObject({ id: dead, state: 'dead', kind: 'mail' });
  expect(stdout + only).not.toContain('ada@');
});

test('svc outbox retry has the service try a message again, and drop deletes one', async () => {
  const id = await addMessage(app);
  expect(await svc(['outbox', 'retry', id])).toMatchObject({
    code: 0,
    stdout: 'The message will be tried within seconds.\n',
  });
  // The command itself sends nothing that it has not stored.
  await app.nextMail('ada@example.org');
  const other = await addMessage(app);
  expect(await svc(['outbox', 'drop', other])).toMatchObject({
    code: 0,
    stdout: 'The message was dropped.\n',
  });
  const { code, stderr } = await svc(['outbox', 'drop', other]);
  expect([code, stderr]).toEqual([1, expect.stringContaining('There is no message with this id')]);
});

test('svc outbox retry and drop --dead act on every message that was given up, and on no other', async () => {
  const waiting = await addMessage(app, { state: 'waiting' });
  await addMessage(app);
  await addMessage(app);
  expect((await svc(['outbox', 'drop', '--dead'])).stdout).toBe('2 messages dropped.\n');
  expect(await ids()).toEqual([waiting]);
  await addMessage(app);
  expect((await svc(['outbox', 'retry', '--dead'])).stdout).toBe('1 message will be tried within seconds.\n');
  expect(await rows().list({ state: 'dead' }, { limit: 10 })).toEqual([]);
  for (const args of [[], ['x', '--dead']]) expect((await svc(['outbox', 'drop', ...args])).code).toBe(1);
});

test('svc outbox says where messages wait while they wait in memory', async () => {
  const { code, stderr } = await svc(['outbox', 'list'], {});
  expect(code).toBe(1);
  expect(stderr).toContain('set mail_store = "database"');
});

test('a command that cannot send its email leaves it to the service', async () => {
  const member = await signUp(app);
  const { code, stderr } = await svc(['user', 'send-reset', member.email], {
    ...stored,
    ...{ SVC_EMAIL__BACKEND: 'smtp', SVC_EMAIL__SMTP_HOST: '127.0.0.1', SVC_EMAIL__SMTP_PORT: '1' },
  });
  expect(code).toBe(1);
  expect(stderr).toContain('It waits in the database, and the service tries it again.');
  const [id] = await ids();
  expect(await rows().find(id!)).toMatchObject({ state: 'waiting', purpose: 'password-reset' });
  await rows().retry(id!, 86_400_000);
  expect((await app.nextMail(member.email)).kind).toBe('password-reset');
});

test('svc purge removes messages that were given up long ago, and no others', async () => {
  await addMessage(app);
  expect((await svc(['purge'])).stdout).toContain('outbox: 0 removed\n');
  const id = await addMessage(app, { state: 'waiting' });
  await rows().purge(new Date(Date.now() + 60_000));
  expect(await ids()).toEqual([id]);
});

test('svc validate says how many messages wait, and warns of those that were given up', async () => {
  const line = async (env?: Record<string, string>) =>
    /^.*mail store.*$/m.exec((await svc(['validate'], env)).stdout)?.[0];
  await addMessage(app, { state: 'waiting' });
  expect(await line()).toContain('messages wait in the database: 1 now');
  await addMessage(app);
  expect(await line()).toContain('1 of the messages were given up: svc outbox list --state dead says why');
  expect(await line({})).toContain('messages wait in memory');
});
