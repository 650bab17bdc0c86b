import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ConfigInput } from '../../src/config/schema.ts';
import { type Member, signUp } from '../support/app.ts';
import type { Backend } from '../support/backends.ts';
import { addressOf, baseUrl, type Oidc, startOidc } from '../support/oidc.ts';
import { newSubject } from '../support/people.ts';
import {
  challenge,
  countUsers,
  failed,
  identitiesOf,
  openSite,
  type Site,
  verifier,
} from './provider-site.ts';

let oidc: Oidc;
beforeAll(async () => {
  oidc = await startOidc();
});
afterAll(() => oidc?.close());
const open = (settings?: ConfigInput, backend?: Backend) => openSite(oidc, settings, backend);

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

  // Shows asvs/10.1.2.
  test('started with a challenge is exchanged with its verifier alone, and a wrong one spends nothing', async () => {
    // A finished id was read from a log, or sent to somebody as a link.
    const ended = await site.signIn(newSubject(), { code_challenge: challenge });
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

  // Shows asvs/10.2.1.
  test('ends at a word when its state is unknown, expired, or not there', async () => {
    // An attacker makes a callback up and sends it to somebody.
    const before = await countUsers(site);
    expect(await errorOf({ code: 'x', state: 'unknown' })).toBe(failed('login', 'bad_state').href);
    expect(await errorOf({ code: 'x' })).toBe(failed('login', 'missing_code_or_state').href);
    expect(await errorOf({ state: 'x' })).toBe(failed('login', 'missing_code_or_state').href);
    expect(await errorOf({ code: 'x', state: 'x' }, 'nope')).toBe(failed('login', 'unknown_provider').href);

    const old = await oidc.signInAt(await site.start(), newSubject());
    site.app.clock.advance(300_000);
    expect((await site.callBack(old)).href).toBe(failed('login', 'state_expired').href);
    expect(await countUsers(site)).toBe(before);
  });

  test('state fixation: an attacker who knows the state gets nothing when another person finishes', async () => {
    // An attacker starts a flow, gets somebody to sign in by it, and then asks for the session by the state.
    const url = await site.start();
    const state = new URL(url).searchParams.get('state')!;
    const ended = await site.callBack(await oidc.signInAt(url, newSubject()));
    expect(ended.searchParams.get('id')).not.toBe(state);
    const refused = { status: 404, body: { code: 'not_found' } };
    expect(await site.app.rest('POST', '/oauth/exchange', { id: state })).toMatchObject(refused);
    expect((await site.exchange(ended)).status).toBe(200);
  });

  // Shows asvs/10.2.1.
  test('state replay: a state is used once, and the id of a finished sign-in is no state', async () => {
    // A callback is read from a log or a history, and sent again.
    const good = await oidc.signInAt(await site.start(), newSubject());
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
    const foreign = await oidc.signInAt(await site.start(), newSubject());
    const id = foreign.searchParams.get('state')!;
    const { oauth_states } = site.app.gatehouse.repositories;
    const row = (await oauth_states.find(id))!;
    await oauth_states.consume(id);
    await oauth_states.add({ ...row, provider: 'github' });
    expect((await site.callBack(foreign)).href).toBe(failed('login', 'bad_state').href);
    expect(await countUsers(site)).toBe(before);
  });

  test('two browsers: what one started and another finished is a session for neither alone', async () => {
    // An attacker signs in as himself and sends the finished address to somebody, who is to go on in his account; or
    // starts a flow, and gets somebody to finish it.
    const url = await site.start({ code_challenge: challenge });
    const ended = await site.callBack(await oidc.signInAt(url, newSubject()));
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
      const ended = await site.signIn(newSubject(), { code_challenge });
      expect(await site.exchange(ended, { code_verifier: word })).toMatchObject({
        status: 400,
        body: { code: 'invalid_token' },
      });
    }
  });

  test('that the provider ends, and a code that is not of it, use the state up and repeat nothing', async () => {
    for (const [query, code] of [
      [{ error: 'access_denied<script>' }, 'oauth_failed'],
      [{ code: 'made-up', iss: oidc.issuer }, 'token_exchange_failed'],
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
    const ended = await site.signIn(newSubject());
    expect(await site.exchange(ended, { code_verifier: verifier })).toMatchObject({
      status: 400,
      body: { code: 'invalid_token' },
    });
    expect((await site.exchange(ended)).status).toBe(200);
  });

  test('a stolen state: with a code of another flow the sign-in is refused', async () => {
    // An attacker puts a code of an own sign-in into the flow of somebody else, who is then signed in as the attacker.
    const theirs = await oidc.signInAt(await site.start(), newSubject());
    const own = await oidc.signInAt(await site.start(), newSubject());
    const [state, code] = [theirs.searchParams.get('state')!, own.searchParams.get('code')!];
    const mixed = { state, code, iss: oidc.issuer };
    expect(await errorOf(mixed)).toBe(failed('login', 'token_exchange_failed').href);
  });

  test('that is finished waits a minute to be exchanged', async () => {
    const ended = await site.signIn(newSubject());
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
      ...[
        `${baseUrl}:444/`,
        'javascript:alert(1)',
        'data:text/html,x',
        'shop',
        '',
        ' /shop',
        '/shop ',
        '/my shop',
        '/%',
        '?a=1',
      ],
    ];
    for (const redirect_to of bad) {
      const start = `/oauth/google/start?${new URLSearchParams({ redirect_to })}`;
      const refused = { status: 400, body: { code: 'bad_redirect' } };
      expect(await site.app.rest('GET', start), redirect_to).toMatchObject(refused);
      const link = site.app.rest('POST', '/oauth/google/link/start', { redirect_to }, { token });
      expect(await link, redirect_to).toMatchObject(refused);
    }
    const good = [
      ...[
        '/',
        '/shop',
        '/my%20shop',
        '/%E3%80%80',
        '/%20/x',
        '/shop?next=//x',
        '/shop#//x',
        baseUrl,
        `${baseUrl}/a?b#c`,
      ],
      ...['https://APP.example/shop', 'HTTPS://app.example', `${baseUrl}:443/shop`],
    ];
    for (const redirect_to of good) await site.start({ redirect_to });
    for (const path of ['/oauth/nope/start', '/oauth/__proto__/start']) {
      expect(await site.app.rest('GET', path)).toMatchObject({ status: 404, body: { code: 'not_found' } });
    }
  });

  test('that links gives no token, and nothing to exchange', async () => {
    const url = await site.startLink(await signUp(site.app));
    const ended = await site.callBack(await oidc.signInAt(url, newSubject()));
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
      const from = await oidc.signInAt(await site.startLink(member), newSubject());
      await end(member);
      const countMails = () => site.app.mails.filter(({ to }) => to === member.email).length;
      const mails = countMails();
      expect((await site.callBack(from)).href).toBe(failed('me', 'bad_state').href);
      expect(await identitiesOf(site, member.id)).toEqual([]);
      expect(countMails()).toBe(mails);
    }
  });

  test('that links ends when the address of the account is not verified', async () => {
    // The flow was begun by a former version, which let anybody link.
    const [member, login] = [await signUp(site.app), newSubject()];
    const from = await oidc.signInAt(await site.startLink(member), login);
    await site.app.gatehouse.repositories.users.change(member.id, { set: { isVerified: false } });
    expect((await site.callBack(from)).href).toBe(failed('me', 'email_not_verified').href);
    expect(await identitiesOf(site, member.id)).toEqual([]);
  });

  test('keeps the last way to sign in', async () => {
    const { access_token: token } = await site.session(newSubject());
    expect(await site.app.rest('DELETE', '/oauth/google/link', undefined, { token })).toMatchObject({
      status: 400,
      body: { code: 'last_sign_in_method', detail: expect.stringContaining('last sign-in method') },
    });
    const list = await site.app.rest('GET', '/oauth/providers', undefined, { token });
    expect(list.body.linked).toMatchObject([{ provider: 'google', last_used_at: null }]);
  });

  test('of a disabled account ends at a word', async () => {
    const login = newSubject();
    const { access_token } = await site.session(login);
    const { id } = (await site.me(access_token)).body;
    await site.app.gatehouse.repositories.users.change(id, { set: { isActive: false } });
    expect((await site.signIn(login)).href).toBe(failed('login', 'user_inactive').href);
  });

  // Shows asvs/10.1.1.
  test('leaves neither tokens, codes nor addresses in the log', async () => {
    const login = newSubject();
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
