import express from 'express';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AccessRequirements, Gatehouse } from '../../src/index.ts';
import { createTestGatehouse } from '../../src/testing/index.ts';
import { endings, serve } from '../support/embedded.ts';

// Guards that let people and scripts into a route of a host (CONTRACT §17).

const settings = {
  configFile: false,
  enableApiKeys: true,
  enableTokens: true,
  enableBrowserSessions: true,
  roles: ['editor'],
  dataEncryptionKey: 'A'.repeat(43),
  resources: {
    orders: { identifier: 'https://api.example.org', scopes: { read: 'See', write: 'Change' } },
    bank: { identifier: 'urn:bank', scopes: { pay: 'Pay' } },
  },
} as const;

let gatehouse: Awaited<ReturnType<typeof createTestGatehouse>>;
let off: Gatehouse;
beforeAll(async () => {
  gatehouse = await createTestGatehouse(settings as never);
  off = await createTestGatehouse({ configFile: false, roles: ['editor'] });
});
afterAll(async () => {
  await gatehouse.close();
  await off.close();
  for (const end of endings.splice(0)) await end();
});

describe('requireAccess', () => {
  const ask = async (requirements: AccessRequirements, headers: Record<string, string> = {}) => {
    const request = new Request('http://localhost:8000/orders', { headers });
    const { auth, response } = await gatehouse.protectAccess(request, requirements);
    return auth ? { kind: auth.kind, id: auth.user.id, scopes: auth.scopes } : (await response.json()).code;
  };
  const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

  test('lets in a session, a key with every scope, and a token of the resource', async () => {
    const { user } = await gatehouse.createUser();
    const { id } = user;
    const session = await gatehouse.signIn(user);
    const key = await gatehouse.createApiKey(user, { scopes: ['read'] });
    const { accessToken } = await gatehouse.tokens.issue(id, { resource: 'orders', scopes: ['read'] });
    const { accessToken: other } = await gatehouse.tokens.issue(id, { resource: 'bank' });
    const read = { scopes: ['read'] };
    expect(await ask(read, bearer(session))).toEqual({ kind: 'session', id, scopes: null });
    expect(await ask(read, bearer(key))).toEqual({ kind: 'api_key', id, scopes: ['read'] });
    expect(await ask(read, { 'X-API-Key': key })).toEqual({ kind: 'api_key', id, scopes: ['read'] });
    expect(await ask({ scopes: ['read', 'write'] }, bearer(session))).toMatchObject({ kind: 'session' });
    expect(await ask({ scopes: ['read', 'write'] }, bearer(key))).toBe('insufficient_scope');
    expect(await ask({ scopes: [] }, bearer(key))).toMatchObject({ kind: 'api_key' });
    expect(await ask(read, bearer(accessToken))).toBe('unauthenticated');
    expect(await ask({ ...read, token: 'orders' }, bearer(accessToken))).toEqual({
      ...{ kind: 'token', id, scopes: ['read'] },
    });
    expect(await ask({ scopes: ['write'], token: 'orders' }, bearer(accessToken))).toBe('insufficient_scope');
    expect(await ask({ ...read, token: 'orders' }, bearer(other))).toBe('unauthenticated');
    expect(await ask({ ...read, session: false }, bearer(session))).toBe('unauthenticated');
    expect(await ask({ ...read, apiKey: false }, bearer(key))).toBe('unauthenticated');
    expect(await ask({ ...read, apiKey: false }, { 'X-API-Key': key })).toBe('unauthenticated');
    expect(await ask({ ...read }, { ...bearer(session), 'X-API-Key': 'x' })).toMatchObject({
      kind: 'session',
    });
    expect(await ask(read)).toBe('unauthenticated');
  });

  test('names the scopes of the route where one is missing, in the words of RFC 6750', async () => {
    const { user } = await gatehouse.createUser();
    const key = await gatehouse.createApiKey(user, { scopes: ['read'] });
    const { accessToken } = await gatehouse.tokens.issue(user.id, { resource: 'orders', scopes: ['read'] });
    for (const headers of [bearer(key), { 'X-API-Key': key }, bearer(accessToken)]) {
      const request = new Request('http://localhost:8000/orders', { headers });
      const required = { scopes: ['read', 'write'], token: 'orders' };
      const { response } = await gatehouse.protectAccess(request, required);
      expect([response?.status, response?.headers.get('WWW-Authenticate')]).toEqual([
        403,
        'Bearer error="insufficient_scope", scope="read write"',
      ]);
    }
    const request = new Request('http://localhost:8000/orders', { headers: bearer(key) });
    const { response } = await gatehouse.protectAccess(request, { scopes: ['read'], role: 'editor' });
    expect([response?.status, response?.headers.get('WWW-Authenticate')]).toEqual([403, null]);
  });

  test('asks for the role as it is now, of keys, too', async () => {
    const { user } = await gatehouse.createUser();
    const key = await gatehouse.createApiKey(user, { scopes: ['read'] });
    const editors = { scopes: ['read'], role: 'editor' };
    expect(await ask(editors, bearer(key))).toBe('forbidden');
    await gatehouse.users.update(user.id, { roles: ['editor'] });
    expect(await ask(editors, bearer(key))).toMatchObject({ kind: 'api_key' });
  });

  test('puts who it is into the request of Express', async () => {
    const app = express();
    app.get('/orders', gatehouse.requireAccess({ scopes: ['read'] }), (req, res) => {
      const { kind, key, claims } = req.auth;
      res.json({ kind, name: key?.name, claims });
    });
    const get = await serve(app);
    const { user } = await gatehouse.createUser();
    const token = await gatehouse.createApiKey(user, { name: 'Report', scopes: ['read'] });
    expect(await get('GET', '/orders', { token })).toMatchObject({
      ...{ status: 200, body: { kind: 'api_key', name: 'Report', claims: null } },
    });
    expect(await get('GET', '/orders')).toMatchObject({ status: 401 });
  });

  test('is there without keys and tokens, for sessions and roles', async () => {
    const guard = off.requireAccess({ scopes: [], role: 'editor' });
    expect(guard).toBeTypeOf('function');
    const request = new Request('http://localhost:8000/', { headers: { 'X-API-Key': 'x' } });
    expect((await off.protectAccess(request, { scopes: [] })).response?.status).toBe(401);
    expect(() => off.requireAccess({ scopes: [], apiKey: true })).toThrow('enable_api_keys');
    expect(() => off.requireAccess({ scopes: [], token: 'orders' })).toThrow('enable_tokens');
    expect(() => off.requireAccess({ scopes: [], browser: true })).toThrow('enable_browser_sessions');
  });

  test.each([
    ['nothing', undefined],
    ['no scopes', {}],
    ['an unknown scope', { scopes: ['delete'] }],
    ['a scope of another resource', { scopes: ['pay'], token: 'orders' }],
    ['an unknown resource', { scopes: [], token: 'nothing' }],
    ['an unknown role', { scopes: [], role: 'ghost' }],
    ['an undefined role', { scopes: [], role: undefined }],
    ['a recent sign-in', { scopes: [], recentSeconds: 60 }],
    ['two factors', { scopes: [], mfa: true }],
    ['a superuser', { scopes: [], superuser: true }],
  ])('is not made for %s', (_, given) => {
    expect(() => gatehouse.requireAccess(given as never)).toThrow(TypeError);
  });
});
