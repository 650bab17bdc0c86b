import express from 'express';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Secret } from '../../../src/config/secret.ts';
import { createCsrfTokens } from '../../../src/features/browser-sessions/csrf.ts';
import { type App, jwtSecret, signUp, startApp } from '../../support/app.ts';
import { asFetch, keepSession } from '../../support/browser-cookies.ts';
import { listen } from '../../support/listening.ts';

// A proxy in front removes Sec-Fetch-Site and Origin, or a rule asks for a token in each form: an attacker who makes the
// browser of somebody send a form has the token of an own session at best.

const baseUrl = 'http://localhost:8000';
const own = { 'Sec-Fetch-Site': 'same-origin' };
let app: App;
let url: string;
let close: () => Promise<void>;
const before = 'the secret before this one, of 32 characters';

beforeAll(async () => {
  app = await startApp({ settings: { baseUrl, enableBrowserSessions: true, jwtSecretPrevious: before } });
  const host = express();
  host.use(express.urlencoded({ extended: false }), express.json());
  const { requireSession, optionalSession } = app.gatehouse;
  host.all('/orders', requireSession({ browser: true, csrf: true }), (req, res) => void res.json(req.auth));
  host.all('/maybe', optionalSession({ browser: true }), (req, res) => void res.json(req.auth));
  host.all('/api', requireSession(), (req, res) => void res.json(req.auth));
  ({ origin: url, close } = await listen(host));
});
afterAll(async () => {
  await close?.();
  await app?.close();
});

/** A browser with a session, the token of that, and how it asks. */
async function browser() {
  const { token: bearer } = await signUp(app);
  const Cookie = await keepSession(app, bearer);
  const ask = async (path: string, init: RequestInit & { headers?: Record<string, string> } = {}) => {
    const headers = { Cookie, ...own, ...init.headers };
    const response = await fetch(`${url}${path}`, { ...init, headers });
    const body = init.method === 'HEAD' ? null : await response.json();
    return { status: response.status, body };
  };
  const csrfToken: string = (await ask('/orders')).body.csrfToken;
  return { bearer, Cookie, ask, csrfToken };
}

const forbidden = { status: 403, body: { code: 'forbidden' } };

describe('a guard with csrf', () => {
  test('lets GET and HEAD in without the token, and shows it', async () => {
    const { ask, csrfToken } = await browser();
    expect(csrfToken).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(await ask('/orders', { method: 'HEAD' })).toMatchObject({ status: 200 });
    expect((await ask('/maybe')).body.csrfToken).toBe(csrfToken);
  });

  test.each(['POST', 'PUT', 'PATCH', 'DELETE'])(
    'lets %s in with the token in header or body',
    async method => {
      const { ask, csrfToken } = await browser();
      expect(await ask('/orders', { method, headers: { 'X-CSRF-Token': csrfToken } })).toMatchObject({
        status: 200,
      });
      const form = new URLSearchParams({ _csrf: csrfToken });
      expect(await ask('/orders', { method, body: form })).toMatchObject({ status: 200 });
      const json = {
        body: JSON.stringify({ _csrf: csrfToken }),
        headers: { 'Content-Type': 'application/json' },
      };
      expect(await ask('/orders', { method, ...json })).toMatchObject({ status: 200 });
    },
  );

  // Shows 63b/5.1#csrf.
  test('refuses the token of another session, a cut one, none, and what is no text', async () => {
    const [victim, attacker] = [await browser(), await browser()];
    expect(attacker.csrfToken).not.toBe(victim.csrfToken);
    for (const token of [attacker.csrfToken, victim.csrfToken.slice(1), `${victim.csrfToken}A`, '', 'é'])
      expect(
        await victim.ask('/orders', { method: 'POST', body: new URLSearchParams({ _csrf: token }) }),
      ).toMatchObject(forbidden);
    const type = { 'Content-Type': 'application/json' };
    for (const _csrf of [null, 1, {}, [victim.csrfToken], { length: 43 }]) {
      const body = JSON.stringify({ _csrf });
      expect(await victim.ask('/orders', { method: 'POST', body, headers: type })).toMatchObject(forbidden);
    }
    expect(await victim.ask('/orders', { method: 'POST' })).toMatchObject(forbidden);
    // The header is looked at first: a wrong one is not saved by the body.
    const both = { headers: { 'X-CSRF-Token': 'x' }, body: new URLSearchParams({ _csrf: victim.csrfToken }) };
    expect(await victim.ask('/orders', { method: 'POST', ...both })).toMatchObject(forbidden);
  });

  test('does not replace the check of the origin', async () => {
    const { ask, csrfToken } = await browser();
    const headers = { 'X-CSRF-Token': csrfToken, 'Sec-Fetch-Site': 'same-site' };
    expect(await ask('/orders', { method: 'POST', headers })).toMatchObject({ status: 401 });
  });

  test('asks a bearer for it, too, whose token is that of the same session', async () => {
    const { bearer, csrfToken } = await browser();
    const Authorization = `Bearer ${bearer}`;
    const post = (more: Record<string, string> = {}) =>
      fetch(`${url}/orders`, { method: 'POST', headers: { Authorization, ...more } });
    expect((await post()).status).toBe(403);
    expect((await post({ 'X-CSRF-Token': csrfToken })).status).toBe(200);
  });

  test('is the same by the Fetch standard, where the header alone counts', async () => {
    const { Cookie, csrfToken } = await browser();
    const protect = (headers: Record<string, string>) =>
      app.gatehouse.protect(asFetch('POST', '/orders', { Cookie, ...own, ...headers }), {
        ...{ browser: true, csrf: true },
      });
    expect((await protect({})).response?.status).toBe(403);
    expect((await protect({ 'X-CSRF-Token': csrfToken })).auth?.csrfToken).toBe(csrfToken);
  });

  test('accepts a token from before the secret was replaced', async () => {
    const rotated = await startApp({
      settings: { baseUrl, enableBrowserSessions: true, jwtSecret, jwtSecretPrevious: before },
    });
    const { token } = await signUp(rotated);
    const request = (more: Record<string, string> = {}) =>
      asFetch('POST', '/orders', { Authorization: `Bearer ${token}`, ...more });
    const csrf = { browser: true, csrf: true };
    const shown = await rotated.gatehouse.sessionOf(request(), { browser: true });
    const old = createCsrfTokens({ jwtSecret: new Secret(before) }).tokenOf(shown!.claims);
    expect(old).not.toBe(shown!.csrfToken);
    for (const value of [old, shown!.csrfToken!])
      expect((await rotated.gatehouse.protect(request({ 'X-CSRF-Token': value }), csrf)).response).toBeNull();
    await rotated.close();
  });
});

test('there is none without browser: true, and csrf needs it', async () => {
  const { bearer } = await browser();
  const { body } = await fetch(`${url}/api`, { headers: { Authorization: `Bearer ${bearer}` } }).then(
    async response => ({ body: (await response.json()) as object }),
  );
  expect(body).not.toHaveProperty('csrfToken');
  expect(() => app.gatehouse.requireSession({ csrf: true })).toThrow(
    'requireSession({ csrf: true }) needs browser: true.',
  );
});
