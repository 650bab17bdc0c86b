import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { describeEachDriver } from '../support/backends.ts';
import { doors, resultOf } from '../support/doors.ts';
import { type External, startExternal } from '../support/external.ts';
import { baseUrl, type Oidc, startOidc } from '../support/oidc.ts';
import { newSubject } from '../support/people.ts';
import { nextCodeOf, setUpTotp, strong } from '../support/strong.ts';
import { against, page, sign } from './support.ts';

// A session at the provider may be days old: signing in with it is not recent (OpenID Connect Core §2, CONTRACT §9.5).

const now = () => Math.floor(Date.now() / 1000);
const year = 31_536_000;

describe('how recently somebody signed in at the provider', () => {
  let external: External;
  beforeAll(async () => {
    external = await startExternal({ settings: { recentSignInForLinks: true } });
  });
  afterAll(() => external?.close());
  const maxAgeOf = (url: string) => new URL(url).searchParams.get('max_age');
  const startWith = async (max_age: number) => {
    const { headers } = await external.app.rest('GET', `/oauth/google/start?max_age=${max_age}`);
    return headers.get('Location')!;
  };
  const linkBy = (token: string) => external.app.rest('POST', '/oauth/google/link/start', {}, { token });

  test.each(doors)(
    'is asked where it matters, and how recent a client wants it, through $name',
    async door => {
      const call = door.at(external.app);
      const start = async (more: object) =>
        (await resultOf(call('startOAuthSignIn', { provider: 'google', ...more }))).authorization_url;
      expect(maxAgeOf(await start({}))).toBe(String(year));
      expect(maxAgeOf(await start({ max_age: 0 }))).toBe('0');
      expect(maxAgeOf(await start({ max_age: 60 }))).toBe('60');
      for (const max_age of [-1, year + 1, 1.5]) {
        expect((await call('startOAuthSignIn', { provider: 'google', max_age })).ok).toBe(false);
      }
    },
  );

  // Shows asvs/6.8.4.
  test('decides whether the new session is recent', async () => {
    const sub = newSubject();
    const old = { sub, auth_time: now() - 901 };
    expect((await linkBy((await external.sessionOf(old))!)).body.code).toBe('recent_sign_in_required');
    const fresh = { sub, auth_time: now() - 5 };
    const ended = await external.comeBack(await startWith(60), fresh);
    const { body } = await external.exchange(ended);
    expect((await linkBy(body.access_token)).status).toBe(200);
  });

  test('is when the sign-in ended, where the provider does not say it', async () => {
    expect((await linkBy((await external.sessionOf(newSubject()))!)).status).toBe(200);
    const ended = await external.comeBack(await startWith(0), newSubject());
    expect((await external.exchange(ended)).status).toBe(200);
  });

  test('cannot be in the future', async () => {
    const token = (await external.sessionOf({ sub: newSubject(), auth_time: now() + 10_000 }))!;
    const { auth_time, iat } = JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString());
    expect(auth_time).toBeLessThanOrEqual(iat);
  });

  test('is recorded with the methods that the provider names, as far as they are names', async () => {
    const sub = newSubject();
    const token = (await external.sessionOf({
      sub,
      acr: 'urn:mace:incommon:iap:silver',
      amr: ['pwd', 'otp'],
    }))!;
    const user = await external.me(token);
    const read = async () => (await external.identitiesOf(user))[0]!;
    expect(await read()).toMatchObject({ acr: 'urn:mace:incommon:iap:silver', amr: 'pwd otp' });
    await external.sessionOf({ sub, acr: '2', amr: ['hwk'] });
    expect(await read()).toMatchObject({ acr: '2', amr: 'hwk' });
    await external.sessionOf({ sub, acr: 'a b', amr: ['pwd otp', 'sms'] });
    expect(await read()).toMatchObject({ acr: null, amr: 'sms' });
    await external.sessionOf({ sub, acr: { $gt: '' }, amr: 'pwd' });
    expect(await read()).toMatchObject({ acr: null, amr: null });
    await external.sessionOf({ sub, acr: 'x'.repeat(201), amr: [1, '\u0000', 'y'.repeat(201)] });
    expect(await read()).toMatchObject({ acr: null, amr: null });
  });

  test('is not asked where nothing needs a recent sign-in', async () => {
    const plain = await startExternal({}, external.provider);
    expect(maxAgeOf(await plain.start())).toBeNull();
    await plain.close();
  });
});

test('a sign-in that is older than was asked for is refused', async () => {
  let nonce = '';
  const told = await against({
    idToken: honest => sign({ ...honest, nonce, auth_time: now() - 3600 }),
  });
  const { headers } = await told.app.rest('GET', '/oauth/google/start?max_age=60');
  const { searchParams } = new URL(headers.get('Location')!);
  nonce = searchParams.get('nonce')!;
  const query = new URLSearchParams({ code: 'a-code', state: searchParams.get('state')! });
  const refused = await told.app.rest('GET', `/oauth/google/callback?${query}`);
  expect(refused.headers.get('Location')).toBe(page('id_token_failed'));
});

test('a provider asks again when the session there is too old', async () => {
  const oidc: Oidc = await startOidc();
  const { app, close } = await startExternal({ settings: { oauth: oidc.settings } });
  const { headers } = await app.rest('GET', '/oauth/google/start?max_age=0');
  const back = await oidc.signInAt(headers.get('Location')!, newSubject());
  const ended = await app.rest('GET', `/oauth/google/callback${back.search}`);
  const id = new URL(ended.headers.get('Location')!).searchParams.get('id');
  const { body } = await app.rest('POST', '/oauth/exchange', { id });
  const claims = JSON.parse(Buffer.from(body.access_token.split('.')[1]!, 'base64url').toString());
  expect(claims.iat - claims.auth_time).toBeLessThan(60);
  await close();
  await oidc.close();
});

// Somebody else sits down at an open session of the provider, which says nothing of its age: by default it counts as recent.

describeEachDriver('oauth.unknown_sign_in_age = old, and google_max_age_seconds', backend => {
  let external: External;
  beforeAll(async () => {
    const oauth = { unknownSignInAge: 'old', googleMaxAgeSeconds: 3600 };
    external = await startExternal({ backend, settings: { recentSignInForLinks: true, oauth } });
  });
  afterAll(() => external?.close());

  const errorOf = async (person: object) => {
    const ended = await external.signIn({ sub: newSubject(), ...person });
    return ended.searchParams.get('error');
  };
  const maxAgeOf = (url: string) => new URL(url).searchParams.get('max_age');

  // Shows asvs/7.6.1, 63b/5.2#provider-session.
  test('refuses a sign-in of unknown age, and one that is older, signing in and linking', async () => {
    expect(await errorOf({})).toBe('id_token_failed');
    expect(await errorOf({ auth_time: now() - 3700 })).toBe('id_token_failed');
    expect(await errorOf({ auth_time: 'yesterday' })).toBe('id_token_failed');
    const sub = newSubject();
    const token = (await external.sessionOf({ sub, auth_time: now() - 60 }))!;
    expect(token).toEqual(expect.any(String));
    expect((await external.link({ token }, newSubject())).searchParams.get('error')).toBe('id_token_failed');
    const old = { sub: newSubject(), auth_time: now() - 3700 };
    expect((await external.link({ token }, old)).searchParams.get('error')).toBe('id_token_failed');
  });

  // Shows asvs/7.6.1.
  test('asks the provider for no older one, whatever a client asks for', async () => {
    const start = async (query: string) => {
      const { headers } = await external.app.rest('GET', `/oauth/google/start${query}`);
      return maxAgeOf(headers.get('Location')!);
    };
    expect(await start('')).toBe('3600');
    expect(await start('?max_age=60')).toBe('60');
    expect(await start('?max_age=86400')).toBe('3600');
    const token = (await external.sessionOf({ sub: newSubject(), auth_time: now() }))!;
    expect(maxAgeOf(await external.startLink({ token }))).toBe('3600');
  });
});

test('a maximum that was set while somebody was at the provider binds the callback', async () => {
  const oauth = { googleMaxAgeSeconds: 3600 };
  const external = await startExternal({ settings: { oauth } });
  const { oauth_states } = external.app.gatehouse.repositories;
  for (const maxAge of [null, 86_400]) {
    const url = await external.start();
    const row = (await oauth_states.find(new URL(url).searchParams.get('state')!))!;
    await oauth_states.consume(row.id);
    await oauth_states.add({ ...row, maxAge });
    const old = { sub: newSubject(), auth_time: now() - 3700 };
    expect((await external.comeBack(url, old)).searchParams.get('error')).toBe('id_token_failed');
  }
  await external.close();
});

test('the age of a sign-in at the provider outlasts the second step', async () => {
  const settings = { ...strong, recentSignInForLinks: true, baseUrl, oauth: { unknownSignInAge: 'old' } };
  const external = await startExternal({ settings });
  const { app } = external;
  const claimsOf = (token: string) =>
    JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as Record<string, number>;
  const sub = newSubject();
  const fresh = (await external.sessionOf({ sub, auth_time: now() }))!;
  const { secret } = await setUpTotp(app, { token: fresh });
  const signIn = async (person: object) => {
    const { body } = await external.exchange(await external.signIn({ sub, ...person }));
    const { mfa_pending_token } = body;
    const step = { mfa_pending_token, method: 'totp', code: nextCodeOf(app, secret) };
    return claimsOf((await app.rest('POST', '/login/mfa-confirm', step)).body.access_token);
  };
  expect((await signIn({})).auth_time).toBe(0);
  const hourOld = await signIn({ auth_time: now() - 3600 });
  expect(hourOld.iat! - hourOld.auth_time!).toBeGreaterThanOrEqual(3600);
  const recent = await signIn({ auth_time: now() });
  expect(recent.iat! - recent.auth_time!).toBeLessThan(60);
  await external.close();
});

// Shows asvs/6.8.4.
test('a sign-in of unknown age that is old counts as made in 1970, without a maximum', async () => {
  const oauth = { unknownSignInAge: 'old' };
  const external = await startExternal({ settings: { recentSignInForLinks: true, oauth } });
  expect(new URL(await external.start()).searchParams.get('max_age')).toBe(String(year));
  const token = (await external.sessionOf(newSubject()))!;
  expect(JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()).auth_time).toBe(0);
  const link = await external.app.rest('POST', '/oauth/google/link/start', {}, { token });
  expect(link.body.code).toBe('recent_sign_in_required');
  const fresh = (await external.sessionOf({ sub: newSubject(), auth_time: now() - 5 }))!;
  expect((await external.app.rest('POST', '/oauth/google/link/start', {}, { token: fresh })).status).toBe(
    200,
  );
  await external.close();
});
