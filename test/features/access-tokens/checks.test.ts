import { createHmac } from 'node:crypto';
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type App, type Member, signUp, startApp } from '../../support/app.ts';
import { describeEachDriver } from '../../support/backends.ts';
import { interleave } from '../../support/interleave.ts';
import { setUpTotp, strong } from '../../support/strong.ts';
import { api } from './api.ts';

// The checks of an access token, at introspection and in `gatehouse.resource()` (CONTRACT §16.4, §16.5 and §16.8).

const secrets = { orders: 'o'.repeat(32), previous: 'p'.repeat(32), bank: 'b'.repeat(32) };

describeEachDriver('a token', backend => {
  let app: App;
  beforeAll(async () => {
    app = await startApp({
      backend,
      // The last use of a key is stored before a count of reads begins.
      settles: true,
      settings: {
        ...strong,
        ...{ enableTokens: true, enableApiKeys: true },
        resources: {
          orders: { ...api, claims: ['email'], secret: secrets.orders, secretPrevious: secrets.previous },
          bank: { identifier: 'urn:example:bank', scopes: { pay: 'Pay' }, secret: secrets.bank },
          silent: { identifier: 'urn:example:silent', scopes: { s: 'S' } },
        },
      },
    });
  });
  afterAll(() => app?.close());

  const form = (path: string, fields: Record<string, string> | string, headers = {}) =>
    fetch(`${app.url}/oauth2/${path}`, { method: 'POST', headers, body: new URLSearchParams(fields) });
  const basic = (name: string, secret: string) => ({
    Authorization: `Basic ${Buffer.from(`${name}:${secret}`).toString('base64')}`,
  });
  const introspect = async (token: string, name = 'orders', secret = secrets.orders) =>
    (await form('introspect', { token }, basic(name, secret))).json();
  async function issue({ token }: Pick<Member, 'token'>, resource = api.identifier): Promise<string> {
    const { body } = await app.rest('POST', '/tokens', { resource }, { token });
    return body.access_token;
  }
  const guarded = async (token: string, name = 'orders') => {
    const request = new Request('https://api.example.org/', {
      headers: { Authorization: `Bearer ${token}` },
    });
    return app.gatehouse.resource(name).protect(request);
  };
  /** What both checks say of it. */
  async function counts(token: string): Promise<boolean> {
    const [{ active }, { auth }] = await Promise.all([introspect(token), guarded(token)]);
    expect(active).toBe(auth !== null);
    return active;
  }

  test('that is refused leaves why in the log, and nothing of itself', async () => {
    const member = await signUp(app);
    const token = await issue(member);
    const forBank = await issue(member, 'urn:example:bank');
    app.logs.length = 0;
    await guarded('');
    await guarded('malformed');
    await guarded(token, 'bank');
    const request = new Request('https://api.example.org/', {
      headers: { Authorization: `Bearer ${forBank}` },
    });
    await app.gatehouse.resource('bank').protect(request, { acr: 'phr' });
    await app.rest('POST', '/logout', {}, member);
    await guarded(token);
    const records = app.logs.filter(({ message }) => message === 'access token refused');
    expect(records.map(({ fields }) => fields)).toEqual([
      { resource: 'orders', code: 'unauthenticated', fault: 'missing' },
      { resource: 'orders', code: 'unauthenticated', fault: 'malformed' },
      { resource: 'bank', code: 'unauthenticated', fault: 'aud' },
      { resource: 'bank', code: 'mfa_enrolment_required' },
      { resource: 'orders', code: 'unauthenticated', fault: 'ended' },
    ]);
  });

  test('says to its resource what it means now', async () => {
    const member = await signUp(app);
    const token = await issue(member);
    expect(await introspect(token)).toMatchObject({
      ...{ active: true, token_type: 'Bearer', sub: member.id, client_id: 'session', email: member.email },
      ...{ aud: api.identifier, scope: 'orders:read orders:write', acr: 'aal1', amr: ['pwd'] },
    });
    const { auth } = await guarded(token);
    expect(auth).toMatchObject({ userId: member.id, clientId: 'session', resource: 'orders', token });
    expect(auth?.claims).toEqual(decodeJwt(token));
  });

  // Shows asvs/9.2.4, asvs/10.3.1.
  test('of another resource, a session, and what is no token are exactly inactive', async () => {
    const member = await signUp(app);
    const token = await issue(member);
    for (const [text, name, secret] of [
      [token, 'bank', secrets.bank],
      [member.token, 'orders', secrets.orders],
      ['x', 'orders', secrets.orders],
      [`${token}x`, 'orders', secrets.orders],
    ] as const) {
      expect(await introspect(text, name, secret)).toEqual({ active: false });
      expect(await guarded(text, name)).toMatchObject({ auth: null, response: { status: 401 } });
    }
  });

  test('is checked by one read, whichever it comes from', async () => {
    const { id, token } = await signUp(app);
    const { key } = await app.gatehouse.apiKeys.create(id, { name: 'Report', scopes: ['orders:read'] });
    const { accessToken } = await app.gatehouse.tokens.issue(id, { resource: 'orders' });
    for (const each of [await issue({ token }), await issue({ token: key }), accessToken]) {
      expect(await interleave(app, async () => expect((await guarded(each)).auth).not.toBeNull(), {})).toBe(
        1,
      );
      expect(
        await interleave(app, async () => expect(await introspect(each)).toMatchObject({ active: true }), {}),
      ).toBe(1);
    }
  });

  test('of a key is ended by whoever holds it, and the key stays', async () => {
    const { id } = await signUp(app);
    const { key } = await app.gatehouse.apiKeys.create(id, { name: 'Report', scopes: ['orders:read'] });
    const [ended, other] = [await issue({ token: key }), await issue({ token: key })];
    await form('revoke', { token: ended, client_id: 'api_key' });
    expect([await counts(ended), await counts(other)]).toEqual([false, true]);
    expect(await app.gatehouse.apiKeys.verify(key)).not.toBeNull();
  });

  test('ends at once with its lifetime', async () => {
    const token = await issue(await signUp(app));
    expect(await counts(token)).toBe(true);
    app.clock.advance(300_000);
    expect(await counts(token)).toBe(false);
  });

  test('is ended by its holder, whatever the client is called', async () => {
    const member = await signUp(app);
    const token = await issue(member);
    const reply = await form('revoke', { token, client_id: 'host', token_type_hint: 'refresh_token' });
    expect([reply.status, await reply.text(), reply.headers.get('Cache-Control')]).toEqual([
      200,
      '',
      'no-store',
    ]);
    expect(await counts(token)).toBe(false);
    expect(await counts(await issue(member))).toBe(true);
    for (const other of [token, member.token, 'x'])
      expect((await form('revoke', { token: other, client_id: 'session' })).status).toBe(200);
    expect(await app.rest('GET', '/me', undefined, { token: member.token })).toMatchObject({ status: 200 });
  });

  // Shows asvs/9.1.1, asvs/9.1.2, asvs/9.1.3.
  test('is refused whatever its header promises', async () => {
    const token = await issue(await signUp(app));
    const [header = '', payload = '', signature = ''] = token.split('.');
    const { keys } = await (await fetch(`${app.origin}/.well-known/jwks.json`)).json();
    const read = JSON.parse(Buffer.from(header, 'base64url').toString());
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const hmac = (text: string) =>
      createHmac('sha256', JSON.stringify(keys[0])).update(text).digest('base64url');
    const confused = `${encode({ ...read, alg: 'HS256' })}.${payload}`;
    for (const forged of [
      `${encode({ ...read, alg: 'none' })}.${payload}.`,
      `${encode({ ...read, alg: 'none' })}.${payload}.${signature}`,
      `${confused}.${hmac(confused)}`,
      `${encode({ ...read, typ: 'JWT' })}.${payload}.${signature}`,
      `${encode({ ...read, jwk: keys[0] })}.${payload}.${signature}`,
      `${encode({ ...read, jku: 'https://evil.example/keys' })}.${payload}.${signature}`,
      `${encode({ ...read, kid: "' or 1=1 --" })}.${payload}.${signature}`,
      `${encode({ ...read, kid: '../../dev/null' })}.${payload}.${signature}`,
      `${encode({ ...read, crit: ['b64'], b64: false })}.${payload}.${signature}`,
      `${header}.${payload}.${signature}=`,
      `${header}.${payload}.AAAA`,
    ]) {
      expect(await counts(forged)).toBe(false);
    }
  });
});

describe('the endpoints', () => {
  let app: App;
  beforeAll(async () => {
    app = await startApp({
      settings: {
        ...strong,
        enableTokens: true,
        resources: {
          orders: { ...api, secret: secrets.orders, secretPrevious: secrets.previous },
          silent: { identifier: 'urn:example:silent', scopes: { s: 'S' } },
        },
      },
    });
  });
  afterAll(() => app?.close());

  const ask = async (path: string, body: string, headers: Record<string, string> = {}) => {
    const reply = await fetch(`${app.url}/oauth2/${path}`, {
      ...{ method: 'POST', body },
      headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
    });
    const text = await reply.text();
    return { status: reply.status, headers: reply.headers, body: text && JSON.parse(text) };
  };
  const basic = (text: string) => ({ Authorization: `Basic ${Buffer.from(text).toString('base64')}` });
  const right = basic(`orders:${secrets.orders}`);

  test.each([
    ['Basic', right, 'token=x'],
    ['the former secret', basic(`orders:${secrets.previous}`), 'token=x'],
    ['the form', {}, `token=x&client_id=orders&client_secret=${secrets.orders}`],
    ['Basic, and its name in the form', right, 'token=x&client_id=orders'],
  ])('tell a resource that names itself by %s', async (_, headers, body) => {
    expect(await ask('introspect', body, headers)).toMatchObject({ status: 200, body: { active: false } });
  });

  test.each([
    ['no credentials', {}, 'token=x'],
    ['a wrong secret', basic(`orders:${secrets.bank}`), 'token=x'],
    ['an unknown resource', basic(`nobody:${secrets.orders}`), 'token=x'],
    ['a resource without a secret', basic('silent:'), 'token=x'],
    ['a session', { Authorization: 'Bearer x' }, 'token=x'],
    ['a form without a secret', {}, 'token=x&client_id=orders'],
  ])('refuse %s', async (_, headers, body) => {
    const reply = await ask('introspect', body, headers);
    expect(reply).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
    expect(reply.headers.get('WWW-Authenticate')).toBe('Basic realm="gatehouse"');
    expect(reply.headers.get('Cache-Control')).toBe('no-store');
  });

  test.each([
    ['no token', 'introspect', '', right],
    ['a parameter twice', 'introspect', 'token=x&token=y', right],
    ['credentials in both places', 'introspect', `token=x&client_secret=${secrets.orders}`, right],
    ['no token to end', 'revoke', 'client_id=session', {}],
  ])('refuse %s as an invalid request', async (_, path, body, headers) => {
    expect(await ask(path, body, headers)).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
  });

  test('count refused credentials alone', async () => {
    const counted = await startApp({
      settings: {
        ...strong,
        ...{ enableTokens: true, introspectRateLimit: '2/minute' },
        resources: { orders: { ...api, secret: secrets.orders } },
      },
    });
    const asked = async (secret: string) => {
      const headers = { ...basic(`orders:${secret}`), 'Content-Type': 'application/x-www-form-urlencoded' };
      return fetch(`${counted.url}/oauth2/introspect`, { method: 'POST', headers, body: 'token=x' });
    };
    const statuses: number[] = [];
    for (const secret of [...Array(4).fill(secrets.orders), ...Array(3).fill(secrets.bank), secrets.orders])
      statuses.push((await asked(secret)).status);
    expect(statuses).toEqual([200, 200, 200, 200, 401, 401, 429, 200]);
    const refused = await asked(secrets.bank);
    expect([refused.headers.get('Content-Type'), refused.headers.has('Retry-After')]).toEqual([
      'application/problem+json',
      true,
    ]);
    await counted.close();
  });

  test('end nothing without the name of a client, and no API key', async () => {
    for (const client of ['', '&client_id=orders'])
      expect(await ask('revoke', `token=x${client}`)).toMatchObject({ body: { error: 'invalid_client' } });
    const key = 'svc_key_003aUlTJC7tjlCTQj2uNU3MFagCXG9LRKRcwGkBIDlf0fCNGO';
    expect(await ask('revoke', `token=${key}&client_id=api_key`)).toMatchObject({
      ...{ status: 400, body: { error: 'unsupported_token_type' } },
    });
  });

  test('answer other methods and bodies with problems', async () => {
    expect((await fetch(`${app.url}/oauth2/introspect`)).status).toBe(405);
    const json = { 'Content-Type': 'application/json' };
    for (const path of ['introspect', 'revoke'])
      expect(await ask(path, '{}', json)).toMatchObject({
        ...{ status: 415 },
        body: {
          code: 'unsupported_media_type',
          detail: expect.stringContaining('application/x-www-form-urlencoded'),
        },
      });
    const large = `token=${'x'.repeat(70_000)}`;
    expect(await ask('revoke', large)).toMatchObject({ status: 413, body: { code: 'body_too_large' } });
  });
});

describe('a guard', () => {
  let app: App;
  beforeAll(async () => {
    app = await startApp({ settings: { ...strong, enableTokens: true, resources: { orders: api } } });
  });
  afterAll(() => app?.close());
  const orders = () => app.gatehouse.resource('orders');
  const metadata = 'resource_metadata="https://api.example.org/.well-known/oauth-protected-resource"';
  const at = (token?: string, init: RequestInit = {}) =>
    new Request('https://api.example.org/orders', {
      ...init,
      headers: { ...(token && { Authorization: `Bearer ${token}` }), ...init.headers },
    });
  async function issue({ token }: Pick<Member, 'token'>, scopes: string[]): Promise<string> {
    const input = { resource: api.identifier, scopes };
    return (await app.rest('POST', '/tokens', input, { token })).body.access_token;
  }

  // Shows asvs/10.3.2.
  test('answers with problems, and with the words of RFC 6750 and 9470 in the challenge alone', async () => {
    const member = await signUp(app);
    const token = await issue(member, ['orders:read']);
    const scopes = ['orders:read', 'orders:write'];
    const scope = 'scope="orders:read orders:write"';
    const refusals = [
      [undefined, 401, 'unauthenticated', `Bearer ${metadata}, ${scope}`],
      ['x', 401, 'unauthenticated', `Bearer error="invalid_token", ${metadata}, ${scope}`],
      [token, 403, 'insufficient_scope', `Bearer error="insufficient_scope", ${metadata}, ${scope}`],
    ] as const;
    for (const [sent, status, code, challenge] of refusals) {
      const { response } = await orders().protect(at(sent), { scopes });
      expect([response?.status, await response?.json()]).toMatchObject([status, { code }]);
      expect(response?.headers.get('WWW-Authenticate')).toBe(challenge);
    }
    const { auth } = await orders().protect(at(token), { scopes: ['orders:read'] });
    expect(auth?.scopes).toEqual(['orders:read']);
  });

  // Shows asvs/10.3.4.
  test('asks for a stronger sign-in where the account can have one', async () => {
    const member = await signUp(app);
    const weak = await issue(member, ['orders:read']);
    const refused = await orders().protect(at(weak), { acr: 'aal2' });
    expect(await refused.response?.json()).toMatchObject({ code: 'mfa_enrolment_required' });
    const { token } = await setUpTotp(app, member);
    const { response } = await orders().protect(at(weak), { acr: 'aal2', maxAge: 60 });
    expect(response?.headers.get('WWW-Authenticate')).toBe(
      `Bearer error="insufficient_user_authentication", ${metadata}, acr_values="aal2 phr", max_age=60`,
    );
    const strongToken = await issue({ token }, ['orders:read']);
    expect(await orders().protect(at(strongToken), { acr: 'aal2' })).toMatchObject({ response: null });
  });

  test('answers a preflight itself where pages of every origin may call, and no other OPTIONS', async () => {
    const preflight = { Origin: 'https://app.example', 'Access-Control-Request-Method': 'PUT' };
    const open = await orders().protect(at(undefined, { method: 'OPTIONS', headers: preflight }), {
      cors: true,
    });
    expect(open.response?.status).toBe(204);
    expect(Object.fromEntries(open.response!.headers)).toMatchObject({
      ...{ 'access-control-allow-origin': '*', 'access-control-allow-methods': 'PUT' },
      'access-control-max-age': '7200',
    });
    for (const [headers, cors] of [
      [{}, true],
      [preflight, false],
    ] as const) {
      const { response } = await orders().protect(at(undefined, { method: 'OPTIONS', headers }), { cors });
      expect(response?.status).toBe(401);
      expect(response?.headers.get('Access-Control-Allow-Origin')).toBe(cors ? '*' : null);
    }
  });

  test('is not made for an unknown resource, scope or requirement, nor while tokens are off', async () => {
    const wrong = { scope: ['orders:read'] } as object;
    expect(() => app.gatehouse.resource('other')).toThrow(TypeError);
    expect(() => orders().requireToken({ scopes: ['orders:delete'] })).toThrow(TypeError);
    expect(() => orders().requireToken(wrong)).toThrow(TypeError);
    const off = await startApp();
    expect(() => off.gatehouse.resource('orders')).toThrow('enable_tokens');
    await off.close();
  });
});
