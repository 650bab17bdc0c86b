import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, inject, test } from 'vitest';
import { jwtSecret, svc as runSvc } from '../../cli/support.ts';
import { type App, dataEncryptionKey, signUp, startApp } from '../../support/app.ts';
import { eventually } from '../../support/eventually.ts';
import { storedSettings } from '../../support/outbox.ts';
import { startReceiver, webhookSecret } from '../../support/webhooks.ts';

let app: App;
let receiver: Awaited<ReturnType<typeof startReceiver>>;
let env: Record<string, string>;
beforeAll(async () => {
  receiver = await startReceiver();
  const folder = await mkdtemp(join(inject('temporaryFolder'), 'cli-webhook-'));
  const databaseUrl = `sqlite+aiosqlite:///${join(folder, 'gatehouse.db')}`;
  const url = `${receiver.origin}/crm`;
  app = await startApp({
    databaseUrl,
    settings: {
      ...storedSettings,
      webhooks: { crm: { url, secret: webhookSecret, events: ['user_updated', 'user_deleted'] } },
    },
  });
  env = {
    ...{ SVC_JWT_SECRET: jwtSecret, SVC_DATABASE_URL: databaseUrl, SVC_MAIL_STORE: 'database' },
    SVC_DATA_ENCRYPTION_KEY: dataEncryptionKey,
    ...{ SVC_WEBHOOKS__CRM__URL: url, SVC_WEBHOOKS__CRM__SECRET: webhookSecret },
    SVC_WEBHOOKS__CRM__EVENTS: 'user_updated,user_deleted',
  };
});
afterAll(async () => {
  await app?.close();
  await receiver?.close();
});
afterEach(() => void receiver.behave('/crm', 204));

const svc = (...args: string[]) => runSvc(args, { env });

test('svc webhook list, test, enable and replay do what administration does', async () => {
  const { webhook_endpoints: states } = app.gatehouse.repositories;
  expect((await svc('webhook', 'list')).stdout).toBe(
    `crm  ${receiver.origin}  user_updated, user_deleted: on, 0 waiting, 0 given up\n`,
  );
  const { stdout, code } = await svc('webhook', 'test', 'crm');
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^crm has taken the test, in \d+ ms\.\n$/)]);
  expect(receiver.at('/crm')[0]!.event.type).toBe('webhook_test');
  receiver.behave('/crm', 500);
  const refused = await svc('webhook', 'test', 'crm');
  expect([refused.code, refused.stderr]).toEqual([
    ...[1, expect.stringMatching(/^crm has not taken the test: it answered 500\.$/m)],
  ]);
  await states.switchOff('crm', 'it answered 410: it is gone');
  expect((await svc('webhook', 'list')).stdout).toMatch(/off since \S+Z, because it answered 410/);
  const [json] = (await svc('webhook', 'list', '--json')).stdout.split('\n');
  expect(JSON.parse(json!)).toMatchObject({ name: 'crm', is_off: true });
  expect((await svc('validate')).stdout).toMatch(
    /warn.*webhook.*crm was switched off at .*svc webhook enable crm/,
  );
  expect((await svc('webhook', 'enable', 'crm')).stdout).toBe('The webhook is on, within seconds.\n');
  expect((await svc('webhook', 'replay', 'crm')).stdout).toContain('0 deliveries will be tried again');
  expect((await svc('validate')).stdout).toMatch(/ok.*webhook.*crm gets user_updated, user_deleted at http/);
  for (const act of ['test', 'enable', 'replay'])
    expect(await svc('webhook', act, 'none')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^The configuration has no webhook named none\.$/m),
    });
});

test('an act of the command line is stored, and sent by the service', async () => {
  const { email, id } = await signUp(app);
  expect((await svc('user', 'delete', email, '--yes')).code).toBe(0);
  await eventually(() =>
    expect(receiver.at('/crm').map(({ event }) => [event.type, event.data.user?.id])).toContainEqual([
      ...['user_deleted', id],
    ]),
  );
});

test('svc webhook says so where there is none', async () => {
  const { SVC_JWT_SECRET, SVC_DATABASE_URL } = env;
  const { code, stderr } = await runSvc(['webhook', 'list'], {
    env: { SVC_JWT_SECRET: SVC_JWT_SECRET!, SVC_DATABASE_URL: SVC_DATABASE_URL! },
  });
  expect([code, stderr]).toEqual([1, expect.stringContaining('add a table [webhooks.NAME]')]);
});
