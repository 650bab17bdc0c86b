import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type App, logIn, type Member, password, signUp, startApp, tokenOf } from '../../support/app.ts';
import { describeStory } from '../../support/backends.ts';
import { cookieDoors, cookieOf, type Host, keepSession, startHost } from '../../support/browser-cookies.ts';
import { signUpSuperuser } from '../../support/people.ts';
import { strong } from '../../support/strong.ts';

// The session in a cookie, for pages that the host renders (CONTRACT §15.1).

const hour = 3_600_000;

describeStory('the browser session', backend => {
  let app: App;
  let host: Host;
  beforeAll(async () => {
    app = await startApp({ backend, settings: { ...strong, enableBrowserSessions: true } });
    host = await startHost(app.gatehouse);
  });
  afterAll(async () => {
    await host?.close();
    await app?.close();
  });

  const statusWith = async (Cookie: string) => (await host.ask('GET', '/orders', { Cookie })).status;

  describe.each(cookieDoors)('through $name', door => {
    test('is known to the pages of the host, as the same session', async () => {
      const member = await signUp(app);
      const reply = await door.create(app, member.token);
      const Cookie = cookieOf(reply);
      const orders = await host.ask('GET', '/orders', { Cookie });
      expect(orders).toMatchObject({ status: 200, body: { user: member.id } });
      const { purpose, ...own } = decodeJwt(Cookie.slice('svc='.length));
      const { purpose: other, ...session } = decodeJwt(member.token);
      expect([purpose, other]).toEqual(['browser_session', 'session']);
      expect(own).toEqual(session);
      expect(reply.headers.get('Cache-Control')).toBe('no-store');
      // Only the cookie has it.
      expect(JSON.stringify(reply.body)).not.toContain('eyJ');
    });

    test('is taken away without a session, and goes on elsewhere', async () => {
      const { token } = await signUp(app);
      const Cookie = await keepSession(app, token);
      const reply = await door.end(app);
      expect(reply.headers.getSetCookie()).toEqual(['svc=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax']);
      expect(await statusWith(Cookie)).toBe(200);
      expect(await app.rest('GET', '/me', undefined, { token })).toMatchObject({ status: 200 });
    });

    test('is not given without a session, and sets nothing then', async () => {
      const { token } = await signUp(app);
      const Cookie = await keepSession(app, token);
      await app.rest('POST', '/logout', {}, { token });
      for (const bearer of [undefined, 'x', token, Cookie.slice('svc='.length)]) {
        const { status, body, headers } = await door.create(app, bearer);
        expect(body.code ?? body.errors[0].extensions.code).toBe('unauthenticated');
        expect([status, headers.getSetCookie()]).toEqual([door.name === 'REST' ? 401 : 200, []]);
      }
    });
  });

  // Shows 63b/5.1#csrf.
  test('no API accepts the cookie, and no interface reads it', async () => {
    const { token } = await signUpSuperuser(app);
    const Cookie = await keepSession(app, token);
    const value = Cookie.slice('svc='.length);
    const own = { Cookie, 'Sec-Fetch-Site': 'same-origin', Origin: 'http://localhost:8000' };
    const calls = [
      ['GET', '/me'],
      ['PATCH', '/me', { full_name: 'Mallory' }],
      ['POST', '/logout', { everywhere: true }],
      ['DELETE', '/account', { current_password: 'correct horse battery' }],
      ['POST', '/browser-session'],
      ['DELETE', '/sessions'],
      ['GET', '/admin/users'],
    ] as const;
    for (const [method, path, body] of calls) {
      for (const headers of [own, { Authorization: `Bearer ${value}` }]) {
        const reply = await app.rest(method, path, body, { headers });
        expect(reply, `${method} ${path}`).toMatchObject({ status: 401, body: { code: 'unauthenticated' } });
      }
    }
    for (const document of ['{ me { id } }', 'mutation { logout { message } }']) {
      for (const headers of [own, { Authorization: `Bearer ${value}` }]) {
        const { body } = await app.graphql(document, undefined, { headers });
        expect(body.errors[0].extensions.code).toBe('unauthenticated');
      }
    }
    expect(await app.gatehouse.authenticate(value)).toBeNull();
    // Nor does a guard that was not asked to.
    for (const headers of [own, { Authorization: `Bearer ${value}` }]) {
      expect(await host.ask('GET', '/api', headers)).toMatchObject({ status: 401 });
    }
    expect(await app.rest('GET', '/me', undefined, { token })).toMatchObject({ body: { full_name: null } });
  });

  test('no other token is good in its place', async () => {
    const { token, email } = await signUp(app);
    await app.rest('POST', '/forgot-password', { email });
    for (const value of [token, tokenOf(await app.nextMail(email)), '', 'x', '"', 'a.b.c']) {
      expect(await statusWith(`svc=${value}`), value).toBe(401);
    }
  });

  describe('ends at once with its session:', () => {
    const asRoot = async () => ({ token: (await signUpSuperuser(app)).token });
    const endings: Record<string, (member: Member) => Promise<unknown>> = {
      logout: ({ token }) => app.rest('POST', '/logout', {}, { token }),
      'logout everywhere': ({ token }) => app.rest('POST', '/logout', { everywhere: true }, { token }),
      'a new password': ({ token }) =>
        app.rest(
          'POST',
          '/change-password',
          { current_password: password, new_password: 'another horse' },
          { token },
        ),
      'a reset': async ({ email }) => {
        await app.rest('POST', '/forgot-password', { email });
        const token = tokenOf(await app.nextMail(email));
        await app.rest('POST', '/reset-password', { token, new_password: 'another horse' });
      },
      'another sign-in in its place': ({ token }) =>
        app.rest('POST', '/reauthenticate', { password }, { token }),
      'its end in the list': async ({ token }) => {
        const { jti } = decodeJwt(token);
        await app.rest('DELETE', `/sessions/${jti}`, undefined, { token });
      },
      'the end of all others': async member => {
        const token = await logIn(app, member);
        await app.rest('DELETE', '/sessions', undefined, { token });
      },
      'an administrator’s revocation': async ({ id }) =>
        app.rest('POST', `/admin/users/${id}/revoke-sessions`, {}, await asRoot()),
      'an administrator’s end of the session': async ({ id, token }) =>
        app.rest('DELETE', `/admin/users/${id}/sessions/${decodeJwt(token).jti}`, undefined, await asRoot()),
      disablement: async ({ id }) =>
        app.rest('PATCH', `/admin/users/${id}`, { is_active: false }, await asRoot()),
      'deletion of the account': ({ token }) =>
        app.rest('DELETE', '/account', { current_password: password }, { token }),
    };
    test.each(Object.keys(endings))('%s', async name => {
      const member = await signUp(app);
      // One that was made before does not count as fresh, whatever its age.
      const Cookie = await keepSession(app, member.token);
      expect(await statusWith(Cookie)).toBe(200);
      await endings[name]!(member);
      expect(await statusWith(Cookie)).toBe(401);
    });

    // Shows asvs/7.4.1.
    test('its time, however late the cookie was made', async () => {
      const { token } = await signUp(app);
      app.clock.advance(hour);
      const Cookie = await keepSession(app, token);
      app.clock.advance(hour - 1);
      expect(await statusWith(Cookie)).toBe(200);
      app.clock.advance(1);
      expect(await statusWith(Cookie)).toBe(401);
    });
  });

  test('its use is a use of the session, for the list and for sessions that end unused', async () => {
    const idle = await startApp({
      backend,
      settings: { enableBrowserSessions: true, enableSessionList: true, sessionIdleTtlSeconds: 600 },
    });
    const pages = await startHost(idle.gatehouse);
    const [{ token, id }, asleep] = [await signUp(idle), await signUp(idle)];
    const Cookie = await keepSession(idle, token);
    const unused = await keepSession(idle, asleep.token);
    const { sessions } = idle.gatehouse.repositories;
    for (let i = 0; i < 3; i++) {
      idle.clock.advance(500_000);
      expect(await pages.ask('GET', '/orders', { Cookie })).toMatchObject({ status: 200 });
      await expect.poll(async () => (await sessions.listByUser(id))[0]!.lastSeenAt).toEqual(idle.clock.now());
    }
    expect(await pages.ask('GET', '/orders', { Cookie: unused })).toMatchObject({ status: 401 });
    await pages.close();
    await idle.close();
  });
});

test('with the flag off there is no operation, no cookie is set, and no guard can be made that reads one', async () => {
  const app = await startApp();
  const { token } = await signUp(app);
  for (const { create, end } of cookieDoors) {
    for (const reply of [await create(app, token), await end(app, token)]) {
      expect(reply.headers.getSetCookie()).toEqual([]);
      const isGraphql = typeof reply.body === 'object';
      expect(isGraphql ? reply.body.errors[0].message : reply.status).toEqual(
        isGraphql ? expect.stringMatching(/^Cannot query field/) : 404,
      );
    }
  }
  const browser = true;
  const { gatehouse } = app;
  expect(() => gatehouse.requireSession({ browser })).toThrow(
    'requireSession({ browser: true }) needs enable_browser_sessions = true.',
  );
  expect(() => gatehouse.requireSuperuser({ browser })).toThrow(/needs enable_browser_sessions/);
  expect(() => gatehouse.optionalSession({ browser })).toThrow(/needs enable_browser_sessions/);
  const request = new Request('http://localhost:8000/');
  await expect(gatehouse.sessionOf(request, { browser })).rejects.toThrow(/needs enable_browser_sessions/);
  await expect(gatehouse.protect(request, { browser })).rejects.toThrow(/needs enable_browser_sessions/);
  // To say no is allowed everywhere.
  expect(() => gatehouse.requireSession({ browser: false })).not.toThrow();
  await app.close();
});

// Shows 63b/5.1.1#cookie.
test('https gives the cookie the prefix that keeps it to this host, and http elsewhere is an error at start', async () => {
  const app = await startApp({
    settings: { enableBrowserSessions: true, baseUrl: 'https://shop.example.org', jwtAudience: 'shop' },
  });
  const { token } = await signUp(app);
  // Whichever server has received the request.
  const request = new Request('https://shop.example.org/api/auth/browser-session', {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}` },
  });
  const { headers, status } = await app.gatehouse.fetch(request);
  expect(status).toBe(204);
  const [cookie] = headers.getSetCookie();
  expect(cookie).toMatch(/^__Host-svc=[\w-]+\.[\w-]+\.[\w-]+; Path=\/; HttpOnly; SameSite=Lax; Secure$/);
  const page = new Request('https://shop.example.org/', { headers: { Cookie: cookie!.split(';')[0]! } });
  const auth = await app.gatehouse.sessionOf(page, { browser: true });
  expect(auth!.claims.aud).toBe('shop');
  const forgotten = ['__Host-svc=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax; Secure'];
  expect((await app.rest('DELETE', '/browser-session')).headers.getSetCookie()).toEqual(forgotten);
  // So does a sign-out, through both doors, whichever client it comes from.
  expect((await app.rest('POST', '/logout', {}, { token })).headers.getSetCookie()).toEqual(forgotten);
  const { token: other } = await signUp(app);
  const out = await app.graphql('mutation { logout { message } }', {}, { token: other });
  expect([out.body.errors, out.headers.getSetCookie()]).toEqual([undefined, forgotten]);
  await app.close();

  await expect(
    startApp({ settings: { enableBrowserSessions: true, baseUrl: 'http://shop.example.org' } }),
  ).rejects.toThrow(/baseUrl: must be https with enable_browser_sessions/);
});
