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
import { strong } from '../../support/strong.ts';

// Which session counts for a guard that reads the cookie (CONTRACT §15.1), and what its answers carry.

let app: App;
let host: Host;
let Cookie: string;
beforeAll(async () => {
  app = await startApp({ settings: { ...strong, enableBrowserSessions: true } });
  host = await startHost(app.gatehouse);
  Cookie = await keepSession(app, (await signUp(app)).token);
});
afterAll(async () => {
  await host?.close();
  await app?.close();
});

const ask: Ask = (...asked) => askBoth(app, host, ...asked);

describe('which session counts:', () => {
  test('that of the bearer token, where there is one', async () => {
    const { token, id } = await signUp(app);
    const bearer = { Cookie, Authorization: `Bearer ${token}` };
    expect((await ask('GET', '/orders', bearer)).body.user).toBe(id);
    // It needs no origin: nothing adds it by itself.
    const foreign = { ...bearer, 'Sec-Fetch-Site': 'cross-site' };
    expect((await ask('POST', '/orders', foreign)).body.user).toBe(id);
    for (const wrong of ['Bearer made.up.token', 'Bearer', 'bearer  x', 'BEARER x y']) {
      expect(await ask('GET', '/orders', { Cookie, ...navigation, Authorization: wrong })).toMatchObject({
        status: 401,
      });
    }
    // A password in front of a test installation is none.
    expect(await ask('GET', '/orders', { Cookie, Authorization: 'Basic dTpw' })).toMatchObject({
      status: 200,
    });
  });

  test('none of two cookies of that name: one of them was set by somebody else (cookie tossing)', async () => {
    const other = await keepSession(app, (await signUp(app)).token);
    for (const both of [
      `${Cookie}; ${other}`,
      `${other};${Cookie}`,
      `${Cookie}; ${Cookie}`,
      `svc=; ${Cookie}`,
    ]) {
      expect(await ask('GET', '/orders', { Cookie: both }), both).toMatchObject({ status: 401 });
    }
  });

  test('only that of a cookie which has this very name', async () => {
    const value = Cookie.slice('svc='.length);
    const others = [
      'SVC',
      ' \u00a0svc',
      '\u00a0svc',
      '\u0085svc',
      '__Host-svc',
      'xsvc',
      'svc ',
      '$svc',
      '"svc',
    ];
    for (const name of others) {
      expect(await ask('GET', '/orders', { Cookie: `${name}=${value}` }), name).toMatchObject({
        status: 401,
      });
      expect(await ask('GET', '/orders', { Cookie: `${name}=x; ${Cookie}` })).toMatchObject({ status: 200 });
    }
    for (const damaged of [`svc="${value}"`, `svc=${value}x`, `svc= ${value}`]) {
      expect(await ask('GET', '/orders', { Cookie: damaged }), damaged).toMatchObject({ status: 401 });
    }
    expect(await ask('GET', '/orders', { Cookie: `a=b;${Cookie};c=d=e;;` })).toMatchObject({ status: 200 });
  });

  test('with https, only that under the name which no sibling domain can set', async () => {
    const settings = { enableBrowserSessions: true, baseUrl: 'https://shop.example.org' };
    const secure = await startApp({ settings });
    const own = await keepSession(secure, (await signUp(secure)).token);
    const sessionWith = (cookie: string) =>
      secure.gatehouse.sessionOf(asFetch('GET', '/', { Cookie: cookie }), { browser: true });
    expect(await sessionWith(own)).not.toBeNull();
    expect(await sessionWith(`svc=x; ${own}`)).not.toBeNull();
    for (const name of ['svc', '__Secure-svc', '__host-svc', '__HOST-svc', '\u00a0__Host-svc']) {
      expect(await sessionWith(own.replace('__Host-svc', name)), name).toBeNull();
    }
    await secure.close();
  });
});

test('an answer keeps what the host varies it by', async () => {
  const vary =
    (value: string): RequestHandler =>
    (_req, res, next) => {
      res.setHeader('Vary', value);
      next();
    };
  for (const [before, after] of [
    ['Origin', 'Origin, Cookie'],
    ['Accept, cookie', 'Accept, cookie'],
    ['*', '*'],
    ['X-Cookie', 'X-Cookie, Cookie'],
  ] as const) {
    const varying = await startHost(app.gatehouse, [vary(before)]);
    for (const headers of each({}, { Cookie }, navigation)) {
      expect((await varying.ask('GET', '/orders', headers)).headers.vary).toBe(after);
    }
    await varying.close();
  }
});

test('a guard that does not ask for the cookie never looks at it', async () => {
  let reads = 0;
  const watch: RequestHandler = ({ headers }, _res, next) => {
    const { cookie } = headers;
    const get = () => {
      reads++;
      return cookie;
    };
    Object.defineProperty(headers, 'cookie', { get });
    next();
  };
  const watched = await startHost(app.gatehouse, [watch]);
  const { headers } = await watched.ask('GET', '/api', { Cookie });
  expect([reads, headers.vary, headers['cache-control']]).toEqual([0, undefined, 'no-store']);
  await watched.ask('GET', '/orders', { Cookie });
  expect(reads).toBe(1);
  await watched.close();
});

test('a misspelt requirement is an error, and lets no request through', async () => {
  const request = asFetch('GET', '/', { Cookie });
  const { gatehouse } = app;
  expect(() => gatehouse.requireSuperuser({ brower: true } as never)).toThrow(
    'requireSuperuser knows no brower: there are recentSeconds, mfa, browser and csrf.',
  );
  expect(() => gatehouse.optionalSession({ mfa: true } as never)).toThrow(
    'optionalSession knows no mfa: there is browser.',
  );
  await expect(gatehouse.protect(request, { role: 'x' } as never)).rejects.toThrow('protect knows no role');
  await expect(gatehouse.protect(request, { superuser: 'yes' } as never)).rejects.toThrow(
    'superuser of protect must be true or false',
  );
  await expect(gatehouse.sessionOf(request, { browser: 1 } as never)).rejects.toThrow(
    'browser of sessionOf must be true or false',
  );
});
