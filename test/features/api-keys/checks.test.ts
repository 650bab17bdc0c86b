import { afterAll, beforeAll, expect, test } from 'vitest';
import { newKey } from '../../../src/features/api-keys/key-form.ts';
import { type App, signUp, startApp } from '../../support/app.ts';
import { setUpTotp, strong } from '../../support/strong.ts';

// API keys at introspection, with tokens off, and the counts of their checks (CONTRACT §16.4, §17 and §18).

const secrets = { orders: 'o'.repeat(32), bank: 'b'.repeat(32) };
const day = 86_400_000;

let app: App;
beforeAll(async () => {
  app = await startApp({
    settings: {
      ...strong,
      ...{ enableApiKeys: true, enableMetrics: true, apiKeyRateLimit: '2/minute' },
      resources: {
        orders: {
          ...{ identifier: 'https://api.example.org', secret: secrets.orders, claims: ['email', 'roles'] },
          scopes: { 'orders:read': 'See your orders', 'orders:write': 'Change your orders' },
        },
        bank: { identifier: 'urn:example:bank', scopes: { pay: 'Pay' }, secret: secrets.bank },
      },
    },
  });
});
afterAll(() => app?.close());

async function introspect(token: string, name: keyof typeof secrets = 'orders') {
  const reply = await fetch(`${app.url}/oauth2/introspect`, {
    method: 'POST',
    headers: { Authorization: `Basic ${Buffer.from(`${name}:${secrets[name]}`).toString('base64')}` },
    body: new URLSearchParams({ token }),
  });
  return reply.json();
}

const make = ({ id }: { id: string }, scopes: string[], expiresInDays = 9) =>
  app.gatehouse.apiKeys.create(id, { name: 'Report', scopes, expiresInDays });

test('an API learns of a key with a scope of its own, and of those scopes alone', async () => {
  const member = await signUp(app);
  const { key, apiKey } = await make(member, ['profile', 'pay', 'orders:write', 'orders:read']);
  const iat = Math.floor(apiKey.createdAt.getTime() / 1000);
  const common = { active: true, token_type: 'api_key', client_id: 'api_key', sub: member.id };
  expect(await introspect(key)).toEqual({
    ...{ ...common, scope: 'orders:read orders:write', aud: 'https://api.example.org' },
    ...{ iss: app.gatehouse.config.issuer, key_id: apiKey.id, iat, exp: iat + (9 * day) / 1000 },
    ...{ email: member.email, roles: [] },
  });
  expect(await introspect(key, 'bank')).toMatchObject({ ...common, scope: 'pay', aud: 'urn:example:bank' });
  const { key: profile } = await make(member, ['profile']);
  expect(await introspect(profile)).toEqual({ active: false });
  // An API that asks is no use of the key.
  const listed = await app.gatehouse.apiKeys.list(member.id);
  expect(listed.map(({ lastUsedAt }) => lastUsedAt)).toEqual([null, null]);
});

test('the end of a key is reported at once, and nothing else about it', async () => {
  const member = await signUp(app);
  const { key, apiKey } = await make(member, ['orders:read'], 1);
  const { key: expired } = await make(member, ['orders:read'], 1);
  await app.gatehouse.apiKeys.remove(member.id, apiKey.id);
  for (const text of [key, newKey('svc'), `${key}x`, `svc_key_${'0'.repeat(49)}`])
    expect(await introspect(text)).toEqual({ active: false });
  expect(await introspect(expired)).toMatchObject({ active: true });
  app.clock.advance(day);
  expect(await introspect(expired)).toEqual({ active: false });
});

test('keys that are not found are limited for each client, and found ones do not count', async () => {
  const member = await signUp(app);
  const { key } = await make(member, ['profile']);
  const me = async (token: string) => {
    const { status, headers } = await app.rest('GET', '/me', undefined, { token });
    return status === 429 ? headers.get('Retry-After') : status;
  };
  expect([await me(key), await me(key), await me(key)]).toEqual([200, 200, 200]);
  const wrong = () => me(newKey('svc'));
  expect([await wrong(), await wrong(), await wrong()]).toEqual([401, 401, '60']);
  // A mistyped key is told by its checksum: it is no guess.
  expect(await me(`svc_key_${'0'.repeat(49)}`)).toBe(401);
  expect(await me(key)).toBe(200);
  // Those that an API or the host asks about are not the client's.
  expect(await introspect(newKey('svc'))).toEqual({ active: false });
  for (let i = 0; i < 4; i++) expect(await app.gatehouse.apiKeys.verify(newKey('svc'))).toBeNull();
});

test('a key of an account that must set up a factor first opens nothing for the host', async () => {
  const restricting = await startApp({
    settings: { ...strong, enableApiKeys: true, mfaRequired: 'everyone' },
  });
  const { apiKeys } = restricting.gatehouse;
  const member = await signUp(restricting);
  const { key } = await apiKeys.create(member.id, { name: 'Report', scopes: ['profile'] });
  expect(await apiKeys.verify(key)).toBeNull();
  await setUpTotp(restricting, member);
  expect(await apiKeys.verify(key)).toMatchObject({ user: { id: member.id }, scopes: ['profile'] });
  await restricting.close();
});

test('each check is counted by its outcome', async () => {
  const counts = async () => {
    const text = await app.gatehouse.metrics!.text();
    const found = text.matchAll(/^gatehouse_api_key_checks_total\{outcome="(\w+)"\} (\d+)$/gm);
    return new Map([...found].map(([, outcome = '', count]) => [outcome, Number(count)]));
  };
  const before = await counts();
  expect([...before.keys()].toSorted()).toEqual(['expired', 'malformed', 'ok', 'refused', 'unknown']);
  const member = await signUp(app);
  const { key } = await make(member, ['profile', 'orders:read'], 1);
  const { verify } = app.gatehouse.apiKeys;
  await verify(key);
  await introspect(key);
  await introspect(newKey('svc'));
  await verify(`svc_key_${'0'.repeat(49)}`);
  await app.gatehouse.users.disable(member.id);
  await verify(key);
  await app.gatehouse.users.enable(member.id);
  app.clock.advance(day);
  await verify(key);
  const more = [...(await counts())].map(([outcome, count]) => [outcome, count - before.get(outcome)!]);
  expect(Object.fromEntries(more)).toEqual({ ok: 2, unknown: 1, malformed: 1, refused: 1, expired: 1 });
});
