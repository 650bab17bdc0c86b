import { decodeJwt, decodeProtectedHeader } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Assembled } from '../../../src/gatehouse.ts';
import { type App, logIn, type Member, signUp, startApp } from '../../support/app.ts';
import { describeEachDriver, describeEachKind } from '../../support/backends.ts';
import { setUpTotp, strong } from '../../support/strong.ts';
import { ask, cookieFor, inUtf8, navigation, type Question, send, settings, site } from './proxy.ts';

// A proxy asks who is signed in, for an application behind it (CONTRACT §16.7).

const api = 'https://orders.example';
const resources = {
  orders: { identifier: api, scopes: { read: 'Read', write: 'Write' } },
  bank: { identifier: 'https://bank.example', scopes: { pay: 'Pay' }, acr: 'aal2' },
  machines: { identifier: 'https://machines.example', scopes: { m: 'M' }, forSessions: false },
} as const;

let app: App;
let member: Member;
let Cookie: string;
beforeAll(async () => {
  app = await startApp({
    settings: {
      ...strong,
      ...settings,
      ...{ enableTokens: true, roles: ['editor', 'billing'], enableMetrics: true },
      resources: structuredClone(resources) as never,
    },
  });
  member = await signUp(app);
  Cookie = await cookieFor(app, member);
});
afterAll(() => app?.close());

const warnings = () =>
  app.logs.filter(({ level }) => level === 'warn').map(({ message, fields }) => [message, fields]);
const withCookie = (question: Question = {}): Question => ({
  ...question,
  headers: { Cookie, ...question.headers },
});

describeEachDriver('a request that may go on', backend => {
  test('has the person in its headers as long as the session lasts', async () => {
    const app = await startApp({ backend, settings: { ...strong, ...settings } });
    const member = await signUp(app);
    const Cookie = await cookieFor(app, member);
    const question = { headers: { Cookie } };
    expect(await ask(app, question)).toMatchObject({
      status: 200,
      headers: {
        'remote-user': member.id,
        'remote-email': member.email,
        ...{ 'remote-name': '', 'remote-groups': '', cookie: '' },
        'cache-control': 'private, no-store',
      },
      body: '',
    });
    await app.rest('POST', '/logout', {}, { token: member.token });
    expect((await ask(app, question)).status).toBe(401);
    const again = { headers: { Cookie: await cookieFor(app, { token: await logIn(app, member) }) } };
    expect((await ask(app, again)).status).toBe(200);
    await app.gatehouse.users.disable(member.id);
    expect((await ask(app, again)).status).toBe(401);
    await app.close();
  });
});

describe('what an application is told', () => {
  test('a name in Japanese is in UTF-8, roles are separated by commas, an unverified address is not told', async () => {
    const { id, token } = await signUp(app);
    await app.gatehouse.users.update(id, { fullName: '山田 花子', roles: ['editor', 'billing'] });
    const own = { headers: { Cookie: await cookieFor(app, { token }) } };
    const { headers } = await ask(app, own);
    expect(inUtf8(headers['remote-name'])).toBe('山田 花子');
    expect(headers['remote-groups']).toBe('editor,billing');
    await app.gatehouse.repositories.users.change(id, { set: { isVerified: false } });
    expect((await ask(app, own)).headers['remote-email']).toBe('');
  });

  test.each([
    ['', ''],
    ['theme=dark; lang=ja', 'theme=dark; lang=ja'],
    ['theme="a b"; __Host-svcx=1; svc=2; x', 'theme="a b"; __Host-svcx=1; svc=2; x'],
    [' __Host-svc =stale; a=1', 'a=1'],
    ['__host-SVC=stale; a=1', 'a=1'],
  ])('with the cookies %j: those of others, %j', async (others, expected) => {
    const { status, headers } = await ask(app, { headers: { Cookie: `${others}; ${Cookie}` } });
    expect([status, headers.cookie]).toEqual([200, expected]);
  });

  test('what a browser sends by itself counts once', async () => {
    expect((await ask(app, { headers: { Cookie: `${Cookie}; ${Cookie}` } })).status).toBe(401);
  });

  test('the Authorization header is the application’s own: it opens nothing, and closes nothing', async () => {
    const headers = { Authorization: `Bearer ${member.token}` };
    expect((await ask(app, { headers })).status).toBe(401);
    const page = { ...navigation, Authorization: 'Bearer nonsense' };
    expect((await ask(app, withCookie({ headers: page }))).status).toBe(200);
    expect((await ask(app, { headers: page })).status).toBe(303);
  });

  test.each(['POST', 'PUT', 'OPTIONS', 'HEAD', 'PROPFIND'])('a proxy may ask with %s', async by => {
    expect((await ask(app, withCookie({ by }))).status).toBe(200);
  });
});

describeEachKind(
  'an access token that is ended',
  backend => {
    let apps: App[];
    let own: Member;
    let end: () => Promise<void>;
    beforeAll(async () => {
      const { url: databaseUrl, drop } = await backend.lendDatabase();
      const own = {
        ...strong,
        ...settings,
        enableTokens: true,
        resources: structuredClone(resources) as never,
      };
      apps = await Promise.all([1, 2].map(() => startApp({ databaseUrl, settings: own })));
      end = drop;
    });
    beforeAll(async () => {
      own = await signUp(apps[0]!);
    });
    afterAll(async () => {
      for (const app of apps ?? []) await app.close();
      await end?.();
    });

    const tokenAt = async (app: App) => {
      const headers = { Cookie: await cookieFor(app, own) };
      return (await ask(app, { query: '?resource=orders', headers })).headers['x-access-token'] as string;
    };
    const isTaken = async (token: string) =>
      (await apps[1]!.gatehouse.tokens.verify(token, { resource: 'orders' })) !== null;
    const revoke = (app: App, token: string) =>
      fetch(`${app.url}/oauth2/revoke`, {
        method: 'POST',
        body: new URLSearchParams({ token, client_id: 'session' }),
      });

    test('by its holder is handed out by no process any more', async () => {
      const [one, two] = apps as [App, App];
      const [first, elsewhere] = [await tokenAt(one), await tokenAt(two)];
      await revoke(two, first);
      const second = await tokenAt(one);
      expect(second).not.toBe(first);
      expect([await isTaken(first), await isTaken(second)]).toEqual([false, true]);
      expect([await tokenAt(one), await tokenAt(two)]).toEqual([second, elsewhere]);
      // Of many questions at once, one replaces it.
      await revoke(two, second);
      const many = await Promise.all(Array.from({ length: 20 }, () => tokenAt(one)));
      expect(new Set(many).size).toBe(1);
      expect(many[0]).not.toBe(second);
    });

    test('by the removal of its key is handed out no more', async () => {
      const [one] = apps as [App, App];
      const first = await tokenAt(one);
      const { operator } = (one.gatehouse as Assembled).features.accessTokens!;
      await operator.remove(decodeProtectedHeader(first).kid!);
      const second = await tokenAt(one);
      expect(second).not.toBe(first);
      expect(await tokenAt(one)).toBe(second);
    });
    // Several instances, which share no database in memory.
  },
  { only: ['sqlite', 'postgresql', 'mongodb', 'mongodb-replica'] },
);

describe('an access token', () => {
  test('is that of the session, the same until half of its life is over, and not for others', async () => {
    const tokenOf = async (question = withCookie({ query: '?resource=orders' })) =>
      (await ask(app, question)).headers['x-access-token'] as string;
    const token = await tokenOf();
    expect(decodeJwt(token)).toMatchObject({ aud: api, sub: member.id, scope: 'read write' });
    expect(await app.gatehouse.resource('orders').verify(token)).toMatchObject({ userId: member.id });
    app.clock.advance(149_000);
    expect(await tokenOf()).toBe(token);
    app.clock.advance(2000);
    expect(await tokenOf()).not.toBe(token);
    const other = await cookieFor(app, await signUp(app));
    const foreign = await tokenOf({ query: '?resource=orders', headers: { Cookie: other } });
    expect(decodeJwt(foreign).sub).not.toBe(member.id);
    expect(await tokenOf(withCookie())).toBeUndefined();
  });

  test('needs the sign-in that the API asks for', async () => {
    const query = '?resource=bank';
    expect((await ask(app, withCookie({ query }))).body.code).toBe('mfa_enrolment_required');
    const { headers } = await ask(app, withCookie({ query, headers: navigation }));
    expect(headers.location).toBe(`https://${site}/account/me?error=mfa_enrolment_required`);
  });
});

describe('a request that may not go on', () => {
  test('leads a person to sign in and back, by a path of this site', async () => {
    const answer = await ask(app, { headers: navigation });
    const page = new URL(String(answer.headers.location));
    expect([answer.status, page.origin + page.pathname]).toEqual([303, `https://${site}/account/login`]);
    expect(page.searchParams.get('next')).toBe('/orders?page=2');
    expect(answer.headers['cache-control']).toBe('private, no-store');
    expect(answer.headers['set-cookie']).toBeUndefined();
    for (const uri of ['//evil.example', '/\\evil.example', '/.//evil.example']) {
      const { headers } = await ask(app, { uri, headers: navigation });
      expect(headers.location).toBe(`https://${site}/account/login`);
    }
  });

  test('is a problem for a program', async () => {
    expect(await ask(app)).toMatchObject({ status: 401, body: { code: 'unauthenticated' } });
    expect((await ask(app, { method: 'POST', headers: navigation })).status).toBe(401);
  });

  test('is 401 with the same Location for nginx', async () => {
    const query = '?mode=nginx';
    const plain = await ask(app, { headers: navigation });
    expect(await ask(app, { query, headers: navigation })).toMatchObject({
      ...{ status: 401, body: '', headers: { location: plain.headers.location } },
    });
    expect((await ask(app, { query })).headers.location).toBeUndefined();
  });

  test('lacks each of the roles', async () => {
    const query = '?role=editor&role=billing';
    expect(await ask(app, withCookie({ query, headers: navigation }))).toMatchObject({
      ...{ status: 403, body: { code: 'forbidden' } },
    });
    const { id, token } = await signUp(app);
    await app.gatehouse.users.update(id, { roles: ['billing'] });
    const headers = { Cookie: await cookieFor(app, { token }) };
    expect((await ask(app, { query, headers })).status).toBe(200);
    expect((await ask(app, { query: '?role=editor', headers })).status).toBe(403);
  });

  test('was signed in to too long ago, or with one factor', async () => {
    const { token } = await signUp(app);
    const headers = { Cookie: await cookieFor(app, { token }) };
    expect((await ask(app, { query: '?recent=60', headers })).status).toBe(200);
    app.clock.advance(61_000);
    const old = await ask(app, { query: '?recent=60', headers: { ...headers, ...navigation } });
    expect(old.status).toBe(303);
    const page = new URL(String(old.headers.location));
    expect(Object.fromEntries(page.searchParams)).toEqual({
      ...{ error: 'recent_sign_in_required', next: '/orders?page=2' },
    });
    expect((await ask(app, { query: '?recent=60', headers })).status).toBe(401);
    expect((await ask(app, { query: '?mfa=1', headers })).body.code).toBe('mfa_enrolment_required');
    const person = await signUp(app);
    const before = { Cookie: await cookieFor(app, person) };
    await setUpTotp(app, person);
    expect((await ask(app, { query: '?mfa=1', headers: before })).body.code).toBe('recent_sign_in_required');
  });
});

describe('what changes something (CSRF)', () => {
  test.each([
    ['no method', { method: null }],
    ['POST', { method: 'POST' }],
    ['OPTIONS', { method: 'OPTIONS' }],
    ['get', { method: 'get' }],
    ['the handshake of a WebSocket', { headers: { Upgrade: 'websocket', Connection: 'Upgrade' } }],
    // Traefik asks without `Upgrade`, which is hop-by-hop.
    ['one as a proxy asks that keeps hop-by-hop headers', { headers: { 'Sec-WebSocket-Version': '13' } }],
    ['one of a proxy that has spoken HTTP/2', { headers: { 'Sec-Fetch-Mode': 'websocket' } }],
  ])('%s counts from the host itself alone', async (_, question: Question) => {
    const from = async (headers: Record<string, string>) =>
      (await ask(app, withCookie({ ...question, headers: { ...question.headers, ...headers } }))).status;
    expect(await from({})).toBe(401);
    expect(await from({ Origin: 'https://evil.example' })).toBe(401);
    expect(await from({ Origin: `https://${site}` })).toBe(200);
    expect(await from({ Origin: `https://${site}`, 'Sec-Fetch-Site': 'same-site' })).toBe(401);
    expect(await from({ 'Sec-Fetch-Site': 'same-origin' })).toBe(200);
    expect(await from({ 'Sec-Fetch-Site': 'none' })).toBe(200);
  });
});

describe('what a proxy says', () => {
  test('may be in the headers of nginx', async () => {
    const headers = {
      ...{ Cookie, 'X-Original-Method': 'POST', 'X-Original-URL': `https://${site}/orders?x=1` },
      Origin: `https://${site}`,
    };
    expect((await send(app, '/api/auth/forward-auth?mode=nginx', headers)).status).toBe(200);
    const { Origin: _, ...without } = headers;
    expect((await send(app, '/api/auth/forward-auth?mode=nginx', without)).status).toBe(401);
    const person = { ...navigation, 'X-Original-Method': 'GET', 'X-Original-URL': headers['X-Original-URL'] };
    const answer = await send(app, '/api/auth/forward-auth?mode=nginx', person);
    expect(new URL(String(answer.headers.location)).searchParams.get('next')).toBe('/orders?x=1');
  });

  test('is not mixed with what a client says in the headers of another proxy', async () => {
    const nginx = { 'X-Original-Method': 'GET', 'X-Original-URL': 'https://evil.example/x' };
    expect((await ask(app, withCookie({ method: 'POST', headers: nginx }))).status).toBe(401);
    expect((await ask(app, withCookie({ uri: null, headers: nginx }))).status).toBe(422);
    const usual = { 'X-Forwarded-Host': site, 'X-Forwarded-Method': 'GET', 'X-Forwarded-Uri': '/' };
    const own = { Cookie, ...usual, 'X-Original-Method': 'POST', 'X-Original-URL': `https://${site}/` };
    expect((await send(app, '/api/auth/forward-auth?mode=nginx', own)).status).toBe(401);
    // A snippet of nginx that lacks its lines must not leave the answer to the client.
    const { 'X-Original-URL': _, ...clients } = { ...own, 'X-Forwarded-Proto': 'https' };
    expect((await send(app, '/api/auth/forward-auth?mode=nginx', clients)).status).toBe(422);
  });

  test.each([
    ['http', { proto: 'http' }, 'X-Forwarded-Proto'],
    ['no scheme', { proto: null }, 'X-Forwarded-Proto'],
    ['two schemes', { proto: 'https, https' }, 'X-Forwarded-Proto'],
    ['no host', { host: null }, 'X-Forwarded-Host'],
    ['no URI', { uri: null }, 'X-Forwarded-Uri'],
    ['nothing', { proto: null, host: null, uri: null, method: null }, 'X-Forwarded-Proto'],
    [
      'nothing, for nginx',
      { proto: null, host: null, uri: null, method: null, query: '?mode=nginx' },
      'X-Original-URL',
    ],
  ])('is incomplete with %s: 422, and the log names what lacks', async (_, question, lacking) => {
    app.logs.length = 0;
    const answer = await ask(app, withCookie({ ...question, headers: navigation }));
    expect(answer).toMatchObject({ status: 422, body: { code: 'invalid_input' } });
    expect(warnings()).toEqual([
      [
        'the proxy does not say what is asked',
        expect.objectContaining({ lacks: expect.arrayContaining([lacking]) }),
      ],
    ]);
  });

  test.each([
    '',
    'evil.example',
    `${site}.evil.example`,
    `${site}:444`,
    `${site}, evil.example`,
    `user@${site}`,
    `${site}/x`,
    `.${site}`,
    `${site}.`,
  ])('a host %j is refused without a redirect', async host => {
    const headers = { Cookie: await cookieFor(app, await signUp(app)), ...navigation };
    const answer = await ask(app, { host, headers });
    expect([answer.status, answer.body.code, answer.headers.location]).toEqual([403, 'forbidden', undefined]);
  });

  test('another host is logged once a minute', async () => {
    app.clock.advance(60_000);
    for (const expected of [1, 2]) {
      app.logs.length = 0;
      for (let i = 0; i < 3; i++) await ask(app, { host: `evil${expected}.example` });
      expect(warnings()).toEqual([[expect.stringContaining('host'), { host: `evil${expected}.example` }]]);
      app.clock.advance(60_000);
    }
  });

  test('a host in capitals is the same, and a URI that is none is refused', async () => {
    const headers = { Cookie: await cookieFor(app, await signUp(app)) };
    expect((await ask(app, { host: site.toUpperCase(), headers })).status).toBe(200);
    for (const uri of ['', 'orders', 'https://evil.example/'])
      expect((await ask(app, { uri, headers })).status).toBe(403);
  });
});

test.each([
  ['?unknown=1', 'unknown'],
  ['?role=', 'role'],
  ['?role=editor&role=nobody', 'role'],
  ['?mfa=', 'mfa'],
  ['?mfa=true', 'mfa'],
  ['?mfa=1&mfa=1', 'mfa'],
  ['?recent=', 'recent'],
  ['?recent=0', 'recent'],
  ['?recent=-1', 'recent'],
  ['?recent=1.5', 'recent'],
  ['?recent=60&recent=60', 'recent'],
  ['?resource=nobody', 'resource'],
  ['?resource=machines', 'resource'],
  [`?resource=${encodeURIComponent(api)}`, 'resource'],
  ['?resource=orders&resource=orders', 'resource'],
  ['?mode=caddy', 'mode'],
  ['?Role=editor', 'Role'],
])('the parameters %s are refused, whoever asks', async (query, path) => {
  expect(await ask(app, { query, headers: navigation })).toMatchObject({
    ...{ status: 422, body: { code: 'invalid_input', errors: [{ path }] } },
  });
});

describe('who may ask', () => {
  test('a peer that is no proxy of the configuration is refused before anything is read', async () => {
    const strange = await startApp({ settings: { ...settings, trustedProxies: ['192.0.2.1'] } });
    const headers = { 'X-Forwarded-For': '192.0.2.1' };
    for (const query of ['', '?nonsense'])
      expect(await ask(strange, { query, headers })).toMatchObject({
        ...{ status: 403, body: { code: 'forbidden' } },
      });
    await strange.close();
  });

  test('with fetch it is the given address', async () => {
    const headers = {
      ...{ 'X-Forwarded-Method': 'GET', 'X-Forwarded-Proto': 'https', 'X-Forwarded-Host': site },
      ...{
        'X-Forwarded-Uri': '/',
        'X-Forwarded-For': '127.0.0.1',
        Cookie: await cookieFor(app, await signUp(app)),
      },
    };
    const question = () => new Request(`https://${site}/api/auth/forward-auth`, { headers });
    const { gatehouse } = app;
    expect((await gatehouse.fetch(question())).status).toBe(403);
    expect((await gatehouse.fetch(question(), { ip: '198.51.100.7' })).status).toBe(403);
    const answer = await gatehouse.fetch(question(), { ip: '127.0.0.1' });
    expect([answer.status, answer.headers.get('Remote-Name'), answer.headers.get('Cookie')]).toEqual([
      200,
      '',
      '',
    ]);
  });

  test('a preflight of the API’s own is not answered in its place', async () => {
    const cors = await startApp({ settings: { ...settings, corsOrigins: ['https://spa.example'] } });
    const headers = { Origin: 'https://spa.example', 'Access-Control-Request-Method': 'POST' };
    expect((await ask(cors, { by: 'OPTIONS', headers })).status).toBe(401);
    await cors.close();
  });
});

test('an account that has to set up a factor is led there', async () => {
  const settled = { ...strong, ...settings, mfaRequired: 'superusers' } as const;
  const restricted = await startApp({ settings: settled });
  const admin = await signUp(restricted);
  const headers = { Cookie: await cookieFor(restricted, admin) };
  await restricted.gatehouse.repositories.users.change(admin.id, { set: { isSuperuser: true } });
  expect((await ask(restricted, { headers })).body.code).toBe('mfa_enrolment_required');
  const { status, headers: led } = await ask(restricted, { headers: { ...headers, ...navigation } });
  expect([status, led.location]).toEqual([303, `https://${site}/account/me?error=mfa_enrolment_required`]);
  await restricted.close();
});

test('every outcome is counted, and OpenAPI knows the path', async () => {
  const lines = (await app.gatehouse.metrics!.text())
    .split('\n')
    .filter(line => /^gatehouse_forward/.test(line));
  for (const outcome of ['ok', 'unauthenticated', 'forbidden', 'invalid_input'])
    expect(lines.join('\n')).toContain(`gatehouse_forward_auth_total{outcome="${outcome}"}`);
  const { paths } = (await app.rest('GET', '/openapi.json')).body;
  expect(paths['/forward-auth'].get).toMatchObject({ operationId: 'forwardAuth' });
});

test('there is none of it while the flag is off', async () => {
  const off = await startApp({ settings: { ...settings, enableForwardAuth: false } });
  expect(await ask(off)).toMatchObject({ status: 404, body: 'not known to the host' });
  expect((await off.rest('GET', '/openapi.json')).body.paths).not.toHaveProperty('/forward-auth');
  await off.close();
});
