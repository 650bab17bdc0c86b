import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ConfigInput } from '../../src/config/schema.ts';
import { type App, type Member, signUp, startApp } from '../support/app.ts';
import { describeStory } from '../support/backends.ts';
import { doorsOn, resultOf } from '../support/doors.ts';
import { addressOf, baseUrl, type Oidc, startOidc } from '../support/oidc.ts';
import { newSubject } from '../support/people.ts';

// Two real OpenID Connect providers beside each other, either of which may be hostile to people of the other.

let one: Oidc;
let two: Oidc;
beforeAll(async () => {
  one = await startOidc(baseUrl, 'one', 'renamed');
  two = await startOidc(baseUrl, 'two');
});
afterAll(async () => {
  await one?.close();
  await two?.close();
});

const tables = (): ConfigInput => ({
  baseUrl,
  enableOauth: true,
  oauth: { providers: { one: { ...one.table, label: 'The One' }, two: two.table } },
});

async function start(app: App, provider: string, query = ''): Promise<string> {
  const reply = await app.rest('GET', `/oauth/${provider}/start${query}`);
  expect(reply.status).toBe(302);
  return reply.headers.get('Location')!;
}

async function callBack(app: App, provider: string, search: string): Promise<URL> {
  const reply = await app.rest('GET', `/oauth/${provider}/callback${search}`);
  expect(reply.status).toBe(302);
  return new URL(reply.headers.get('Location')!);
}

async function signIn(app: App, provider: string, oidc: Oidc, login: string): Promise<URL> {
  const back = await oidc.signInAt(await start(app, provider), login);
  return callBack(app, provider, back.search);
}

/** Signs in and returns the account. */
async function account(app: App, provider: string, oidc: Oidc, login: string) {
  const id = (await signIn(app, provider, oidc, login)).searchParams.get('id');
  const { body } = await app.rest('POST', '/oauth/exchange', { id });
  return (await app.rest('GET', '/me', undefined, { token: body.access_token })).body;
}

async function link(app: App, provider: string, oidc: Oidc, login: string, { token }: Member): Promise<URL> {
  const { body } = await app.rest('POST', `/oauth/${provider}/link/start`, {}, { token });
  return callBack(app, provider, (await oidc.signInAt(body.authorization_url, login)).search);
}

const failed = (code: string, page = 'login') => `${baseUrl}/account/${page}?error=${code}`;

describeStory('two providers', backend => {
  let app: App;
  beforeAll(async () => {
    app = await startApp({ backend, settings: tables() });
  });
  afterAll(() => app?.close());

  // Shows asvs/6.8.1.
  test('have one subject, and are two people', async () => {
    const login = newSubject();
    two.claim(login, { email: `${login}@elsewhere.example`, email_verified: true });
    const [first, second] = [await account(app, 'one', one, login), await account(app, 'two', two, login)];
    expect(first.id).not.toBe(second.id);
    expect([first.email, second.email]).toEqual([addressOf(login), `${login}@elsewhere.example`]);
    expect((await account(app, 'one', one, login)).id).toBe(first.id);
    expect((await account(app, 'two', two, login)).id).toBe(second.id);
  });

  test.each(doorsOn(backend))(
    'are linked to one account, and unlinked one by one, through $name',
    async door => {
      const call = door.at(app);
      const member = await signUp(app);
      const [first, second] = [newSubject(), newSubject()];
      expect((await link(app, 'one', one, first, member)).searchParams.get('linked')).toBe('one');
      expect((await link(app, 'two', two, second, member)).searchParams.get('linked')).toBe('two');
      const list = await resultOf(call('oauthProviders', undefined, member));
      expect(list.available).toEqual(['one', 'two']);
      expect(list.linked.map((each: { provider: string }) => each.provider)).toEqual(['one', 'two']);
      expect((await account(app, 'one', one, first)).id).toBe(member.id);
      expect((await account(app, 'two', two, second)).id).toBe(member.id);

      await resultOf(call('unlinkOAuth', { provider: 'one' }, member));
      const left = await resultOf(call('oauthProviders', undefined, member));
      expect(left.linked).toMatchObject([{ provider: 'two', email: addressOf(second) }]);
      expect((await account(app, 'two', two, second)).id).toBe(member.id);
      // That identity belongs to another person from now on.
      expect((await account(app, 'one', one, first)).id).not.toBe(member.id);
      expect(await call('unlinkOAuth', { provider: 'one' }, member)).toMatchObject({ code: 'not_found' });
    },
  );

  test.each(doorsOn(backend))('are named to an application that draws buttons, through $name', async door => {
    const features = await resultOf(door.at(app)('features'));
    expect(features.oauth_providers).toEqual([
      { name: 'one', label: 'The One', kind: 'oidc' },
      { name: 'two', label: 'Two', kind: 'oidc' },
    ]);
  });

  test('the same issuer under another name signs the same person in', async () => {
    const login = newSubject();
    const { id } = await account(app, 'one', one, login);
    const settings = { ...tables(), oauth: { providers: { renamed: one.table, two: two.table } } };
    const databaseUrl = app.gatehouse.config.databaseUrl.reveal();
    const other = await startApp({ databaseUrl, settings });
    const ended = await signIn(other, 'renamed', one, login);
    const { body } = await other.rest('POST', '/oauth/exchange', { id: ended.searchParams.get('id') });
    const token = { token: body.access_token };
    expect((await other.rest('GET', '/me', undefined, token)).body.id).toBe(id);
    const { body: list } = await other.rest('GET', '/oauth/providers', undefined, token);
    expect(list).toMatchObject({ available: ['renamed', 'two'], linked: [{ provider: 'renamed' }] });
    const unlinked = await other.rest('DELETE', '/oauth/renamed/link', undefined, token);
    expect(unlinked.body.code).toBe('last_sign_in_method');
    await other.close();
  });
});

describe('a mix-up of two providers', () => {
  let app: App;
  beforeAll(async () => {
    app = await startApp({ settings: tables() });
  });
  afterAll(() => app?.close());
  const nobody = async () => expect(await app.gatehouse.repositories.users.count({})).toBe(0);

  // Shows asvs/10.2.2.
  test('a response of one at the callback of the other is refused, and the flow can still end where it began', async () => {
    const back = await one.signInAt(await start(app, 'one'), newSubject());
    expect((await callBack(app, 'two', back.search)).href).toBe(failed('bad_state'));
    await nobody();
  });

  test('a code of one in a flow of the other is refused, whichever issuer it names', async () => {
    // RFC 9207 §1: a hostile provider hands the browser a response of an honest one, or the other way round.
    for (const iss of [one.issuer, two.issuer]) {
      const back = await one.signInAt(await start(app, 'one'), newSubject());
      const state = new URL(await start(app, 'two')).searchParams.get('state')!;
      const mixed = new URLSearchParams({ code: back.searchParams.get('code')!, state, iss });
      const reason = iss === two.issuer ? 'token_exchange_failed' : 'issuer_mismatch';
      expect((await callBack(app, 'two', `?${mixed}`)).href).toBe(failed(reason));
      // The state is used up.
      expect((await callBack(app, 'two', `?${mixed}`)).href).toBe(failed('bad_state'));
    }
    await nobody();
  });

  test('a response that names no issuer is refused where the provider announces one', async () => {
    const back = await one.signInAt(await start(app, 'one'), newSubject());
    back.searchParams.delete('iss');
    expect((await callBack(app, 'one', back.search)).href).toBe(failed('issuer_mismatch'));
    await nobody();
  });

  test('an unknown provider has no start, no link and no callback', async () => {
    expect((await app.rest('GET', '/oauth/google/start')).status).toBe(404);
    const ended = await callBack(app, 'google', '?code=x&state=x');
    expect(ended.href).toBe(failed('unknown_provider'));
    // Nothing posts a form here.
    expect((await app.rest('POST', '/oauth/one/callback', {})).status).toBe(405);
  });
});

test('google and further providers stand beside each other, google first', async () => {
  const oauth = { ...one.settings, providers: { two: two.table } };
  const app = await startApp({ settings: { baseUrl, enableOauth: true, oauth } });
  const { body } = await app.rest('GET', '/features');
  expect(body.oauth_providers.map((each: { name: string }) => each.name)).toEqual(['google', 'two']);
  expect(new URL(await start(app, 'google')).origin).toBe(one.issuer);
  expect(new URL(await start(app, 'two')).origin).toBe(two.issuer);
  await app.close();
});
