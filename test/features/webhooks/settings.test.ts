import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { type ConfigSources, loadConfig } from '../../../src/config/load.ts';
import type { ConfigInput } from '../../../src/config/schema.ts';
import { ConfigError, type ConfigProblem } from '../../../src/errors.ts';
import { dataEncryptionKey, jwtSecret } from '../../support/app.ts';
import { otherSecret, webhookSecret } from '../../support/webhooks.ts';

const url = 'https://crm.example/hooks';
const stored = { jwtSecret, mailStore: 'database', dataEncryptionKey } as const;

const load = (webhooks: ConfigInput['webhooks'], sources: ConfigSources = {}) =>
  loadConfig({ arguments: { ...stored, webhooks }, env: {}, cwd: import.meta.dirname, ...sources }).config;

function problemsOf(work: () => unknown): Pick<ConfigProblem, 'key' | 'message'>[] {
  try {
    work();
  } catch (error) {
    if (error instanceof ConfigError) return error.problems.map(({ key, message }) => ({ key, message }));
    throw error;
  }
  return [];
}

test('a webhook has a URL, events and secrets that nothing shows', () => {
  const { crm } = load({
    crm: { url, secret: webhookSecret, secretPrevious: otherSecret, events: ['user_deleted'] },
  }).webhooks;
  expect(crm).toMatchObject({ url, events: ['user_deleted'] });
  expect([crm!.secret!.reveal(), crm!.secretPrevious!.reveal()]).toEqual([webhookSecret, otherSecret]);
  expect(JSON.stringify(crm)).not.toContain('whsec_');
  expect(load({}).webhooks).toEqual({});
});

test.each<[string, NonNullable<ConfigInput['webhooks']>[string], string, RegExp]>([
  ['http elsewhere', { url: 'http://crm.example', secret: webhookSecret }, '.url', /must be an https URL/],
  ['no URL', { url: 'crm', secret: webhookSecret }, '.url', /must be an https URL/],
  ['a password in the URL', { url: 'https://a:b@crm.example', secret: webhookSecret }, '.url', /password/],
  ['an unknown event', { url, secret: webhookSecret, events: ['user_gone' as never] }, '.events', /item 1: /],
  ['the audit trail', { url, secret: webhookSecret, events: ['audit' as never] }, '.events', /item 1: /],
  ['no secret', { url }, '', /SVC_WEBHOOKS__CRM__SECRET/],
  ['a short secret', { url, secret: 'whsec_AAAA' }, '.secret', /24 to 64 bytes.*openssl/],
  ['a secret without its prefix', { url, secret: webhookSecret.slice(6) }, '.secret', /whsec_/],
])('%s is an error at start', (_, webhook, key, message) => {
  expect(problemsOf(() => load({ crm: webhook }))).toEqual([
    { key: `webhooks.crm${key}`, message: expect.stringMatching(message) },
  ]);
});

test('http on loopback is good, a name is plain, and deliveries wait in the database', () => {
  const secret = webhookSecret;
  expect(problemsOf(() => load({ crm: { url: 'http://127.0.0.1:8100/', secret } }))).toEqual([]);
  expect(problemsOf(() => load({ 'my crm': { url, secret } }))[0]!.message).toMatch(/lower-case letters/);
  const inMemory = { jwtSecret, webhooks: { crm: { url, secret } } };
  expect(problemsOf(() => load({}, { arguments: inMemory }))).toEqual([
    { key: 'mail_store', message: 'must be "database" with webhooks, which wait there for their delivery' },
  ]);
});

test('a secret comes from the environment or the secrets file, and from no configuration file', async () => {
  const folder = await mkdtemp(join(inject('temporaryFolder'), 'webhooks-'));
  const write = (extra: string) =>
    writeFile(join(folder, 'svc.toml'), `mail_store = "database"\n[webhooks.crm]\nurl = "${url}"\n${extra}`);
  const secrets = (lines: string) =>
    writeFile(
      join(folder, 'svc.secrets.env'),
      `SVC_JWT_SECRET=${jwtSecret}\nSVC_DATA_ENCRYPTION_KEY=${dataEncryptionKey}\n${lines}`,
      { mode: 0o600 },
    );
  const read = (env = {}) => load(undefined, { arguments: {}, cwd: folder, env });
  await write('');
  await secrets(`SVC_WEBHOOKS__CRM__SECRET=${webhookSecret}`);
  expect(read().webhooks.crm!.secret!.reveal()).toBe(webhookSecret);
  expect(read({ SVC_WEBHOOKS__crm__SECRET: otherSecret }).webhooks.crm!.secret!.reveal()).toBe(otherSecret);
  await write(`secret = "${webhookSecret}"`);
  const [problem] = problemsOf(read);
  expect(problem).toEqual({
    key: 'webhooks.crm.secret',
    message:
      'must not be in the configuration file: set SVC_WEBHOOKS__CRM__SECRET in the environment or the secrets file',
  });
});

test('names the key that a table lacks, and the webhook that it is missing of', async () => {
  const configFile = join(await mkdtemp(join(inject('temporaryFolder'), 'config-')), 'svc.toml');
  await writeFile(configFile, '[webhooks.bar]\nevents = ["user_deleted"]\n');
  const env = { SVC_WEBHOOKS__BAR__SECRET: webhookSecret };
  const sources = { arguments: stored, env };
  expect(problemsOf(() => loadConfig({ ...sources, cwd: import.meta.dirname, configFile }))).toEqual([
    { key: 'webhooks.bar.url', message: 'is required' },
  ]);
  expect(problemsOf(() => load({ bar: {} as never }, { env }))).toEqual([
    { key: 'webhooks.bar.url', message: 'is required' },
  ]);
  const [problem] = problemsOf(() => loadConfig({ ...sources, cwd: import.meta.dirname }));
  expect(problem).toEqual({
    key: 'webhooks.bar.url',
    message: expect.stringMatching(/is required: set SVC_WEBHOOKS__BAR__URL /),
  });
});
