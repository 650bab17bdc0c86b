import { createHash } from 'node:crypto';
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { load, problemOf } from '../../config/support.ts';
import { type App, logIn, type Member, signUp, startApp } from '../../support/app.ts';
import { describeEachDriver } from '../../support/backends.ts';
import { strong } from '../../support/strong.ts';
import { type Answer, ask, cookieFor, navigation, type Question, send, settings, site } from './proxy.ts';

// Forward authentication on hosts beside that of `base_url` (CONTRACT §16.7).

const host = 'wiki.example';
const other = 'board.example:8443';
const own = { ...strong, ...settings, forwardAuthHosts: [host, other] };

const locationOf = ({ headers }: Answer) => new URL(String(headers.location));
/** The one cookie of an answer, as the browser sends it. */
function cookieIn({ headers }: Answer): string {
  const cookies = headers['set-cookie'] ?? [];
  expect(cookies).toHaveLength(1);
  return cookies[0]!.split(';', 1)[0]!;
}

/** A person opens a page of another host. */
const open = (app: App, Cookie = '', question: Question = {}) =>
  ask(app, { host, uri: '/page?a=1', ...question, headers: { ...navigation, Cookie, ...question.headers } });

/** A browser at the start, with the cookie of `base_url`. */
const start = (app: App, location: URL, Cookie = '') =>
  send(app, location.pathname + location.search, { ...navigation, Cookie });

/** Goes from a page of another host over the start to the ticket. */
async function ticketFor(app: App, member: { token: string }) {
  const first = await open(app);
  const state = cookieIn(first);
  const started = await start(app, locationOf(first), await cookieFor(app, member));
  const { pathname, search, searchParams } = locationOf(started);
  return { state, uri: pathname + search, ticket: searchParams.get('svc_ticket')!, started };
}

/** The cookie of a person at another host. */
async function keptAt(app: App, member: { token: string }) {
  const { state, uri } = await ticketFor(app, member);
  return cookieIn(await open(app, state, { uri }));
}

describeEachDriver('a person at another host', backend => {
  let app: App;
  let member: Member;
  beforeAll(async () => {
    app = await startApp({ backend, settings: own });
    member = await signUp(app);
  });
  afterAll(() => app?.close());

  test('is brought there by a ticket, which is good once and for that browser', async () => {
    const { state, uri, started } = await ticketFor(app, member);
    expect([started.status, locationOf(started).origin]).toEqual([303, `https://${host}`]);
    expect(uri).toMatch(/^\/page\?a=1&svc_ticket=eyJ/);
    // Of many uses at once one counts.
    const answers = await Promise.all(Array.from({ length: 5 }, () => open(app, state, { uri })));
    const [first, ...more] = answers.toSorted((a, b) => a.status - b.status);
    expect([first!.status, locationOf(first!).href]).toEqual([303, `https://${host}/page?a=1`]);
    expect(more.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
    expect(first!.headers['set-cookie']).toEqual([
      expect.stringMatching(/^__Host-svc=eyJ[^;]+; Path=\/; HttpOnly; SameSite=Lax; Secure$/),
    ]);
    const Cookie = `${state}; theme=dark; ${cookieIn(first!)}`;
    expect(await ask(app, { host, headers: { Cookie } })).toMatchObject({
      status: 200,
      headers: { 'remote-user': member.id, cookie: 'theme=dark' },
    });
  });

  test('is signed out there when the session ends', async () => {
    const { token } = await signUp(app);
    const headers = { Cookie: await keptAt(app, { token }) };
    expect((await ask(app, { host, headers })).status).toBe(200);
    await app.rest('POST', '/logout', {}, { token });
    expect((await ask(app, { host, headers })).status).toBe(401);
    // Nor does a ticket of before bring it back.
    const again = await signUp(app);
    const { state, uri } = await ticketFor(app, again);
    await app.rest('POST', '/logout', { everywhere: true }, { token: again.token });
    expect((await open(app, state, { uri })).status).toBe(403);
  });
});

describe('at one database', () => {
  let app: App;
  let member: Member;
  beforeAll(async () => {
    app = await startApp({ settings: own });
    member = await signUp(app);
  });
  afterAll(() => app?.close());

  test('a navigation without a session goes to the start with the hash of a state', async () => {
    const answer = await open(app);
    const { origin, pathname, searchParams } = locationOf(answer);
    expect([answer.status, origin + pathname]).toEqual([303, `https://${site}/api/auth/forward-auth/start`]);
    expect(answer.headers['set-cookie']![0]).toMatch(
      /^__Host-svc-state=[\w-]{43}; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
    );
    const [, value = ''] = cookieIn(answer).split('=');
    const state = createHash('sha256').update(value).digest('base64url');
    expect(Object.fromEntries(searchParams)).toEqual({ host, to: '/page?a=1', state });
    // One that is there is used again; one that can be none, or is there twice, is not.
    expect(locationOf(await open(app, cookieIn(answer))).searchParams.get('state')).toBe(state);
    for (const Cookie of ['__Host-svc-state=short', `${cookieIn(answer)}; ${cookieIn(answer)}`])
      expect(locationOf(await open(app, Cookie)).searchParams.get('state')).not.toBe(state);
    const nginx = await open(app, '', { query: '?mode=nginx' });
    expect([nginx.status, nginx.headers['set-cookie']?.length]).toEqual([401, 1]);
    expect(locationOf(nginx).pathname).toBe('/api/auth/forward-auth/start');
  });

  test('a program gets a problem and no cookie', async () => {
    const answer = await ask(app, { host, uri: '/page?svc_ticket=x' });
    expect([answer.status, answer.headers['set-cookie']]).toEqual([401, undefined]);
  });

  test('the start leads a person without a session to the login page, with itself as next', async () => {
    const location = locationOf(await open(app));
    const answer = await start(app, location);
    const page = locationOf(answer);
    expect([answer.status, page.origin + page.pathname]).toEqual([303, `https://${site}/account/login`]);
    expect(page.searchParams.get('next')).toBe(location.pathname + location.search);
    expect(answer.headers['set-cookie']).toBeUndefined();
  });

  test('a sign-in that is too old goes by the login page to the start', async () => {
    const { token } = await signUp(app);
    const Cookie = await keptAt(app, { token });
    app.clock.advance(61_000);
    const answer = await open(app, Cookie, { query: '?recent=60' });
    const page = locationOf(answer);
    expect(page.origin + page.pathname).toBe(`https://${site}/account/login`);
    expect(page.searchParams.get('error')).toBe('recent_sign_in_required');
    const next = new URL(page.searchParams.get('next')!, `https://${site}`);
    expect([next.pathname, next.searchParams.get('to')]).toEqual([
      '/api/auth/forward-auth/start',
      '/page?a=1',
    ]);
    const fresh = { token: await logIn(app, member) };
    const started = await start(app, next, await cookieFor(app, fresh));
    const { pathname, search } = locationOf(started);
    const back = await open(app, cookieIn(answer), { uri: pathname + search });
    expect((await open(app, cookieIn(back), { query: '?recent=60' })).status).toBe(200);
  });

  test.each([
    ['another host', async () => ({ ...(await ticketFor(app, member)), host: other })],
    ['no state', async () => ({ ...(await ticketFor(app, member)), state: '' })],
    ['another state', async () => ({ ...(await ticketFor(app, member)), state: cookieIn(await open(app)) })],
    ['no token at all', async () => ({ ...(await ticketFor(app, member)), uri: '/page?a=1&svc_ticket=x' })],
    ['an empty one', async () => ({ ...(await ticketFor(app, member)), uri: '/page?a=1&svc_ticket=' })],
    [
      'a session in its place',
      async () => ({ ...(await ticketFor(app, member)), uri: `/page?a=1&svc_ticket=${member.token}` }),
    ],
    [
      'two tickets',
      async () => {
        const { uri, ticket, state } = await ticketFor(app, member);
        return { uri: `${uri}&svc_ticket=${ticket}`, state };
      },
    ],
    [
      'one that has expired',
      async () => {
        const ticket = await ticketFor(app, member);
        app.clock.advance(61_000);
        return ticket;
      },
    ],
  ])('a ticket with %s shows a page and leads nowhere', async (_, make) => {
    const { state, uri, host: at = host } = (await make()) as { state: string; uri: string; host?: string };
    const answer = await open(app, state, { uri, host: at });
    expect([answer.status, answer.headers.location, answer.headers['set-cookie']]).toEqual([
      403,
      undefined,
      undefined,
    ]);
    expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(answer.body).toContain('<h1>Open the address again</h1>');
    expect(answer.body).toContain(`href="https://${at}/page?a=1"`);
  });

  test('a page whose name has a space is opened', async () => {
    const first = await open(app, '', { uri: '/My%20page?a=b%20c' });
    const started = await start(app, locationOf(first), await cookieFor(app, member));
    const { pathname, search } = locationOf(started);
    const back = await open(app, cookieIn(first), { uri: pathname + search });
    expect([back.status, back.headers.location]).toEqual([303, `https://${host}/My%20page?a=b%20c`]);
  });

  test('a browser without cookies does not go round for ever', async () => {
    const first = await open(app);
    const started = await start(app, locationOf(first), await cookieFor(app, member));
    const { pathname, search } = locationOf(started);
    expect((await open(app, '', { uri: pathname + search })).status).toBe(403);
  });

  test('at the host of base_url, and for programs, svc_ticket is a parameter like any other', async () => {
    const { uri, state } = await ticketFor(app, member);
    const Cookie = await cookieFor(app, member);
    expect((await ask(app, { uri, headers: { Cookie, ...navigation } })).status).toBe(200);
    const program = { headers: { Cookie: `${state}; ${await keptAt(app, member)}` } };
    expect((await ask(app, { ...program, host, uri })).status).toBe(200);
  });

  test('its cookie is refused at every other host, by guards and by the API, and so is that of base_url there', async () => {
    const Cookie = await keptAt(app, member);
    const token = Cookie.slice('__Host-svc='.length);
    const { purpose, ...claims } = decodeJwt(token);
    const { purpose: _, ...session } = decodeJwt(member.token);
    expect([purpose, claims]).toEqual(['forwarded_session', { ...session, host }]);
    expect((await ask(app, { host: other, headers: { Cookie } })).status).toBe(401);
    expect((await ask(app, { headers: { Cookie } })).status).toBe(401);
    expect((await ask(app, { host, headers: { Cookie: await cookieFor(app, member) } })).status).toBe(401);
    expect((await app.rest('GET', '/me', undefined, { token })).status).toBe(401);
    const request = new Request(`https://${site}/orders`, { headers: { Cookie } });
    expect(await app.gatehouse.sessionOf(request, { browser: true })).toBeNull();
  });

  test('a change needs the origin of that host', async () => {
    const Cookie = await keptAt(app, member);
    const from = async (Origin: string) =>
      (await ask(app, { host, method: 'POST', headers: { Cookie, Origin } })).status;
    expect(await from(`https://${host}`)).toBe(200);
    expect(await from(`https://${site}`)).toBe(401);
  });

  const state = 'x'.repeat(43);
  const query = (given: Record<string, string>) =>
    `/api/auth/forward-auth/start?${new URLSearchParams({ host, to: '/', state, ...given })}`;
  test.each<[string, string, number]>([
    ['an unknown host', query({ host: 'evil.example' }), 404],
    ['the host of base_url', query({ host: site }), 404],
    ['a host in capitals', query({ host: 'WIKI.example' }), 404],
    ['no host', query({ host: '' }), 422],
    ['a list of hosts', query({ host: `${host},evil.example` }), 422],
    ['a host twice', `${query({})}&host=evil.example`, 422],
    ['a host with a user', query({ host: `user@${host}` }), 422],
    ['no to', query({ to: '' }), 422],
    ['a to twice', `${query({})}&to=/x`, 422],
    ['a to with a user', query({ to: `https://user@${host}/` }), 422],
    ['no state', query({ state: '' }), 422],
    ['a state that can be none', query({ state: 'x' }), 422],
    ...[
      '//evil.example',
      '/\\evil.example',
      'https://evil.example/',
      '/\t/evil.example',
      'javascript:1',
      '/.//x',
    ].map((to): [string, string, number] => [`a to of ${JSON.stringify(to)}`, query({ to }), 400]),
  ])('the start refuses %s, with a session and without', async (_, path, status) => {
    const Cookie = await cookieFor(app, member);
    for (const headers of [navigation, { ...navigation, Cookie }]) {
      const answer = await send(app, path, headers);
      expect([answer.status, answer.headers.location]).toEqual([status, undefined]);
    }
  });

  test('the start is only read', async () => {
    const answer = await send(app, query({}), {}, 'POST');
    expect([answer.status, answer.headers.allow]).toEqual([405, 'GET, HEAD']);
  });
});

test('on loopback the cookies have no prefix, and the other host is of loopback', async () => {
  const app = await startApp({
    settings: { ...own, baseUrl: 'http://localhost:8000', forwardAuthHosts: ['localhost:9000'] },
  });
  const answer = await ask(app, { host: 'localhost:9000', proto: 'http', headers: navigation });
  expect(answer.headers['set-cookie']![0]).toMatch(
    /^svc-state=[\w-]{43}; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/,
  );
  expect(locationOf(answer).origin).toBe('http://localhost:8000');
  await app.close();
});

test('the hosts of a configuration are whole, in lower case, others than base_url, and https', () => {
  const of = (SVC_FORWARD_AUTH_HOSTS: string, env: Record<string, string> = {}) =>
    problemOf({ env: { SVC_BASE_URL: 'https://id.example', SVC_FORWARD_AUTH_HOSTS, ...env } });
  expect(load({ env: { SVC_FORWARD_AUTH_HOSTS: 'localhost:9000' } }).config.forwardAuthHosts).toEqual([
    'localhost:9000',
  ]);
  for (const wrong of [
    '*.example',
    'WIKI.example',
    'https://wiki.example',
    'wiki.example/',
    'user@wiki.example',
  ])
    expect(of(wrong)).toMatch(/must be a host such as/);
  expect(of('wiki.example,id.example')).toMatch(/which is that of base_url/);
  expect(of('wiki.example', { SVC_BASE_URL: 'http://localhost:8000' })).toMatch(/must be of loopback/);
  expect(of('wiki.example')).toBe('');
});
