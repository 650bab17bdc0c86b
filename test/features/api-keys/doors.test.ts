import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { isKey, newKey } from '../../../src/features/api-keys/key-form.ts';
import { type App, type Member, signUp, startApp } from '../../support/app.ts';
import { type Door, doors, type OperationName, operations, resultOf } from '../../support/doors.ts';
import { featureTests } from '../../support/feature-tests.ts';
import { signUpSuperuser } from '../../support/people.ts';
import { strong } from '../../support/strong.ts';

// API keys, through both doors (CONTRACT §17).

const api = 'https://api.example.org';
const day = 86_400_000;

let app: App;
beforeAll(async () => {
  app = await startApp({
    settings: {
      ...strong,
      enableAdminRouter: true,
      enableApiKeys: true,
      enableTokens: true,
      locales: ['en', 'de'],
      resources: {
        orders: {
          identifier: api,
          scopes: {
            'orders:read': { en: 'See orders', de: 'Bestellungen sehen' },
            'orders:write': 'Change orders',
          },
        },
        bank: { identifier: 'urn:example:bank', scopes: { pay: 'Pay' }, acr: 'aal2' },
        fresh: { identifier: 'urn:example:fresh', scopes: { fresh: 'Fresh' }, maxAgeSeconds: 60 },
        machines: { identifier: 'urn:example:machines', scopes: { run: 'Run' }, forSessions: false },
      },
    },
  });
});
afterAll(() => app?.close());

const rows = () => app.gatehouse.repositories.api_keys;

test('whoever stops a thief by removing keys is not asked to sign in again', async () => {
  const settings = { ...strong, enableAdminRouter: true, enableApiKeys: true };
  const strict = await startApp({ settings: { ...settings, recentSignInForAdministration: true } });
  onTestFinished(strict.close);
  const [member, admin] = [await signUp(strict), await signUpSuperuser(strict)];
  const wanted = { name: 'Report', scopes: ['profile'] };
  const { apiKey } = await strict.gatehouse.apiKeys.create(member.id, wanted);
  strict.clock.advance(day / 24 + 1000);
  const path = `/admin/users/${member.id}/api-keys`;
  const remove = (path: string) => strict.rest('DELETE', path, undefined, { token: admin.token });
  expect((await remove(`${path}/${apiKey.id}`)).status).toBe(200);
  expect((await remove(path)).status).toBe(200);
});

describe.each(doors)('keys, through $name', (door: Door) => {
  const as = ({ token }: Pick<Member, 'token'>, operation: OperationName, input?: unknown) =>
    door.at(app)(operation, input, { token });
  const create = (member: Pick<Member, 'token'>, input: object = {}) =>
    as(member, 'createApiKey', { name: 'Report', scopes: ['profile'], ...input });
  const created = (member: Pick<Member, 'token'>, input: object = {}) => resultOf(create(member, input));

  test('a new one is shown once, and listed without itself', async () => {
    const member = await signUp(app);
    const { api_key, key } = await created(member, {
      name: '  Nightly report ',
      scopes: ['orders:write', 'profile'],
    });
    expect(isKey(key)).toBe(true);
    const now = app.clock.now();
    expect(api_key).toEqual({
      ...{ id: expect.any(String), name: 'Nightly report', hint: key.slice(-4) },
      ...{ scopes: ['profile', 'orders:write'], created_at: now.toISOString() },
      expires_at: new Date(now.getTime() + 90 * day).toISOString(),
      ...{ last_used_at: null, last_used_ip: null, is_expired: false },
    });
    const list = await resultOf(as(member, 'apiKeys'));
    expect(list).toEqual({
      items: [api_key],
      scopes: [
        { name: 'profile', description: 'See your profile', resource: null },
        { name: 'orders:read', description: 'See orders', resource: api },
        { name: 'orders:write', description: 'Change orders', resource: api },
      ],
    });
    expect(JSON.stringify(list)).not.toContain(key);
    const { subject, text } = await app.nextMail(member.email);
    expect(subject).toMatch(/^An API key was made/);
    expect(text).toContain('Nightly report');
    expect(text).not.toContain(key);
  });

  test('tell in the language of the person what their scopes open', async () => {
    const member = await signUp(app);
    await resultOf(as(member, 'updateProfile', { locale: 'de' }));
    const { scopes } = await resultOf(as(member, 'apiKeys'));
    expect(scopes.map(({ description }: { description: string }) => description)).toEqual([
      ...['Ihr Profil sehen', 'Bestellungen sehen', 'Change orders'],
    ]);
  });

  test('are listed newest first', async () => {
    const member = await signUp(app);
    for (const name of ['a', 'b', 'c']) await created(member, { name });
    const { items } = await resultOf(as(member, 'apiKeys'));
    expect(items.map(({ name }: { name: string }) => name)).toEqual(['c', 'b', 'a']);
  });

  test.each([
    ['no name', { name: ' ' }],
    ['a name of 101 characters', { name: 'x'.repeat(101) }],
    ['a name with a line in it', { name: 'a\nb' }],
    ['no scope', { scopes: [] }],
    ['a scope twice', { scopes: ['profile', 'profile'] }],
    ['an unknown scope', { scopes: ['email'] }],
    ['a scope that asks for a strong sign-in', { scopes: ['pay'] }],
    ['a scope that asks for a recent sign-in', { scopes: ['fresh'] }],
    ['a scope for the host alone', { scopes: ['run'] }],
    ['no end', { expires_in_days: 0 }],
    ['an end below zero', { expires_in_days: -1 }],
    ['an end beyond the longest', { expires_in_days: 366 }],
  ])('are not made with %s', async (_, input) => {
    const member = await signUp(app);
    expect(await create(member, input)).toMatchObject({ ok: false, code: 'invalid_input', status: 422 });
    expect(await rows().listByUser(member.id)).toEqual([]);
  });

  test.each([
    [null, 90],
    [1, 1],
    [365, 365],
  ])('made for %s days end after %s', async (expires_in_days, days) => {
    const { api_key } = await created(await signUp(app), { expires_in_days });
    expect(Date.parse(api_key.expires_at) - Date.parse(api_key.created_at)).toBe(days * day);
  });

  test('need a verified address', async () => {
    const member = await signUp(app);
    await app.gatehouse.repositories.users.change(member.id, { set: { isVerified: false } });
    expect(await create(member)).toMatchObject({ code: 'email_not_verified', status: 403 });
  });

  test('are renamed and removed by their owner alone', async () => {
    const [member, other] = [await signUp(app), await signUp(app)];
    const { api_key, key } = await created(member);
    const { id } = api_key;
    for (const [operation, input] of [
      ['renameApiKey', { id, name: 'Mine' }],
      ['removeApiKey', { id }],
    ] as const)
      expect(await as(other, operation, input)).toMatchObject({ code: 'not_found', status: 404 });
    expect(await resultOf(as(member, 'renameApiKey', { id, name: 'Other' }))).toEqual({
      ...api_key,
      name: 'Other',
    });
    expect(await resultOf(as({ token: key }, 'me'))).toMatchObject({ id: member.id });
    await resultOf(as(member, 'removeApiKey', { id }));
    expect(await as({ token: key }, 'me')).toMatchObject({ code: 'unauthenticated', status: 401 });
    expect(await as(member, 'removeApiKey', { id })).toMatchObject({ code: 'not_found' });
  });

  test('open the profile as the person sees it, with the scope `profile`', async () => {
    const member = await signUp(app);
    const mine = await resultOf(as(member, 'me'));
    const { key } = await created(member);
    expect(await resultOf(as({ token: key }, 'me'))).toEqual(mine);
    const { key: other } = await created(member, { scopes: ['orders:read'] });
    expect(await as({ token: other }, 'me')).toMatchObject({ code: 'insufficient_scope', status: 403 });
  });

  test('are looked at and removed by administration', async () => {
    const [member, admin] = [await signUp(app), await signUpSuperuser(app)];
    const [one, two, three] = [await created(member), await created(member), await created(member)];
    const list = await resultOf(as(admin, 'userApiKeys', { id: member.id }));
    const items = door.name === 'REST' ? list.items : list;
    expect(items.map(({ id }: { id: string }) => id)).toEqual([three, two, one].map(each => each.api_key.id));
    expect(await as(member, 'userApiKeys', { id: member.id })).toMatchObject({ code: 'forbidden' });
    const named = { id: member.id, key_id: one.api_key.id };
    await resultOf(as(admin, 'adminRemoveApiKey', named));
    expect(await as(admin, 'adminRemoveApiKey', named)).toMatchObject({ code: 'not_found' });
    expect(await as({ token: one.key }, 'me')).toMatchObject({ code: 'unauthenticated' });
    expect((await as({ token: two.key }, 'me')).ok).toBe(true);
    const { message } = await resultOf(as(admin, 'adminRemoveApiKeys', { id: member.id }));
    expect(message).toBe('2 API keys were removed.');
    expect(await as({ token: two.key }, 'me')).toMatchObject({ code: 'unauthenticated' });
  });

  test('have an API give an access token of their scopes, which ends with the key', async () => {
    const member = await signUp(app);
    const { api_key, key } = await created(member, { scopes: ['orders:read'], expires_in_days: 1 });
    const issue = (input: object) => as({ token: key }, 'issueAccessToken', { resource: api, ...input });
    expect(await resultOf(issue({}))).toMatchObject({ scope: 'orders:read', expires_in: 300 });
    const { access_token: token } = await resultOf(issue({ scopes: ['orders:read'] }));
    const orders = app.gatehouse.resource('orders');
    expect(await orders.verify(token)).toMatchObject({
      ...{ userId: member.id, clientId: 'api_key', scopes: ['orders:read'] },
      claims: { key_id: api_key.id, client_id: 'api_key' },
    });
    for (const scopes of [['orders:write'], ['orders:read', 'orders:write'], ['pay']])
      expect(await issue({ scopes })).toMatchObject({ code: 'invalid_scope', status: 400 });
    for (const resource of [
      'urn:example:bank',
      'urn:example:fresh',
      'urn:example:machines',
      'urn:example:none',
    ])
      expect(await issue({ resource })).toMatchObject({ code: 'invalid_target', status: 400 });
    const { key: profile } = await created(member);
    expect(await as({ token: profile }, 'issueAccessToken', { resource: api })).toMatchObject({
      code: 'invalid_scope',
    });
    await app.rest('POST', '/logout', { everywhere: true }, member);
    expect(await orders.verify(token)).toMatchObject({ userId: member.id });
    await app.gatehouse.apiKeys.remove(member.id, api_key.id);
    await expect(orders.verify(token)).rejects.toMatchObject({ code: 'unauthenticated' });
  });

  test('open nothing else, whatever their person may do', async () => {
    const admin = await signUpSuperuser(app);
    const { key } = await created(admin, { scopes: ['profile', 'orders:read'] });
    const open: string[] = ['me', 'issueAccessToken'];
    const call = door.at(app);
    for (const name of Object.keys(operations) as OperationName[]) {
      const withKey = await call(name, undefined, { token: key });
      const without = await call(name);
      if (open.includes(name)) continue;
      // An operation that anyone may call ignores it.
      const expected = without.ok ? { ok: true } : { code: without.code, status: without.status };
      expect([name, withKey]).toMatchObject([name, expected]);
      if (!without.ok && without.code === 'unauthenticated') expect(withKey).toMatchObject({ status: 401 });
    }
  });
});

test('a key is answered in the language of its person', async () => {
  const { id, token } = await signUp(app);
  await app.rest('PATCH', '/me', { locale: 'de' }, { token });
  const { key } = await app.gatehouse.apiKeys.create(id, { name: 'Report', scopes: ['orders:read'] });
  const wanted = { resource: 'urn:example:none' };
  const { headers, body } = await app.rest('POST', '/tokens', wanted, { token: key });
  expect([headers.get('Content-Language'), body.code]).toEqual(['de', 'invalid_target']);
});

test('a key without the scope learns which one it takes, in the words of RFC 6750', async () => {
  const { id } = await signUp(app);
  const { key } = await app.gatehouse.apiKeys.create(id, { name: 'Report', scopes: ['orders:read'] });
  const { status, headers } = await app.rest('GET', '/me', undefined, { token: key });
  const challenge = 'Bearer error="insufficient_scope", scope="profile"';
  expect([status, headers.get('WWW-Authenticate')]).toEqual([403, challenge]);
});

test('a key is sent in either header, and Authorization alone counts where it is there', async () => {
  const member = await signUp(app);
  const make = async () =>
    (await app.gatehouse.apiKeys.create(member.id, { name: 'x', scopes: ['profile'] })).key;
  const key = await make();
  const me = async (headers: Record<string, string>) =>
    (await app.rest('GET', '/me', undefined, { headers })).status;
  expect(await me({ Authorization: `Bearer ${key}` })).toBe(200);
  expect(await me({ 'X-API-Key': key })).toBe(200);
  expect(await me({ Authorization: `Bearer ${member.token}`, 'X-API-Key': 'nonsense' })).toBe(200);
  expect(await me({ Authorization: `Bearer ${newKey('svc')}`, 'X-API-Key': key })).toBe(401);
  expect(await me({ Authorization: 'Basic abc', 'X-API-Key': key })).toBe(401);
  expect(await me({ 'X-API-Key': member.token })).toBe(401);
  expect((await app.rest('GET', `/me?api_key=${key}`)).status).toBe(401);
  const { body } = await app.graphql(
    '{ me { id } user(id: "x") { id } apiKeys { items { id } } }',
    {},
    {
      headers: { 'X-API-Key': key },
    },
  );
  expect(body.data).toEqual({ me: { id: member.id }, user: null, apiKeys: null });
  expect(body.errors.map(({ extensions }: { extensions: { code: string } }) => extensions.code)).toEqual([
    'unauthenticated',
    'unauthenticated',
  ]);
});

test('a mistyped key is refused without a read', async () => {
  const { api_keys } = app.gatehouse.repositories;
  const find = api_keys.findByHash;
  let reads = 0;
  api_keys.findByHash = hash => {
    reads++;
    return find(hash);
  };
  try {
    const me = (token: string) => app.rest('GET', '/me', undefined, { token });
    expect((await me(newKey('svc').slice(0, -1).concat('!'))).status).toBe(401);
    expect((await me(`svc_key_${'0'.repeat(49)}`)).status).toBe(401);
    expect(reads).toBe(0);
    expect((await me(newKey('other'))).status).toBe(401);
    expect(reads).toBe(1);
  } finally {
    api_keys.findByHash = find;
  }
});

test('an expired one is refused, listed, and gives its place up when it is needed', async () => {
  const member = await signUp(app);
  const make = (expiresInDays: number) =>
    app.gatehouse.apiKeys.create(member.id, { name: `${expiresInDays}`, scopes: ['profile'], expiresInDays });
  const { key, apiKey } = await make(1);
  for (let n = 0; n < 19; n++) await make(9);
  await expect(make(9)).rejects.toMatchObject({ code: 'api_key_limit', kind: 'conflict' });
  app.clock.advance(day);
  expect((await app.rest('GET', '/me', undefined, { token: key })).status).toBe(401);
  const [oldest] = (await app.gatehouse.apiKeys.list(member.id)).filter(({ isExpired }) => isExpired);
  expect(oldest).toMatchObject({ id: apiKey.id });
  await make(9);
  const left = await app.gatehouse.apiKeys.list(member.id);
  expect(left).toHaveLength(20);
  expect(left.filter(({ isExpired }) => isExpired)).toEqual([]);
  await expect(make(9)).rejects.toMatchObject({ code: 'api_key_limit' });
  await rows().purge(new Date(app.clock.now().getTime() + 9 * day));
  expect(await app.gatehouse.apiKeys.list(member.id)).toEqual([]);
});

test('every feature with operations has calls', () => expect(featureTests.operations.apiKeys).toBeDefined());
