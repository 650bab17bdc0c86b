import express from 'express';
import { decodeJwt } from 'jose';
import { afterAll, describe, expect, expectTypeOf, test } from 'vitest';
import type { Gatehouse, SessionRequirements } from '../../src/index.ts';
import { type App, password, signUp, startApp, TestClock } from '../support/app.ts';
import { embed, endings, serve } from '../support/embedded.ts';
import { nextCodeOf, setUpTotp, strong } from '../support/strong.ts';

afterAll(async () => {
  for (const end of endings.splice(0)) await end();
});

/** A host with a route behind each requirement. */
async function host(gatehouse: Gatehouse) {
  const app = express();
  app.get('/any', gatehouse.requireSession(), (_req, res) => void res.json('any'));
  app.get(
    '/recent',
    gatehouse.requireSession({ recentSeconds: 300 }),
    (_req, res) => void res.json('recent'),
  );
  app.get('/mfa', gatehouse.requireSession({ mfa: true }), (req, res) => {
    res.json({ user: req.auth.user.id });
  });
  app.get(
    '/both',
    gatehouse.requireSession({ recentSeconds: 300, mfa: true }),
    (_req, res) => void res.json('both'),
  );
  app.use(gatehouse.config.apiPrefix, gatehouse.router);
  return serve(app);
}

const challenge = (maxAge: number) => `Bearer error="insufficient_user_authentication", max_age=${maxAge}`;

describe('requireSession with requirements', () => {
  // Shows asvs/10.3.4.
  test('refuses a sign-in that is too old, and names the age it accepts', async () => {
    const clock = new TestClock();
    const { gatehouse } = await embed({ clock });
    const ask = await host(gatehouse);
    const body = { email: 'ada@example.org', password };
    await ask('POST', '/api/auth/register', { body });
    const { body: session } = await ask('POST', '/api/auth/login', { body });
    const token: string = session.access_token;
    clock.advance(299_000);
    expect(await ask('GET', '/recent', { token })).toMatchObject({ status: 200 });
    clock.advance(2000);
    const refused = await ask('GET', '/recent', { token });
    expect(refused).toMatchObject({ status: 401, body: { code: 'recent_sign_in_required' } });
    expect(refused.headers.get('WWW-Authenticate')).toBe(challenge(300));
    expect(await ask('GET', '/any', { token })).toMatchObject({ status: 200 });
    // Requirements are not revealed before there is a session.
    for (const path of ['/recent', '/mfa', '/both']) {
      expect(await ask('GET', path)).toMatchObject({ status: 401, body: { code: 'unauthenticated' } });
    }
    const { body: again } = await ask('POST', '/api/auth/reauthenticate', { token, body: { password } });
    expect(await ask('GET', '/recent', { token: again.access_token })).toMatchObject({ status: 200 });
    expect(await ask('GET', '/any', { token })).toMatchObject({
      status: 401,
      body: { code: 'unauthenticated' },
    });
  });

  // Shows asvs/10.3.4.
  test('asks for two factors, and for setting one up where there is none', async () => {
    const app: App = await startApp({ settings: strong });
    endings.push(() => app.close());
    const ask = await host(app.gatehouse);
    const member = await signUp(app);
    const { token } = member;
    const none = await ask('GET', '/mfa', { token });
    expect(none).toMatchObject({ status: 403, body: { code: 'mfa_enrolment_required' } });
    const { secret } = await setUpTotp(app, member);
    // The session was made before, with the password alone.
    const refused = await ask('GET', '/mfa', { token });
    expect(refused).toMatchObject({ status: 401, body: { code: 'recent_sign_in_required' } });
    expect(refused.headers.get('WWW-Authenticate')).toBe(challenge(900));
    const { body: begun } = await app.rest(
      'POST',
      '/reauthenticate',
      { password: member.password },
      { token },
    );
    const step = { mfa_pending_token: begun.mfa_pending_token, code: nextCodeOf(app, secret) };
    const { body: session } = await app.rest('POST', '/login/mfa-confirm', step);
    const complete: string = session.access_token;
    expect(decodeJwt(complete)).toMatchObject({ amr: ['pwd', 'otp', 'mfa'] });
    for (const path of ['/mfa', '/both', '/recent']) {
      expect(await ask('GET', path, { token: complete })).toMatchObject({ status: 200 });
    }
    app.clock.advance(301_000);
    expect(await ask('GET', '/mfa', { token: complete })).toMatchObject({ status: 200 });
    expect(await ask('GET', '/both', { token: complete })).toMatchObject({ status: 401 });
  });

  // Shows asvs/6.3.3.
  test('keeps accounts out that must have a factor first', async () => {
    const app: App = await startApp({ settings: { ...strong, mfaRequired: 'everyone' } });
    endings.push(() => app.close());
    const ask = await host(app.gatehouse);
    const { token } = await signUp(app);
    for (const path of ['/any', '/recent', '/mfa']) {
      const refused = await ask('GET', path, { token });
      expect(refused).toMatchObject({ status: 403, body: { code: 'mfa_enrolment_required' } });
    }
    const full = await setUpTotp(app, { token });
    expect(await ask('GET', '/any', full)).toMatchObject({ status: 200 });
    // The session from before may be somebody else's, who has the password alone.
    const refused = await ask('GET', '/any', { token });
    expect(refused).toMatchObject({ status: 401, body: { code: 'recent_sign_in_required' } });
    expect(refused.headers.get('WWW-Authenticate')).toBe(challenge(900));
    const request = new Request('http://localhost/any', { headers: { Authorization: `Bearer ${token}` } });
    expect(await app.gatehouse.sessionOf(request)).toBeNull();
    expect((await app.gatehouse.protect(request)).response?.status).toBe(401);
  });

  test('a misspelt or meaningless requirement is an error when the route is made', async () => {
    const { gatehouse } = await embed();
    const made = (requirements: object) => () =>
      gatehouse.requireSession(requirements as SessionRequirements);
    expect(made({ recentSecond: 300 })).toThrow('requireSession knows no recentSecond');
    for (const recentSeconds of [0, -1, Number.NaN, '300', null]) {
      expect(made({ recentSeconds })).toThrow('recentSeconds of requireSession must be a number above 0');
    }
    for (const mfa of ['yes', 1, null])
      expect(made({ mfa })).toThrow('mfa of requireSession must be true or false');
    class Strict {
      get mfa() {
        return true;
      }
    }
    for (const given of [300, true, 'mfa', ['mfa'], new Map([['mfa', true]]), new Strict(), () => {}]) {
      expect(made(given as object)).toThrow('requireSession takes an object');
    }
    expect(made({})).not.toThrow();
    expect(made(null as never)).not.toThrow();
    expect(made({ recentSeconds: undefined, mfa: false })).not.toThrow();
  });

  test('is typed', () => {
    expectTypeOf<Parameters<Gatehouse['requireSession']>>().toEqualTypeOf<
      [requirements?: SessionRequirements]
    >();
    expectTypeOf<SessionRequirements>().toEqualTypeOf<{
      recentSeconds?: number;
      mfa?: boolean;
      browser?: boolean;
      csrf?: boolean;
    }>();
  });
});
