import express from 'express';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ConfigInput } from '../../src/config/schema.ts';
import { type App, signUp, startApp } from '../support/app.ts';
import { type Apple, startApple } from '../support/apple.ts';
import { describeStory } from '../support/backends.ts';
import { doorsOn, resultOf } from '../support/doors.ts';
import { type Github, type GithubUser, startGithub } from '../support/github.ts';
import { type Microsoft, startMicrosoft, tenants } from '../support/microsoft.ts';
import { baseUrl } from '../support/oidc.ts';
import { newAddress, newSubject } from '../support/people.ts';

// Providers that are no plain OpenID Connect, each as its maker documents it.

let github: Github;
let microsoft: Microsoft;
let apple: Apple;
beforeAll(async () => {
  [github, microsoft, apple] = await Promise.all([startGithub(), startMicrosoft(), startApple()]);
});
afterAll(() => Promise.all([github, microsoft, apple].map(each => each?.close())));

type Providers = NonNullable<NonNullable<ConfigInput['oauth']>['providers']>;
const tables = (): Providers => ({
  github: github.table,
  microsoft: microsoft.table,
  apple: { ...apple.table, scopes: ['email', 'name'] },
});
const settings = (providers: Providers = tables()): ConfigInput => ({
  ...{ baseUrl, enableOauth: true, enableAdminRouter: true },
  oauth: { providers },
});

async function start(app: App, provider: string): Promise<string> {
  const { headers } = await app.rest('GET', `/oauth/${provider}/start`);
  return headers.get('Location')!;
}

async function callBack(app: App, provider: string, query: string): Promise<URL> {
  const { headers } = await app.rest('GET', `/oauth/${provider}/callback${query}`);
  return new URL(headers.get('Location')!);
}

/** A browser posts the form that a page of the provider has made: from another site, without any cookie. */
async function post(app: App, form: URLSearchParams, type?: string): Promise<Response> {
  return fetch(`${app.url}/oauth/apple/callback`, {
    method: 'POST',
    headers: {
      ...{ Origin: apple.origin, 'Sec-Fetch-Site': 'cross-site' },
      'Content-Type': type ?? 'application/x-www-form-urlencoded',
    },
    body: form.toString(),
    redirect: 'manual',
  });
}

/** Exchanges a finished sign-in and returns the account, or the error that it ended with. */
async function ended(app: App, { searchParams }: URL) {
  const error = searchParams.get('error');
  if (error !== null) return error;
  const { body } = await app.rest('POST', '/oauth/exchange', { id: searchParams.get('id') });
  return (await app.rest('GET', '/me', undefined, { token: body.access_token })).body;
}

const withGithub = async (app: App, user: GithubUser) =>
  ended(app, await callBack(app, 'github', github.answerTo(await start(app, 'github'), user)));
const withMicrosoft = async (app: App, user: Parameters<Microsoft['answerTo']>[1]) =>
  ended(app, await callBack(app, 'microsoft', microsoft.answerTo(await start(app, 'microsoft'), user)));
async function withApple(app: App, user: Parameters<Apple['answerTo']>[1]) {
  const response = await post(app, apple.answerTo(await start(app, 'apple'), user));
  expect(response.status).toBe(303);
  return ended(app, new URL(response.headers.get('Location')!));
}

let nextId = 583_231;
const somebody = (more: Partial<GithubUser> = {}): GithubUser => ({
  id: nextId++,
  emails: [
    { email: newAddress(), primary: false, verified: true },
    { email: newAddress(), primary: true, verified: true },
  ],
  ...more,
});

describeStory('providers of every kind', backend => {
  let app: App;
  beforeAll(async () => {
    app = await startApp({ backend, settings: settings() });
  });
  afterAll(() => app?.close());

  test('GitHub: the number of the account signs in, with the primary address', async () => {
    const user = somebody();
    const account = await withGithub(app, user);
    expect(account).toMatchObject({ email: user.emails[1]!.email, is_verified: true, full_name: null });
    // A login name and an address may change hands; the number does not.
    const renamed = { ...user, login: 'another', emails: somebody().emails };
    expect((await withGithub(app, renamed)).id).toBe(account.id);
    const [identity] = await app.gatehouse.repositories.oauth_identities.listByUser(account.id);
    expect(identity).toMatchObject({
      ...{ provider: 'github', issuer: `${github.origin}/login/oauth`, subjectId: String(user.id) },
      ...{ acr: null, amr: null },
    });
    expect((await withGithub(app, somebody({ login: 'another' }))).id).not.toBe(account.id);
  });

  test('Microsoft: a subject of one tenant is unknown in another', async () => {
    const sub = newSubject();
    const people = [tenants.contoso, tenants.fabrikam].map(tid => ({
      ...{ sub, tid, email: newAddress(), xms_edov: true },
    }));
    const [first, second] = [await withMicrosoft(app, people[0]!), await withMicrosoft(app, people[1]!)];
    expect(first).toMatchObject({ email: people[0]!.email, is_verified: true });
    expect(second.id).not.toBe(first.id);
    expect((await withMicrosoft(app, people[0]!)).id).toBe(first.id);
    const [identity] = await app.gatehouse.repositories.oauth_identities.listByUser(first.id);
    expect(identity).toMatchObject({ issuer: microsoft.issuerOf(tenants.contoso), subjectId: sub });
  });

  test('Apple: the form signs in, and the name comes with the first one alone', async () => {
    const user = { sub: newSubject(), name: { firstName: ' Ada ', lastName: 'Lovelace' } };
    const account = await withApple(app, user);
    expect(account).toMatchObject({
      email: `${user.sub}@privaterelay.example`,
      ...{ is_verified: true, full_name: 'Ada  Lovelace' },
    });
    const again = await withApple(app, { ...user, name: { firstName: 'Somebody', lastName: 'Else' } });
    expect(again).toMatchObject({ id: account.id, full_name: 'Ada  Lovelace' });
  });

  test.each(doorsOn(backend))('each is linked and unlinked, through $name', async door => {
    const call = door.at(app);
    const member = await signUp(app);
    const begin = async (provider: string) =>
      (await resultOf(call('startOAuthLink', { provider }, member))).authorization_url;
    await callBack(app, 'github', github.answerTo(await begin('github'), somebody()));
    const tid = tenants.contoso;
    await callBack(
      app,
      'microsoft',
      microsoft.answerTo(await begin('microsoft'), { sub: newSubject(), tid }),
    );
    const form = apple.answerTo(await begin('apple'), { sub: newSubject() });
    expect((await post(app, form)).headers.get('Location')).toBe(`${baseUrl}/account/me?linked=apple`);
    const { available, linked } = await resultOf(call('oauthProviders', undefined, member));
    expect(available).toEqual(['github', 'microsoft', 'apple']);
    expect(linked.map((each: { provider: string }) => each.provider).sort()).toEqual(available.toSorted());
    for (const provider of available) await resultOf(call('unlinkOAuth', { provider }, member));
    expect((await resultOf(call('oauthProviders', undefined, member))).linked).toEqual([]);
    const { oauth_providers: named } = await resultOf(call('features'));
    expect(named).toEqual([
      { name: 'github', label: 'GitHub', kind: 'github' },
      { name: 'microsoft', label: 'Microsoft', kind: 'microsoft' },
      { name: 'apple', label: 'Apple', kind: 'apple' },
    ]);
  });
});

describe('GitHub', () => {
  let app: App;
  beforeAll(async () => {
    app = await startApp({ settings: settings() });
  });
  afterAll(() => app?.close());

  test('asks for the addresses, with PKCE, and for no ID token', async () => {
    const url = new URL(await start(app, 'github'));
    expect(url.origin + url.pathname).toBe(github.table.authorizationUrl);
    expect(Object.fromEntries(url.searchParams)).toEqual({
      ...{ client_id: github.table.clientId, response_type: 'code', scope: 'user:email' },
      redirect_uri: `${baseUrl}/api/auth/oauth/github/callback`,
      state: expect.stringMatching(/^[\w-]{43}$/),
      ...{ code_challenge: expect.stringMatching(/^[\w-]{43}$/), code_challenge_method: 'S256' },
    });
  });

  test('an address that is not the primary one, or not verified, makes no account', async () => {
    const [first, primary] = somebody().emails as [GithubUser['emails'][0], GithubUser['emails'][0]];
    const unverified = [first, { ...primary, verified: false }];
    expect(await withGithub(app, somebody({ emails: unverified }))).toBe('email_not_verified');
    expect(await withGithub(app, somebody({ emails: [first] }))).toBe('email_missing');
    expect(await withGithub(app, somebody({ emails: [] }))).toBe('email_missing');
  });

  test('a code that is used twice, or is another flow’s, is refused, though GitHub says so with 200', async () => {
    const query = new URLSearchParams(github.answerTo(await start(app, 'github'), somebody()));
    query.set('state', new URL(await start(app, 'github')).searchParams.get('state')!);
    expect(await ended(app, await callBack(app, 'github', `?${query}`))).toBe('token_exchange_failed');
  });

  test('with an API that is down, refuses or lies the sign-in is refused', async () => {
    const before = await app.gatehouse.repositories.users.count({});
    for (const [api, code] of [
      [{ status: 503 }, 'unavailable'],
      [{ status: 429 }, 'unavailable'],
      [{ status: 403 }, 'token_exchange_failed'],
      [{ body: null }, 'token_exchange_failed'],
      [{ body: { id: '1' } }, 'token_exchange_failed'],
      [{ body: { id: 0 } }, 'token_exchange_failed'],
      [{ body: { id: -1 } }, 'token_exchange_failed'],
    ] as const) {
      Object.assign(github.api, api);
      expect(await withGithub(app, somebody())).toBe(code);
      for (const key of Object.keys(github.api)) delete github.api[key as 'status'];
    }
    expect(await app.gatehouse.repositories.users.count({})).toBe(before);
    expect(JSON.stringify(app.logs)).not.toContain('gho_');
  });

  test('a response of another issuer is refused, and uses the state up', async () => {
    const query = github.answerTo(await start(app, 'github'), somebody());
    const wrong = `${query}&iss=${encodeURIComponent(apple.origin)}`;
    expect(await ended(app, await callBack(app, 'github', wrong))).toBe('issuer_mismatch');
    expect(await ended(app, await callBack(app, 'github', query))).toBe('bad_state');
    const right = github.answerTo(await start(app, 'github'), somebody());
    const iss = encodeURIComponent(`${github.origin}/login/oauth`);
    expect(await ended(app, await callBack(app, 'github', `${right}&iss=${iss}`))).toHaveProperty('id');
  });

  // Shows asvs/10.2.3.
  test('a name is taken where its scope is asked for', async () => {
    const named = await startApp({
      settings: settings({ github: { ...github.table, scopes: ['user:email', 'read:user'] } }),
    });
    const account = await withGithub(named, somebody({ name: 'Mona Lisa' }));
    expect(account.full_name).toBe('Mona Lisa');
    await named.close();
  });
});

describe('Microsoft', () => {
  let app: App;
  beforeAll(async () => {
    app = await startApp({ settings: settings() });
  });
  afterAll(() => app?.close());
  const tid = tenants.contoso;
  const user = () => ({ sub: newSubject(), tid, email: newAddress(), xms_edov: true });

  test('an address counts as verified only where its domain belongs to the tenant', async () => {
    // An administrator of any tenant can give an account any address ("nOAuth").
    for (const xms_edov of [undefined, false, 'true', 1, '1']) {
      expect(await withMicrosoft(app, { ...user(), xms_edov, email_verified: true })).toBe(
        'email_not_verified',
      );
    }
    const linking = await startApp({
      settings: { ...settings(), oauth: { providers: tables(), autoLinkVerifiedEmails: true } },
    });
    const { email } = await signUp(linking);
    expect(await withMicrosoft(linking, { ...user(), email, xms_edov: false })).toBe('email_in_use');
    expect(await withMicrosoft(linking, { ...user(), email })).toMatchObject({ email });
    await linking.close();
  });

  test('an ID token that names another tenant than its issuer is refused', async () => {
    const forged = { ...user(), iss: microsoft.issuerOf(tenants.fabrikam) };
    expect(await withMicrosoft(app, forged)).toBe('id_token_failed');
    expect(await withMicrosoft(app, { ...user(), tid: '../evil' })).toBe('id_token_failed');
    expect(await withMicrosoft(app, { ...user(), tid: '' })).toBe('id_token_failed');
  });

  // Shows asvs/6.8.2, asvs/9.1.3.
  test('an ID token that a key of another issuer has signed is refused', async () => {
    const personal = { ...user(), tid: tenants.consumers, byConsumerKey: true };
    expect(await withMicrosoft(app, personal)).toHaveProperty('id');
    expect(await withMicrosoft(app, { ...user(), byConsumerKey: true })).toBe('id_token_failed');
  });

  test('organisations alone sign in where the configuration says so', async () => {
    const table = { ...microsoft.table, tenant: 'organizations' };
    const own = await startApp({ settings: settings({ microsoft: table }) });
    expect(await withMicrosoft(own, user())).toHaveProperty('id');
    const personal = { ...user(), tid: tenants.consumers };
    expect(await withMicrosoft(own, personal)).toBe('id_token_failed');
    await own.close();
  });

  test('one tenant alone signs in where the configuration names it, by its id or its domain', async () => {
    for (const tenant of [tid, 'contoso.example']) {
      const own = await startApp({ settings: settings({ microsoft: { ...microsoft.table, tenant } }) });
      expect(await start(own, 'microsoft')).toContain(`/${tenant}/oauth2/v2.0/authorize`);
      expect(await withMicrosoft(own, user())).toHaveProperty('id');
      expect(await withMicrosoft(own, { ...user(), tid: tenants.fabrikam })).toBe('id_token_failed');
      await own.close();
    }
  });

  test('every address is believed where the configuration says so', async () => {
    const table = { ...microsoft.table, trustEmail: true };
    const trusting = await startApp({ settings: settings({ microsoft: table }) });
    expect(await withMicrosoft(trusting, { ...user(), xms_edov: false })).toMatchObject({
      is_verified: true,
    });
    await trusting.close();
  });
});

describe('Apple', () => {
  let app: App;
  beforeAll(async () => {
    app = await startApp({ settings: settings() });
  });
  afterAll(() => app?.close());

  test('the client secret is a JWT of the key, and the key is in no log', async () => {
    await withApple(app, { sub: newSubject() });
    const claims = JSON.parse(Buffer.from(apple.secrets.at(-1)!.split('.')[1]!, 'base64url').toString());
    expect(claims).toMatchObject({ iss: 'TEAM123456', sub: 'example.app.service', aud: apple.origin });
    expect(JSON.stringify(app.logs)).not.toMatch(/PRIVATE KEY|eyJ/);
  });

  test('a state is good once, and only with its own provider and code', async () => {
    const form = apple.answerTo(await start(app, 'apple'), { sub: newSubject() });
    expect((await post(app, form)).headers.get('Location')).toContain('?id=');
    expect((await post(app, form)).headers.get('Location')).toContain('error=bad_state');
    const foreign = apple.answerTo(await start(app, 'apple'), { sub: newSubject() });
    foreign.set('state', new URL(await start(app, 'github')).searchParams.get('state')!);
    expect((await post(app, foreign)).headers.get('Location')).toContain('error=bad_state');
    expect((await post(app, new URLSearchParams())).headers.get('Location')).toContain(
      'error=missing_code_or_state',
    );
  });

  test('a finished form is worth nothing to another browser, because the exchange needs the verifier', async () => {
    // A page of an attacker posts the form of a sign-in of the attacker: no cookie could tell the two apart (login CSRF).
    const code_challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';
    const { headers } = await app.rest('GET', `/oauth/apple/start?code_challenge=${code_challenge}`);
    const form = apple.answerTo(headers.get('Location')!, { sub: newSubject() });
    const id = new URL((await post(app, form)).headers.get('Location')!).searchParams.get('id');
    const refused = await app.rest('POST', '/oauth/exchange', { id });
    expect(refused).toMatchObject({ status: 400, body: { code: 'invalid_token' } });
    const code_verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
    expect((await app.rest('POST', '/oauth/exchange', { id, code_verifier })).status).toBe(200);
  });

  test('other posts are refused, and an invalid name is not taken', async () => {
    const form = apple.answerTo(await start(app, 'apple'), { sub: newSubject() });
    expect((await post(app, form, 'text/plain')).status).toBe(415);
    expect((await post(app, form, 'application/json')).status).toBe(415);
    const long = new URLSearchParams({ state: 'x'.repeat(70_000) });
    expect((await post(app, long)).status).toBe(413);
    for (const user of ['{', '{}', '[]', '"x"', '{"name":{"firstName":{"$gt":""}}}', 'null']) {
      const sub = newSubject();
      const posted = apple.answerTo(await start(app, 'apple'), { sub });
      posted.set('user', user);
      const location = (await post(app, posted)).headers.get('Location')!;
      expect(await ended(app, new URL(location))).toMatchObject({
        ...{ full_name: null, email: `${sub}@privaterelay.example` },
      });
    }
  });

  test('other fields of the form are ignored, a name of another provider too', async () => {
    const form = apple.answerTo(await start(app, 'apple'), { sub: newSubject() });
    for (const [name, value] of Object.entries({ provider: 'github', session_state: 'x' }))
      form.set(name, value);
    expect((await post(app, form)).headers.get('Location')).toContain('?id=');
  });

  test('the address in the form is not believed: only that of the ID token is', async () => {
    const form = apple.answerTo(await start(app, 'apple'), { sub: newSubject() });
    form.set('user', JSON.stringify({ email: 'victim@example.org', name: { firstName: 'A' } }));
    const account = await ended(app, new URL((await post(app, form)).headers.get('Location')!));
    expect(account.email).not.toBe('victim@example.org');
  });

  test('a person who cancels ends at the login page', async () => {
    const state = new URL(await start(app, 'apple')).searchParams.get('state')!;
    const form = new URLSearchParams({ error: 'user_cancelled_authorize', state });
    expect((await post(app, form)).headers.get('Location')).toBe(
      `${baseUrl}/account/login?error=oauth_failed`,
    );
  });

  test('is served where a parser of the host has read the form', async () => {
    const host = await startApp({ before: [express.urlencoded()], settings: settings() });
    expect(await withApple(host, { sub: newSubject() })).toHaveProperty('id');
    await host.close();
  });

  test('is served through the Fetch standard, too', async () => {
    const form = apple.answerTo(await start(app, 'apple'), { sub: newSubject() });
    const request = new Request(`${baseUrl}/api/auth/oauth/apple/callback`, { method: 'POST', body: form });
    const response = await app.gatehouse.fetch(request);
    expect(response.status).toBe(303);
    expect(response.headers.get('Location')).toContain('?id=');
  });
});
