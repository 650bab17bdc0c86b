import type { RequestHandler } from 'express';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type App, signUp, startApp } from '../../support/app.ts';
import {
  type Ask,
  asFetch,
  askBoth,
  each,
  type Host,
  keepSession,
  navigation,
  startHost,
} from '../../support/browser-cookies.ts';
import { signUpSuperuser } from '../../support/people.ts';
import { setUpTotp, strong } from '../../support/strong.ts';

// Guards that let the session of the browser count (CONTRACT §15.1), on Node and in the form of the Fetch standard.

const baseUrl = 'http://localhost:8000';
let app: App;
let host: Host;
let Cookie: string;
beforeAll(async () => {
  app = await startApp({ settings: { ...strong, baseUrl, enableBrowserSessions: true } });
  host = await startHost(app.gatehouse);
  Cookie = await keepSession(app, (await signUp(app)).token);
});
afterAll(async () => {
  await host?.close();
  await app?.close();
});

const ask: Ask = (...asked) => askBoth(app, host, ...asked);
const login = (query: string) => `${baseUrl}/account/login${query}`;

describe('what a foreign page can make a browser send (CSRF):', () => {
  const changing = ['POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND'];

  test.each(changing)('%s counts only from this origin', async method => {
    const own: Record<string, string>[] = [
      { 'Sec-Fetch-Site': 'same-origin' },
      { 'Sec-Fetch-Site': 'none' },
      { Origin: baseUrl },
      { 'Sec-Fetch-Site': 'same-origin', Origin: 'null' },
    ];
    const foreign: Record<string, string>[] = [
      { 'Sec-Fetch-Site': 'cross-site' },
      // A sibling, such as blog.example.org: browsers send the cookie, whatever its SameSite says.
      { 'Sec-Fetch-Site': 'same-site' },
      // The browser's own word wins over a header that fits.
      { 'Sec-Fetch-Site': 'cross-site', Origin: baseUrl },
      { 'Sec-Fetch-Site': 'same-site', Origin: baseUrl },
      { 'Sec-Fetch-Site': 'same-origin, cross-site' },
      { 'Sec-Fetch-Site': '' },
      { 'Sec-Fetch-Site': 'Same-Origin' },
      { Origin: 'null' },
      { Origin: 'http://localhost:8001' },
      { Origin: 'https://localhost:8000' },
      { Origin: `${baseUrl}.evil.example` },
      { Origin: `${baseUrl}/` },
      { Referer: `${baseUrl}/orders` },
      {},
    ];
    for (const headers of own) {
      expect(await ask(method, '/orders', { Cookie, ...headers })).toMatchObject({ status: 200 });
    }
    for (const headers of foreign) {
      const refused = await ask(method, '/orders', { Cookie, ...headers });
      expect(refused, JSON.stringify(headers)).toMatchObject({
        status: 401,
        body: { code: 'unauthenticated', detail: expect.stringContaining('requests of this site') },
      });
      // Nor is anybody led away who sends a form.
      const form = await ask(method, '/orders', { Cookie, ...headers, Accept: 'text/html' });
      expect(form.status).toBe(401);
      expect(await host.ask(method, '/maybe', { Cookie, ...headers })).toMatchObject({
        status: 200,
        body: { method },
        headers: { vary: 'Cookie' },
      });
      expect((await host.ask(method, '/maybe', { Cookie, ...headers })).body.user).toBeUndefined();
    }
  });

  test('GET and HEAD change nothing, and count from everywhere: a link in an email opens the page', async () => {
    for (const method of ['GET', 'HEAD']) {
      for (const headers of each({}, navigation, { 'Sec-Fetch-Site': 'cross-site', Origin: 'null' })) {
        expect(await ask(method, '/orders', { Cookie, ...headers })).toMatchObject({ status: 200 });
      }
    }
  });

  test('the handshake of a WebSocket is no view', async () => {
    const upgrade = { Cookie, Upgrade: 'websocket' };
    const asked = (headers: Record<string, string>) =>
      app.gatehouse.sessionOf(asFetch('GET', '/socket', { ...upgrade, ...headers }), { browser: true });
    expect(await asked({ Origin: 'http://blog.localhost:8000' })).toBeNull();
    expect(await asked({ 'Sec-Fetch-Site': 'same-site', Upgrade: 'WebSocket' })).toBeNull();
    expect(await asked({ Origin: baseUrl })).not.toBeNull();
  });

  test('a method that middleware has replaced (method override) hides nothing', async () => {
    // As the package method-override does it.
    const override: RequestHandler = (req, _res, next) => {
      const replaced = new URL(req.url, baseUrl).searchParams.get('_method');
      if (replaced) Object.assign(req, { originalMethod: req.method, method: replaced });
      next();
    };
    const overriding = await startHost(app.gatehouse, [override]);
    const foreign = { Cookie, 'Sec-Fetch-Site': 'same-site' };
    for (const [sent, replaced] of [
      ['POST', 'GET'],
      ['POST', 'DELETE'],
      ['GET', 'DELETE'],
    ] as const) {
      const path = `/orders?_method=${replaced}`;
      expect(await overriding.ask(sent, path, foreign)).toMatchObject({ status: 401 });
      const own = { Cookie, 'Sec-Fetch-Site': 'same-origin' };
      expect(await overriding.ask(sent, path, own)).toMatchObject({
        status: 200,
        body: { method: replaced },
      });
    }
    await overriding.close();
  });
});

describe('a person without a session', () => {
  test('opening a page leads to the login page, and from there back', async () => {
    for (const headers of each(navigation, { Accept: 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8' })) {
      for (const method of ['GET', 'HEAD']) {
        const { status, headers: answered, body } = await ask(method, '/orders?page=2&q=a%26b', headers);
        expect([status, body]).toEqual([303, '']);
        expect(answered.location).toBe(login('?next=%2Forders%3Fpage%3D2%26q%3Da%2526b'));
      }
    }
  });

  test('any other request gets the answer of the API', async () => {
    const programs = each(
      {},
      { Accept: 'application/json' },
      { 'Sec-Fetch-Mode': 'cors' },
      { Accept: '*/*' },
    );
    for (const headers of programs) {
      expect(await ask('GET', '/orders', headers)).toMatchObject({
        status: 401,
        headers: { 'www-authenticate': 'Bearer', 'content-type': 'application/problem+json' },
        body: { code: 'unauthenticated' },
      });
    }
    expect(await ask('POST', '/orders', navigation)).toMatchObject({ status: 401 });
  });

  test('is led to no other site afterwards (open redirect)', async () => {
    const elsewhere = ['//evil.example/x', '/\\evil.example', '/.//evil.example', '/%2F%2Fevil.example'];
    for (const target of [
      ...elsewhere,
      '/%5Cevil.example',
      '/%09/evil.example',
      '/a%0d%0aSet-Cookie:x',
      '/%zz',
    ]) {
      const answer = await host.ask('GET', `/orders/..${target}`, navigation).catch(() => null);
      const guarded = await rawGuard(target);
      expect(guarded, target).toEqual({ status: 303, location: login('') });
      expect(answer?.headers.location ?? '').not.toMatch(/evil/);
    }
    for (const target of ['http://evil.example/orders', 'javascript:alert(1)', 'https://localhost:8000/x']) {
      expect(await rawGuard(target), target).toEqual({ status: 303, location: login('') });
    }
    expect(await rawGuard(`${baseUrl}/orders`)).toEqual({ status: 303, location: login('?next=%2Forders') });
  });

  /** What a guard does with a request target that an HTTP client would not send. */
  async function rawGuard(originalUrl: string) {
    const sent = { status: 0, location: '' };
    const guard = app.gatehouse.requireSession({ browser: true });
    const res = {
      getHeader: () => undefined,
      setHeader() {},
      writeHead(status: number, headers: Record<string, string>) {
        Object.assign(sent, { status, location: headers.Location });
      },
      end() {},
    };
    const headers = { 'sec-fetch-mode': 'navigate' };
    await guard({ method: 'GET', originalUrl, url: '/', headers, socket: {} } as never, res as never, () => {
      throw new Error('The guard let a request without a session through.');
    });
    return sent;
  }

  test('is led to the login page of the host, whatever is in its address', async () => {
    const elsewhere = 'https://app.example.org/?lang=en#/sign-in';
    const own = await startApp({ settings: { enableBrowserSessions: true, urls: { login: elsewhere } } });
    const { response } = await own.gatehouse.protect(asFetch('GET', '/orders', navigation), {
      browser: true,
    });
    expect(response!.headers.get('Location')).toBe(
      'https://app.example.org/?lang=en&next=%2Forders#/sign-in',
    );
    await own.close();
  });
});

describe('a session that is not enough', () => {
  test('sends a person to sign in again, and says why', async () => {
    const old = await startApp({ settings: { ...strong, baseUrl, enableBrowserSessions: true } });
    const pages = await startHost(old.gatehouse);
    const member = await signUp(old);
    const aged = await keepSession(old, member.token);
    old.clock.advance(301_000);
    expect(await pages.ask('GET', '/recent', { Cookie: aged, ...navigation })).toMatchObject({
      status: 303,
      headers: { location: login('?error=recent_sign_in_required&next=%2Frecent') },
    });
    expect(await pages.ask('GET', '/recent', { Cookie: aged })).toMatchObject({
      status: 401,
      body: { code: 'recent_sign_in_required' },
      headers: { 'www-authenticate': /max_age=300/ },
    });
    // A second factor that was set up since is asked for in the same way; where there is none, the account page has it.
    const enrol = {
      status: 303,
      headers: { location: `${baseUrl}/account/me?error=mfa_enrolment_required` },
    };
    expect(await pages.ask('GET', '/mfa', { Cookie: aged, ...navigation })).toMatchObject(enrol);
    await pages.close();
    await old.close();

    const { token } = await signUp(app);
    const weak = await keepSession(app, token);
    expect(await ask('GET', '/mfa', { Cookie: weak })).toMatchObject({ status: 403 });
    await setUpTotp(app, { token });
    expect(await ask('GET', '/mfa', { Cookie: weak, ...navigation })).toMatchObject({
      status: 303,
      headers: { location: login('?error=recent_sign_in_required&next=%2Fmfa') },
    });
  });

  test('is refused where administrators alone may go', async () => {
    const refused = { status: 403, body: { code: 'forbidden' } };
    expect(await ask('GET', '/backstage', { Cookie, ...navigation })).toMatchObject(refused);
    const root = await keepSession(app, (await signUpSuperuser(app)).token);
    expect(await ask('GET', '/backstage', { Cookie: root, ...navigation })).toMatchObject({ status: 200 });
  });
});
