import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Assembled } from '../../../src/gatehouse.ts';
import { createTestGatehouse, type TestGatehouse } from '../../../src/testing/index.ts';
import { createResourceServer } from '../../../src/verify/index.ts';
import { api } from './api.ts';

// Tokens for a program of the host, and in the tests of a host (CONTRACT §16.5).

let gatehouse: TestGatehouse;
beforeAll(async () => {
  gatehouse = await createTestGatehouse({
    configFile: false,
    enableTokens: true,
    enableMetrics: true,
    resources: {
      orders: api,
      machines: { identifier: 'urn:example:machines', scopes: { run: 'Run' }, forSessions: false },
      bank: { identifier: 'urn:example:bank', scopes: { pay: 'Pay' }, acr: 'aal2' },
      fresh: { identifier: 'urn:example:fresh', scopes: { see: 'See' }, maxAgeSeconds: 60 },
    },
  });
});
afterAll(() => gatehouse?.close());

const foreign = () =>
  createResourceServer({
    ...{ issuer: gatehouse.config.issuer, resource: api.identifier, scopes: Object.keys(api.scopes) },
    ...{ fetch: gatehouse.fetch, now: () => gatehouse.clock.now() },
  });

test('an identifier that is no address has no metadata', () => {
  expect(gatehouse.resource('orders').metadata).toMatchObject({ resource: api.identifier });
  expect(gatehouse.resource('machines').metadata).toBeNull();
});

describe('a token of the host', () => {
  test('counts here and elsewhere, and tells of no sign-in', async () => {
    const { user } = await gatehouse.createUser();
    const issued = await gatehouse.tokens.issue(user.id, { resource: 'orders', scopes: ['orders:read'] });
    const claims = decodeJwt(issued.accessToken);
    const expiresAt = new Date(claims.exp! * 1000);
    expect(issued).toEqual({ accessToken: expect.any(String), expiresAt, scopes: ['orders:read'] });
    expect(claims).toMatchObject({ client_id: 'host', session_ref: expect.stringMatching(/^-\.[0-9a-z]+$/) });
    for (const name of ['auth_time', 'acr', 'amr']) expect(claims).not.toHaveProperty(name);
    const auth = await gatehouse.tokens.verify(issued.accessToken, { resource: 'orders' });
    expect(auth).toMatchObject({ userId: user.id, clientId: 'host', user: { email: user.email } });
    expect(await foreign().verify(issued.accessToken)).toMatchObject({ userId: user.id });
    const request = new Request('https://api.example.org', {
      headers: { Authorization: `Bearer ${issued.accessToken}` },
    });
    for (const required of [{ acr: 'aal1' }, { maxAge: 1_000_000 }] as const) {
      const { response } = await foreign().protect(request, required);
      expect(await response?.json()).toMatchObject({ code: 'recent_sign_in_required' });
    }
  });

  test('has every scope unless some are named, also of a resource that sessions may not have', async () => {
    const { user } = await gatehouse.createUser();
    const { scopes } = await gatehouse.tokens.issue(user.id, { resource: 'orders' });
    expect(scopes).toEqual(['orders:read', 'orders:write']);
    const { accessToken } = await gatehouse.tokens.issue(user.id, { resource: 'machines' });
    expect(await gatehouse.tokens.verify(accessToken, { resource: 'machines' })).not.toBeNull();
    expect(await gatehouse.tokens.verify(accessToken, { resource: 'orders' })).toBeNull();
  });

  test('ends with the next cutoff of the account, without a clock', async () => {
    const { user } = await gatehouse.createUser();
    const { accessToken } = await gatehouse.tokens.issue(user.id, { resource: 'orders' });
    await gatehouse.users.endSessions(user.id);
    expect(await gatehouse.tokens.verify(accessToken, { resource: 'orders' })).toBeNull();
    const { accessToken: later } = await gatehouse.tokens.issue(user.id, { resource: 'orders' });
    expect(await gatehouse.tokens.verify(later, { resource: 'orders' })).not.toBeNull();
  });

  test('is not issued for an account that its owner has closed', async () => {
    const { user } = await gatehouse.createUser();
    const { users } = (gatehouse as unknown as Assembled).repositories;
    await users.change(user.id, { set: { reportedAt: gatehouse.clock.now() } });
    await expect(gatehouse.tokens.issue(user.id, { resource: 'orders' })).rejects.toMatchObject({
      code: 'unauthenticated',
    });
  });

  test.each(['bank', 'fresh', 'other'])(
    'is not issued for %s, which asks for a sign-in or is not there',
    async name => {
      const { user } = await gatehouse.createUser();
      await expect(gatehouse.tokens.issue(user.id, { resource: name })).rejects.toThrow(TypeError);
    },
  );

  test('is issued to accounts that may use it', async () => {
    const issue = (id: string, more = {}) => gatehouse.tokens.issue(id, { resource: 'orders', ...more });
    await expect(issue('nobody')).rejects.toMatchObject({ code: 'not_found' });
    const { user: disabled } = await gatehouse.createUser({ isActive: false });
    await expect(issue(disabled.id)).rejects.toMatchObject({ code: 'account_disabled' });
    const { user: unverified } = await gatehouse.createUser({ isVerified: false });
    await expect(issue(unverified.id)).rejects.toMatchObject({ code: 'email_not_verified' });
    const { user } = await gatehouse.createUser();
    await expect(issue(user.id, { scopes: ['pay'] })).rejects.toMatchObject({ code: 'invalid_scope' });
    await expect(issue(user.id, { scopes: [] })).rejects.toMatchObject({ code: 'invalid_input' });
    await expect(issue(user.id, { scope: 'x' })).rejects.toMatchObject({ code: 'invalid_input' });
  });

  test('that is no text does not count, as any that is malformed', async () => {
    for (const token of [undefined, null, 1, ['x'], {}] as never[]) {
      expect(await gatehouse.tokens.verify(token, { resource: 'orders' })).toBeNull();
      for (const server of [gatehouse.resource('orders'), foreign()])
        await expect(server.verify(token)).rejects.toMatchObject({ code: 'unauthenticated' });
    }
  });

  test('needs the flag', async () => {
    const off = await createTestGatehouse({ configFile: false });
    expect(() => off.tokens.issue('x', { resource: 'orders' })).toThrow('enable_tokens');
    expect(() => off.tokens.verify('x', { resource: 'orders' })).toThrow(TypeError);
    const { user } = await off.createUser();
    await expect(off.signIn(user, { resource: 'orders' })).rejects.toThrow(TypeError);
    await off.close();
  });
});

describe('in the tests of a host', () => {
  test('somebody signs in for an API, with the clock of the test', async () => {
    const { user } = await gatehouse.createUser();
    const token = await gatehouse.signIn(user, { resource: 'orders', scopes: ['orders:read'] });
    expect(await foreign().verify(token)).toMatchObject({ userId: user.id, scopes: ['orders:read'] });
    gatehouse.clock.advance(331_000);
    await expect(foreign().verify(token)).rejects.toMatchObject({ code: 'unauthenticated' });
  });

  test('as strongly as it is said, where an API asks for that', async () => {
    const { user } = await gatehouse.createUser();
    const token = await gatehouse.signIn(user, { resource: 'bank', mfa: true });
    expect(decodeJwt(token)).toMatchObject({ acr: 'aal2', client_id: 'session' });
    await expect(gatehouse.signIn(user, { resource: 'bank', mfa: false })).rejects.toMatchObject({
      code: 'mfa_enrolment_required',
    });
    await expect(gatehouse.signIn(user, { resource: 'other' })).rejects.toThrow(TypeError);
  });

  test('an instance has a ring of its own', async () => {
    const other = await createTestGatehouse({
      configFile: false,
      enableTokens: true,
      resources: { orders: api },
    });
    const { user } = await other.createUser();
    await expect(foreign().verify(await other.signIn(user, { resource: 'orders' }))).rejects.toMatchObject({
      code: 'unauthenticated',
    });
    await other.close();
  });
});

test('tokens, and the ages of keys, are counted', async () => {
  const text = await gatehouse.metrics!.text();
  expect(text).toMatch(/gatehouse_access_tokens_issued_total\{source="host"\} [1-9]/);
  expect(text).toMatch(/gatehouse_signing_key_age_seconds\{algorithm="ES256",state="current"\} \d/);
  expect(text).toMatch(/gatehouse_signing_key_age_seconds\{algorithm="ES256",state="next"\} \d/);
  expect(text).toContain('gatehouse_introspections_total{active="true"} 0');
});

test('a key that is old enough by both clocks is replaced with the purge, which the audit trail says', async () => {
  const records: object[] = [];
  const stop = gatehouse.on('audit', record => void records.push(record));
  const ring = gatehouse.repositories.signing_keys;
  const states = async () => (await ring.find('ES256'))!.keys.map(({ state }) => state);
  await gatehouse.purgeExpired();
  expect([records, await states()]).toEqual([[], ['current', 'next']]);
  const row = (await ring.find('ES256'))!;
  const aged = row.keys.map(key => ({ ...key, since: key.since - 91 * 86_400_000 }));
  await ring.change(row, aged);
  await gatehouse.purgeExpired();
  await gatehouse.purgeExpired();
  stop();
  expect(await states()).toEqual(['current', 'next', 'retired']);
  expect(records).toMatchObject([
    { act: 'rotateSigningKeys', by: 'system', outcome: 'ok', actor: null, changes: ['signing_keys.ES256'] },
  ]);
});
