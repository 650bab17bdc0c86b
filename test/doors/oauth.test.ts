import { createHash, randomInt, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ConfigInput } from '../../src/config/schema.ts';
import type { EventName } from '../../src/events.ts';
import { type App, type Member, signUp, startApp, tokenOf } from '../support/app.ts';
import { type Backend, describeEachDriver } from '../support/backends.ts';
import { type Call, doors, resultOf } from '../support/doors.ts';
import { addressOf, baseUrl, type Oidc, startOidc } from '../support/oidc.ts';

const newLogin = () => `p${randomUUID()}`;
const newPhone = () => `+49151${randomInt(10_000_000, 99_999_999)}`;
const upTo = (count: number) => Array.from({ length: count }, (_, i) => i);
const verifier = 'a-verifier-of-43-characters-or-more-as-rfc-7636-says';
const challenge = createHash('sha256').update(verifier).digest('base64url');

let oidc: Oidc;
beforeAll(async () => {
  oidc = await startOidc();
});
afterAll(() => oidc?.close());

/** What the tests do with an app, in their own words. */
interface Site {
  app: App;
  /** Starts a sign-in and answers where the browser goes. */
  start(query?: Record<string, string>): Promise<string>;
  /** Starts a link and answers where the browser goes. */
  startLink(member: { token: string }, redirect_to?: string): Promise<string>;
  /** Hands what the provider answered to the callback; answers where that leads. */
  callBack(from: URL): Promise<URL>;
  /** Signs in from the start to where the browser ends. */
  signIn(login: string, query?: Record<string, string>): Promise<URL>;
  link(member: { token: string }, login: string, redirect_to?: string): Promise<URL>;
  exchange(ended: URL, more?: object): ReturnType<App['rest']>;
  /** Signs in and answers what was exchanged. @throws when that fails */
  // biome-ignore lint/suspicious/noExplicitAny: what a test reads of it, it also expects
  session(login: string): Promise<any>;
  me(token: string): ReturnType<App['rest']>;
}

async function open(settings: ConfigInput = {}, backend?: Backend): Promise<Site> {
  const { oauth, ...others } = settings;
  const app = await startApp({
    ...(backend && { backend }),
    settings: {
      ...{ baseUrl, enableOauth: true, enableSms2fa: true, enableAdminRouter: true },
      ...others,
      oauth: { ...oidc.settings, ...oauth },
    },
  });
  const site: Site = {
    app,
    async start(query = {}) {
      const reply = await app.rest('GET', `/oauth/google/start?${new URLSearchParams(query)}`);
      expect(reply.status).toBe(302);
      return reply.headers.get('Location')!;
    },
    async startLink({ token }, redirect_to) {
      const reply = await app.rest('POST', '/oauth/google/link/start', { redirect_to }, { token });
      expect(reply.status).toBe(200);
      return reply.body.authorization_url;
    },
    async callBack(from) {
      expect(from.origin + from.pathname).toBe(`${baseUrl}/api/auth/oauth/google/callback`);
      const reply = await app.rest('GET', `/oauth/google/callback${from.search}`);
      expect(reply.status).toBe(302);
      return new URL(reply.headers.get('Location')!);
    },
    signIn: async (login, query) => site.callBack(await oidc.signInAt(await site.start(query), login)),
    link: async (member, login, redirect_to) =>
      site.callBack(await oidc.signInAt(await site.startLink(member, redirect_to), login)),
    exchange: (ended, more = {}) =>
      app.rest('POST', '/oauth/exchange', { id: ended.searchParams.get('id'), ...more }),
    async session(login) {
      const ended = await site.signIn(login);
      const { status, body } = await site.exchange(ended);
      if (status !== 200) throw new Error(`The sign-in failed: ${ended} ${JSON.stringify(body)}`);
      return body;
    },
    me: token => app.rest('GET', '/me', undefined, { token }),
  };
  return site;
}

/** A page without a session: nothing but the word for the error stands in its address. */
const failed = (page: 'login' | 'me', code: string) => new URL(`${baseUrl}/account/${page}?error=${code}`);

const countUsers = (site: Site) => site.app.gatehouse.repositories.users.count({});
const identitiesOf = (site: Site, id: string) =>
  site.app.gatehouse.repositories.oauth_identities.listByUser(id);

/** The names of these events so far, in their order. */
function heard(site: Site, ...names: EventName[]): string[] {
  const all: string[] = [];
  for (const name of names) site.app.gatehouse.on(name, () => void all.push(name));
  return all;
}

/** Reads the notices to an address up to the one with this subject. */
async function notice(site: Site, to: string, subject: RegExp): Promise<string> {
  for (;;) {
    const mail = await site.app.nextMail(to);
    if (subject.test(mail.subject)) return mail.text;
  }
}

/** The code in the next text message to this phone. */
const codeTo = async (site: Site, phone: string) =>
  /(\d{6})$/.exec((await site.app.nextText(phone)).text)![1]!;

describeEachDriver('sign-in with a provider', backend => {
  let site: Site;
  beforeAll(async () => {
    site = await open({}, backend);
  });
  afterAll(() => site?.app.close());

  test('the first sign-in makes an account without a password, the next ones find it', async () => {
    const login = newLogin();
    const events = heard(site, 'user_registered', 'user_logged_in', 'oauth_signin_completed');
    const first = await site.session(login);
    expect(first).toEqual({
      access_token: expect.any(String),
      token_type: 'bearer',
      expires_in: expect.any(Number),
      redirect_to: `${baseUrl}/account/me`,
      was_new_account: true,
    });
    expect(events).toEqual(['user_registered', 'user_logged_in', 'oauth_signin_completed']);
    const user = (await site.me(first.access_token)).body;
    expect(user).toMatchObject({ email: addressOf(login), is_verified: true, full_name: null });
    expect((await site.app.gatehouse.repositories.users.find(user.id))!.hashedPassword).toBeNull();

    // It is the subject that counts, whatever address it claims now.
    oidc.claim(login, { email: `${newLogin()}@elsewhere.example`, email_verified: false });
    const again = await site.session(login);
    expect(again.was_new_account).toBe(false);
    expect((await site.me(again.access_token)).body).toMatchObject({ id: user.id, email: user.email });
  });

  test('a finished sign-in is exchanged once, of 50 at once too', async () => {
    // A finished address is read over a shoulder, and its id sent at the same moment.
    const ended = await site.signIn(newLogin(), { redirect_to: '/shop?a=1#b' });
    expect(ended.href).toMatch(/^https:\/\/app\.example\/account\/oauth[\w/-]*\?id=[\w-]{43}$/);
    const guess = await site.app.rest('POST', '/oauth/exchange', { id: newLogin() });
    expect(guess).toMatchObject({ status: 404, body: { code: 'not_found' } });
    const replies = await Promise.all(upTo(50).map(() => site.exchange(ended)));
    const good = replies.filter(({ status }) => status === 200);
    expect(good).toHaveLength(1);
    expect(good[0]!.body.redirect_to).toBe(`${baseUrl}/shop?a=1#b`);
    expect(replies.filter(({ status }) => status === 404)).toHaveLength(49);
  });

  test('of 60 callbacks of one state at once, one signs in', async () => {
    // An attacker sends the address that the provider answered many times, to have more sessions than its owner knows.
    const login = newLogin();
    const before = await countUsers(site);
    const events = heard(site, 'user_logged_in', 'user_registered');
    const from = await oidc.signInAt(await site.start(), login);
    const ends = await Promise.all(upTo(60).map(() => site.callBack(from)));
    expect(ends.filter(end => end.searchParams.has('id'))).toHaveLength(1);
    expect(ends.filter(end => end.href === failed('login', 'bad_state').href)).toHaveLength(59);
    expect(events).toEqual(['user_registered', 'user_logged_in']);
    expect(await countUsers(site)).toBe(before + 1);
  });

  test('first sign-ins of one person at once make one account', async () => {
    const login = newLogin();
    const before = await countUsers(site);
    const flows = await Promise.all(upTo(8).map(async () => oidc.signInAt(await site.start(), login)));
    const ends = await Promise.all(flows.map(from => site.callBack(from)));
    expect(ends.some(end => end.searchParams.has('id'))).toBe(true);
    expect(await countUsers(site)).toBe(before + 1);
    const { access_token } = await site.session(login);
    const { id } = (await site.me(access_token)).body;
    expect(await identitiesOf(site, id)).toHaveLength(1);
  });

  test('an identity is linked, listed, used, and unlinked; the owner is told of both', async () => {
    const [member, login] = [await signUp(site.app), newLogin()];
    const { token } = member;
    const events = heard(site, 'oauth_account_linked', 'oauth_account_unlinked', 'oauth_signin_completed');
    const ended = await site.link(member, login, '/settings?tab=2');
    expect(ended.href).toBe(`${baseUrl}/settings?tab=2&linked=google`);
    expect(await notice(site, member.email, /linked|connected|added/i)).toContain('oogle');
    const list = await site.app.rest('GET', '/oauth/providers', undefined, { token });
    const identity = {
      provider: 'google',
      email: addressOf(login),
      linked_at: expect.any(String),
      last_used_at: null,
    };
    expect(list.body).toEqual({ available: ['google'], linked: [identity] });

    const session = await site.session(login);
    expect(session.was_new_account).toBe(false);
    expect((await site.me(session.access_token)).body).toMatchObject({ id: member.id, email: member.email });

    const mailsBefore = site.app.mails.length;
    expect(await site.app.rest('DELETE', '/oauth/google/link', undefined, { token })).toMatchObject({
      status: 200,
      body: { message: expect.any(String) },
    });
    expect((await site.app.nextMail(member.email)).text).toContain('oogle');
    expect(site.app.mails.length).toBe(mailsBefore + 1);
    expect(await identitiesOf(site, member.id)).toEqual([]);
    expect(events).toEqual([
      'oauth_account_linked',
      'oauth_signin_completed',
      'oauth_signin_completed',
      'oauth_account_unlinked',
    ]);
    expect(await site.app.rest('DELETE', '/oauth/google/link', undefined, { token })).toMatchObject({
      status: 404,
      body: { code: 'not_found' },
    });
  });

  test('an identity belongs to one account, and an account has one of a provider', async () => {
    // Somebody links an identity that signs in elsewhere, to take it over.
    const [owner, other, login] = [await signUp(site.app), await signUp(site.app), newLogin()];
    await site.link(owner, login);
    expect((await site.link(other, login)).href).toBe(failed('me', 'identity_in_use').href);
    expect((await site.link(owner, login)).href).toBe(failed('me', 'already_linked').href);
    expect((await site.link(owner, newLogin())).href).toBe(failed('me', 'already_linked').href);
    expect(await identitiesOf(site, other.id)).toEqual([]);
    expect(await identitiesOf(site, owner.id)).toMatchObject([{ subjectId: login }]);

    const [left, right, wanted] = [await signUp(site.app), await signUp(site.app), newLogin()];
    const flows = [await site.startLink(left), await site.startLink(right)];
    const answers = await Promise.all(flows.map(url => oidc.signInAt(url, wanted)));
    const ends = await Promise.all(answers.map(from => site.callBack(from)));
    expect(ends.map(end => end.search).sort()).toEqual(['?error=identity_in_use', '?linked=google']);
  });

  describe.each(doors)('through $name', door => {
    let call: Call;
    beforeAll(() => {
      call = door.at(site.app);
    });

    test('start, exchange, list, link and unlink say the same', async () => {
      const provider = 'google';
      const start = { provider, redirect_to: '/shop', code_challenge: challenge };
      const { authorization_url } = await resultOf(call('startOAuthSignIn', start));
      const ended = await site.callBack(await oidc.signInAt(authorization_url, newLogin()));
      const id = ended.searchParams.get('id');
      const refused = { ok: false, code: 'invalid_token', status: 400 };
      expect(await call('exchangeOAuth', { id, code_verifier: 'x' })).toEqual(refused);
      const session = await resultOf(call('exchangeOAuth', { id, code_verifier: verifier }));
      expect(session).toEqual({
        access_token: expect.any(String),
        token_type: 'bearer',
        expires_in: expect.any(Number),
        redirect_to: `${baseUrl}/shop`,
        was_new_account: true,
      });
      expect(await call('exchangeOAuth', { id, code_verifier: verifier })).toMatchObject({
        code: 'not_found',
      });

      const auth = { token: session.access_token };
      expect(await call('unlinkOAuth', { provider }, auth)).toMatchObject({
        code: 'last_sign_in_method',
        status: 400,
      });
      const member = await signUp(site.app);
      const link = { provider, redirect_to: '/x' };
      const { authorization_url: url } = await resultOf(call('startOAuthLink', link, member));
      expect((await site.callBack(await oidc.signInAt(url, newLogin()))).search).toBe('?linked=google');
      expect(await resultOf(call('oauthProviders', undefined, member))).toMatchObject({
        available: ['google'],
        linked: [{ provider: 'google', last_used_at: null }],
      });
      expect((await call('unlinkOAuth', { provider }, member)).ok).toBe(true);
      expect(await call('unlinkOAuth', { provider }, member)).toMatchObject({
        code: 'not_found',
        status: 404,
      });
    });

    test('what cannot be is refused by the same words, and nobody links without a session', async () => {
      const bad = { provider: 'google', redirect_to: '//evil.example' };
      expect(await call('startOAuthSignIn', bad)).toMatchObject({ code: 'bad_redirect', status: 400 });
      expect(await call('startOAuthSignIn', { provider: 'x' })).toMatchObject({
        code: 'not_found',
        status: 404,
      });
      const anonymous = [
        call('startOAuthLink', { provider: 'google' }),
        call('unlinkOAuth', { provider: 'google' }),
        call('oauthProviders'),
      ];
      for (const answer of await Promise.all(anonymous)) expect(answer).toMatchObject({ status: 401 });
    });

    test('a due second step is taken by the texted code', async () => {
      const login = newLogin();
      const phoneNumber = newPhone();
      const first = await site.session(login);
      const { id: userId } = (await site.me(first.access_token)).body;
      const set = { phoneNumber, isMfaEnabled: true };
      await site.app.gatehouse.repositories.users.change(userId, { set });
      const id = (await site.signIn(login)).searchParams.get('id');
      const pending = await resultOf(call('exchangeOAuth', { id }));
      expect(pending).toMatchObject({
        status: 'mfa_required',
        mfa_pending_token: expect.any(String),
        expires_in: expect.any(Number),
        delivery: 'sms',
      });
      const { mfa_pending_token } = pending;
      const code = await codeTo(site, phoneNumber);
      const session = await resultOf(call('confirmLoginMfa', { mfa_pending_token, code }));
      expect(await resultOf(call('me', undefined, { token: session.access_token }))).toMatchObject({
        id: userId,
      });
    });
  });
});

describe('a flow', () => {
  let site: Site;
  beforeAll(async () => {
    site = await open();
  });
  afterAll(() => site?.app.close());

  const errorOf = async (query: Record<string, string>, provider = 'google') => {
    const path = `/oauth/${provider}/callback?${new URLSearchParams(query)}`;
    return (await site.app.rest('GET', path)).headers.get('Location');
  };

  test('started with a challenge is exchanged with its verifier alone, and a wrong one spends nothing', async () => {
    // A finished id was read from a log, or sent to somebody as a link.
    const ended = await site.signIn(newLogin(), { code_challenge: challenge });
    for (const code_verifier of [undefined, null, '', 'x', challenge, `${verifier}x`]) {
      expect(await site.exchange(ended, { code_verifier })).toMatchObject({
        status: 400,
        body: { code: 'invalid_token' },
      });
    }
    expect((await site.exchange(ended, { code_verifier: verifier })).status).toBe(200);
    expect((await site.exchange(ended, { code_verifier: verifier })).status).toBe(404);
    const bad = await site.app.rest('GET', '/oauth/google/start?code_challenge=short');
    expect(bad).toMatchObject({ status: 422, body: { code: 'invalid_input' } });
  });

  test('passes neither its verifier nor a secret through the browser, and asks who only when it links', async () => {
    const url = new URL(await site.start());
    expect(Object.fromEntries(url.searchParams)).toEqual({
      client_id: oidc.settings.googleClientId,
      redirect_uri: `${baseUrl}/api/auth/oauth/google/callback`,
      scope: 'openid email',
      response_type: 'code',
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    });
    const row = (await site.app.gatehouse.repositories.oauth_states.find(url.searchParams.get('state')!))!;
    expect(url.href).not.toContain(row.codeVerifier);
    const link = new URL(await site.startLink(await signUp(site.app)));
    expect(link.searchParams.get('prompt')).toBe('select_account');
  });

  test('ends at a word when its state is unknown, expired, or not there', async () => {
    // An attacker makes a callback up and sends it to somebody.
    const before = await countUsers(site);
    expect(await errorOf({ code: 'x', state: 'unknown' })).toBe(failed('login', 'bad_state').href);
    expect(await errorOf({ code: 'x' })).toBe(failed('login', 'missing_code_or_state').href);
    expect(await errorOf({ state: 'x' })).toBe(failed('login', 'missing_code_or_state').href);
    expect(await errorOf({ code: 'x', state: 'x' }, 'nope')).toBe(failed('login', 'unknown_provider').href);

    const old = await oidc.signInAt(await site.start(), newLogin());
    site.app.clock.advance(300_000);
    expect((await site.callBack(old)).href).toBe(failed('login', 'state_expired').href);
    expect(await countUsers(site)).toBe(before);
  });

  test('state fixation: whoever knows the state gets nothing when somebody else finishes', async () => {
    // An attacker starts a flow, gets somebody to sign in by it, and then asks for the session by the state.
    const url = await site.start();
    const state = new URL(url).searchParams.get('state')!;
    const ended = await site.callBack(await oidc.signInAt(url, newLogin()));
    expect(ended.searchParams.get('id')).not.toBe(state);
    const refused = { status: 404, body: { code: 'not_found' } };
    expect(await site.app.rest('POST', '/oauth/exchange', { id: state })).toMatchObject(refused);
    expect((await site.exchange(ended)).status).toBe(200);
  });

  test('state replay: a state is used once, and the id of a finished sign-in is no state', async () => {
    // A callback is read from a log or a history, and sent again.
    const good = await oidc.signInAt(await site.start(), newLogin());
    const ended = await site.callBack(good);
    expect((await site.callBack(good)).href).toBe(failed('login', 'bad_state').href);
    const result = { code: good.searchParams.get('code')!, state: ended.searchParams.get('id')! };
    expect(await errorOf(result)).toBe(failed('login', 'bad_state').href);
    expect((await site.exchange(ended)).status).toBe(200);
    expect((await site.callBack(good)).href).toBe(failed('login', 'bad_state').href);
  });

  test('cross-provider state: a state of one provider is refused at the callback of another', async () => {
    // A hostile provider sends the browser back with a code of its own, to where another provider is expected.
    const before = await countUsers(site);
    const foreign = await oidc.signInAt(await site.start(), newLogin());
    const id = foreign.searchParams.get('state')!;
    const { oauth_states } = site.app.gatehouse.repositories;
    const row = (await oauth_states.find(id))!;
    await oauth_states.take(id);
    await oauth_states.add({ ...row, provider: 'github' });
    expect((await site.callBack(foreign)).href).toBe(failed('login', 'bad_state').href);
    expect(await countUsers(site)).toBe(before);
  });

  test('two browsers: what one started and another finished is a session for neither alone', async () => {
    // An attacker signs in as himself and sends the finished address to somebody, who is to go on in his account; or
    // starts a flow, and gets somebody to finish it.
    const url = await site.start({ code_challenge: challenge });
    const ended = await site.callBack(await oidc.signInAt(url, newLogin()));
    const theirs = 'the-verifier-of-the-other-browser-in-43-characters';
    for (const more of [{}, { code_verifier: theirs }]) {
      expect(await site.exchange(ended, more)).toMatchObject({
        status: 400,
        body: { code: 'invalid_token' },
      });
    }
    const id = new URL(url).searchParams.get('state');
    const started = await site.app.rest('POST', '/oauth/exchange', { id, code_verifier: verifier });
    expect(started).toMatchObject({ status: 404, body: { code: 'not_found' } });
  });

  test('a guessable verifier is none, even of a flow that was started with its challenge', async () => {
    // An attacker starts a flow with the challenge of the very word that a page sends where it has no verifier, and
    // sends the finished address of an own sign-in to somebody.
    for (const word of ['none', 'x', verifier.slice(0, 42), `${verifier} ${verifier}`, 'v'.repeat(129)]) {
      const code_challenge = createHash('sha256').update(word).digest('base64url');
      const ended = await site.signIn(newLogin(), { code_challenge });
      expect(await site.exchange(ended, { code_verifier: word })).toMatchObject({
        status: 400,
        body: { code: 'invalid_token' },
      });
    }
  });

  test('that the provider ends, and a code that is not of it, use the state up and repeat nothing', async () => {
    for (const [query, code] of [
      [{ error: 'access_denied<script>' }, 'oauth_failed'],
      [{ code: 'made-up' }, 'token_exchange_failed'],
    ] as const) {
      const state = new URL(await site.start()).searchParams.get('state')!;
      expect(await errorOf({ ...query, state })).toBe(failed('login', code).href);
      expect(await errorOf({ ...query, state })).toBe(failed('login', 'bad_state').href);
    }
    const linking = new URL(await site.startLink(await signUp(site.app))).searchParams.get('state')!;
    expect(await errorOf({ error: 'no', state: linking })).toBe(failed('me', 'oauth_failed').href);
  });

  test('a flow without a challenge is no session for a browser that has a verifier', async () => {
    // An attacker leaves the challenge out (RFC 9700 §4.8.2), and sends the finished address of an own sign-in to
    // somebody whose app would go on in the attacker's account.
    const ended = await site.signIn(newLogin());
    expect(await site.exchange(ended, { code_verifier: verifier })).toMatchObject({
      status: 400,
      body: { code: 'invalid_token' },
    });
    expect((await site.exchange(ended)).status).toBe(200);
  });

  test('a stolen state: with a code that was made for another flow it signs nobody in', async () => {
    // An attacker puts a code of an own sign-in into the flow of somebody else, who is then signed in as the attacker.
    const theirs = await oidc.signInAt(await site.start(), newLogin());
    const own = await oidc.signInAt(await site.start(), newLogin());
    const mixed = { state: theirs.searchParams.get('state')!, code: own.searchParams.get('code')! };
    expect(await errorOf(mixed)).toBe(failed('login', 'token_exchange_failed').href);
  });

  test('that is finished waits a minute to be exchanged', async () => {
    const ended = await site.signIn(newLogin());
    site.app.clock.advance(60_000);
    expect(await site.exchange(ended)).toMatchObject({ status: 404, body: { code: 'not_found' } });
  });

  test('leads to no other site', async () => {
    // A link to our own start page that ends, after a real sign-in, at a page of the attacker.
    const { token } = await signUp(site.app);
    const bad = [
      ...['//evil.example', '///evil.example', '/\\evil.example', '\\\\evil.example', '\\/evil.example'],
      ...[
        '/%09/evil.example',
        '/%5cevil.example',
        '/%2fevil.example',
        '/\t/evil.example',
        '/\n/evil.example',
      ],
      ...['/.//evil.example', '/a/..//evil.example', '/%2e//evil.example', '/.%2f/evil.example'],
      ...[`${baseUrl}//evil.example`],
      ...['https:evil.example', 'https:/evil.example', 'https://evil.example/', 'http://app.example/'],
      ...['https://user@app.example/', 'https://app.example@evil.example/', `${baseUrl}.evil.example/`],
      ...[`${baseUrl}:444/`, 'javascript:alert(1)', 'data:text/html,x', 'shop', '', ' /shop', '/%', '?a=1'],
    ];
    for (const redirect_to of bad) {
      const start = `/oauth/google/start?${new URLSearchParams({ redirect_to })}`;
      const refused = { status: 400, body: { code: 'bad_redirect' } };
      expect(await site.app.rest('GET', start), redirect_to).toMatchObject(refused);
      const link = site.app.rest('POST', '/oauth/google/link/start', { redirect_to }, { token });
      expect(await link, redirect_to).toMatchObject(refused);
    }
    for (const redirect_to of ['/', '/shop', '/shop?next=//x', '/shop#//x', baseUrl, `${baseUrl}/a?b#c`]) {
      await site.start({ redirect_to });
    }
    for (const path of ['/oauth/nope/start', '/oauth/__proto__/start']) {
      expect(await site.app.rest('GET', path)).toMatchObject({ status: 404, body: { code: 'not_found' } });
    }
  });

  test('that links gives no token, and nothing to exchange', async () => {
    const url = await site.startLink(await signUp(site.app));
    const ended = await site.callBack(await oidc.signInAt(url, newLogin()));
    expect([...ended.searchParams.keys()]).toEqual(['linked']);
    const id = new URL(url).searchParams.get('state');
    expect((await site.app.rest('POST', '/oauth/exchange', { id })).status).toBe(404);
  });

  test('that links ends when its session was logged out, revoked or disabled since', async () => {
    // A stolen session starts a link; the owner ends the session, and the thief finishes at the provider.
    const revoke = (member: Member, everywhere: boolean) =>
      site.app.rest('POST', '/logout', { everywhere }, { token: member.token });
    const { users } = site.app.gatehouse.repositories;
    for (const end of [
      (member: Member) => revoke(member, false),
      (member: Member) => revoke(member, true),
      (member: Member) => users.change(member.id, { set: { isActive: false } }),
      (member: Member) => users.remove(member.id),
    ]) {
      const member = await signUp(site.app);
      const from = await oidc.signInAt(await site.startLink(member), newLogin());
      await end(member);
      const mails = site.app.mails.length;
      expect((await site.callBack(from)).href).toBe(failed('me', 'bad_state').href);
      expect(await identitiesOf(site, member.id)).toEqual([]);
      expect(site.app.mails.length).toBe(mails);
    }
  });

  test('keeps the last way to sign in', async () => {
    const { access_token: token } = await site.session(newLogin());
    expect(await site.app.rest('DELETE', '/oauth/google/link', undefined, { token })).toMatchObject({
      status: 400,
      body: { code: 'last_sign_in_method', detail: expect.stringContaining('last sign-in method') },
    });
    const list = await site.app.rest('GET', '/oauth/providers', undefined, { token });
    expect(list.body.linked).toMatchObject([{ provider: 'google', last_used_at: null }]);
  });

  test('of a disabled account ends at a word', async () => {
    const login = newLogin();
    const { access_token } = await site.session(login);
    const { id } = (await site.me(access_token)).body;
    await site.app.gatehouse.repositories.users.change(id, { set: { isActive: false } });
    expect((await site.signIn(login)).href).toBe(failed('login', 'user_inactive').href);
  });

  test('leaves neither tokens, codes nor addresses in the log', async () => {
    const login = newLogin();
    const from = await oidc.signInAt(await site.start(), login);
    const ended = await site.callBack(from);
    const { body } = await site.exchange(ended);
    const written = JSON.stringify(site.app.logs);
    const { code, state } = Object.fromEntries(from.searchParams);
    for (const secret of [
      code!,
      state!,
      ended.searchParams.get('id')!,
      body.access_token,
      addressOf(login),
    ]) {
      expect(written).not.toContain(secret);
    }
  });
});

describe('an address that an account here has', () => {
  const sites: Site[] = [];
  afterAll(() => Promise.all(sites.map(site => site.app.close())));
  async function openWith(settings: ConfigInput): Promise<Site> {
    const site = await open(settings);
    sites.push(site);
    return site;
  }

  /** An account of the address that this login claims. */
  async function owned(site: Site) {
    const login = newLogin();
    return { login, member: await signUp(site.app, addressOf(login)) };
  }

  test('is refused unless somebody says otherwise', async () => {
    const site = await openWith({});
    const { login, member } = await owned(site);
    expect((await site.signIn(login)).href).toBe(failed('login', 'email_in_use').href);
    expect(await identitiesOf(site, member.id)).toEqual([]);
  });

  test('is linked where that is the policy, and the provider says by a boolean that it is verified', async () => {
    // An account at the provider claims somebody else's address, which the provider never checked.
    const site = await openWith({ oauth: { existingEmailPolicy: 'auto_link_verified' } });
    const { login, member } = await owned(site);
    const email = addressOf(login);
    for (const claims of [{}, { email_verified: false }, { email_verified: 'true' }, { email_verified: 1 }]) {
      oidc.claim(login, { email, ...claims });
      expect((await site.signIn(login)).href).toBe(failed('login', 'email_in_use').href);
    }
    expect(await identitiesOf(site, member.id)).toEqual([]);
    oidc.claim(login, { email: email.toUpperCase(), email_verified: true });
    const session = await site.session(login);
    expect(session.was_new_account).toBe(false);
    expect((await site.me(session.access_token)).body.id).toBe(member.id);
    expect((await site.app.nextMail(email)).text).toContain('oogle');
    const second = newLogin();
    oidc.claim(second, { email, email_verified: true });
    expect((await site.signIn(second)).href).toBe(failed('login', 'already_linked').href);
  });

  test('is not linked to an account whose address nobody has verified', async () => {
    // Somebody registers with the address of another person and waits until its owner signs in with the provider.
    const site = await openWith({
      requireVerification: false,
      oauth: { existingEmailPolicy: 'auto_link_verified' },
    });
    const login = newLogin();
    const [email, password] = [addressOf(login), 'the password of a stranger'];
    const { body } = await site.app.rest('POST', '/register', { email, password });
    expect(body.is_verified).toBe(false);
    expect((await site.signIn(login)).href).toBe(failed('login', 'email_in_use').href);
    expect(await identitiesOf(site, body.id)).toEqual([]);
  });

  test('stays with its account, and a separate one is made, where that is the policy', async () => {
    const site = await openWith({ oauth: { existingEmailPolicy: 'create_new' } });
    const { login, member } = await owned(site);
    const session = await site.session(login);
    expect(session.was_new_account).toBe(true);
    const user = (await site.me(session.access_token)).body;
    expect(user.id).not.toBe(member.id);
    expect(user.email).toMatch(/@oauth\.invalid$/);
    expect((await site.session(login)).was_new_account).toBe(false);
    expect(await identitiesOf(site, member.id)).toEqual([]);
  });
});

describe('a new account from outside', () => {
  test('needs an address that the provider calls verified while verification is required', async () => {
    const site = await open();
    const login = newLogin();
    const email = addressOf(login);
    for (const email_verified of [undefined, false, 'true', 1, null]) {
      oidc.claim(login, { email, email_verified });
      expect((await site.signIn(login)).href).toBe(failed('login', 'email_not_verified').href);
    }
    for (const email of [
      undefined,
      null,
      7,
      'no address',
      'a@oauth.invalid',
      `${'a'.repeat(250)}@b.example`,
    ]) {
      oidc.claim(login, { email, email_verified: true });
      expect((await site.signIn(login)).href, String(email)).toBe(failed('login', 'email_missing').href);
    }
    expect(await countUsers(site)).toBe(0);
    await site.app.close();
  });

  test('is as verified as the provider says where verification is not required', async () => {
    const site = await open({ requireVerification: false });
    for (const [email_verified, expected] of [
      [true, true],
      [false, false],
      ['true', false],
      [undefined, false],
    ] as const) {
      const login = newLogin();
      oidc.claim(login, { email: addressOf(login), email_verified });
      const { access_token } = await site.session(login);
      expect((await site.me(access_token)).body.is_verified).toBe(expected);
    }
    await site.app.close();
  });

  test('is not made while registration is closed', async () => {
    const site = await open({ allowRegistration: false });
    expect((await site.signIn(newLogin())).href).toBe(failed('login', 'registration_closed').href);
    expect(await countUsers(site)).toBe(0);
    await site.app.close();
  });

  test('drops the pending registration of its address, whose password is a stranger’s', async () => {
    // Somebody registers with the address of another person, who then signs in with the provider and gets the old mail.
    const site = await open();
    const login = newLogin();
    const [email, password] = [addressOf(login), 'the password of a stranger'];
    await site.app.rest('POST', '/register', { email, password });
    const token = tokenOf(await site.app.nextMail(email));
    const { access_token } = await site.session(login);
    expect((await site.app.rest('POST', '/verify', { token })).status).toBe(400);
    expect((await site.app.rest('POST', '/login', { email, password })).status).toBe(401);
    expect((await site.me(access_token)).status).toBe(200);
    expect(await site.app.gatehouse.repositories.pending.find(email)).toBeNull();
    await site.app.close();
  });
});

describe('the second step after external sign-in', () => {
  const phoneNumber = '+4915112345678';
  /** A person of the provider whose account has a second factor. */
  async function withPhone(site: Site): Promise<string> {
    const login = newLogin();
    const { access_token } = await site.session(login);
    const { id } = (await site.me(access_token)).body;
    await site.app.gatehouse.repositories.users.change(id, { set: { phoneNumber, isMfaEnabled: true } });
    return login;
  }

  test('is due, and the code alone gives the session', async () => {
    // A stolen account at the provider meets the second factor here.
    const site = await open();
    const login = await withPhone(site);
    const events = heard(site, 'user_logged_in', 'mfa_login_started');
    const pending = await site.session(login);
    expect(pending).toEqual({
      status: 'mfa_required',
      mfa_pending_token: expect.any(String),
      expires_in: expect.any(Number),
      delivery: 'sms',
      redirect_to: `${baseUrl}/account/me`,
      was_new_account: false,
    });
    expect(events).toEqual(['mfa_login_started']);
    expect((await site.me(pending.mfa_pending_token)).status).toBe(401);
    const code = await codeTo(site, phoneNumber);
    const { mfa_pending_token } = pending;
    const confirmed = await site.app.rest('POST', '/login/mfa-confirm', { mfa_pending_token, code });
    expect((await site.me(confirmed.body.access_token)).status).toBe(200);
    expect(events).toEqual(['mfa_login_started', 'user_logged_in']);
    await site.app.close();
  });

  test('a stolen pending token is worth nothing without the code', async () => {
    // A stolen account at the provider, or a page that reads along, gives the token of the second step alone.
    const site = await open();
    const { mfa_pending_token } = await site.session(await withPhone(site));
    const code = await codeTo(site, phoneNumber);
    const second = (code: string) => site.app.rest('POST', '/login/mfa-confirm', { mfa_pending_token, code });
    for (const path of ['/me', '/oauth/providers', '/admin/stats']) {
      expect((await site.app.rest('GET', path, undefined, { token: mfa_pending_token })).status).toBe(401);
    }
    const link = site.app.rest('POST', '/oauth/google/link/start', {}, { token: mfa_pending_token });
    expect((await link).status).toBe(401);
    const exchange = await site.app.rest('POST', '/oauth/exchange', { id: mfa_pending_token });
    expect([404, 422]).toContain(exchange.status);
    const wrong = code === '111111' ? '222222' : '111111';
    for (const expected of [...Array(4).fill('mfa_code_wrong'), 'LOCKED', 'mfa_code_missing']) {
      expect((await second(wrong)).body.code).toBe(expected);
    }
    expect((await second(code)).body.code).toBe('mfa_code_missing');
    await site.app.close();
  });

  test('is left out where the configuration says so', async () => {
    const site = await open({ oauth: { enforceMfa: false } });
    const { access_token } = await site.session(await withPhone(site));
    expect((await site.me(access_token)).status).toBe(200);
    expect(site.app.texts).toEqual([]);
    await site.app.close();
  });
});
