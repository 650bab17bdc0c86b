import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ConfigInput } from '../../src/config/schema.ts';
import { signUp } from '../support/app.ts';
import { type Backend, describeStory } from '../support/backends.ts';
import { type Call, doorsOn, resultOf } from '../support/doors.ts';
import { addressOf, baseUrl, type Oidc, startOidc } from '../support/oidc.ts';
import { newPhone, newSubject, upTo } from '../support/people.ts';
import {
  challenge,
  codeTo,
  countUsers,
  failed,
  heard,
  identitiesOf,
  notice,
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

describeStory('sign-in with a provider', backend => {
  let site: Site;
  beforeAll(async () => {
    site = await open({}, backend);
  });
  afterAll(() => site?.app.close());

  test('the first sign-in makes an account without a password, the next ones find it', async () => {
    const login = newSubject();
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
    oidc.claim(login, { email: `${newSubject()}@elsewhere.example`, email_verified: false });
    const again = await site.session(login);
    expect(again.was_new_account).toBe(false);
    expect((await site.me(again.access_token)).body).toMatchObject({ id: user.id, email: user.email });
  });

  test('a finished sign-in is exchanged once, of 50 at once too', async () => {
    // A finished address is read over a shoulder, and its id sent at the same moment.
    const ended = await site.signIn(newSubject(), { redirect_to: '/shop?a=1#b' });
    expect(ended.href).toMatch(/^https:\/\/app\.example\/account\/oauth[\w/-]*\?id=[\w-]{43}$/);
    const guess = await site.app.rest('POST', '/oauth/exchange', { id: newSubject() });
    expect(guess).toMatchObject({ status: 404, body: { code: 'not_found' } });
    const replies = await Promise.all(upTo(50).map(() => site.exchange(ended)));
    const good = replies.filter(({ status }) => status === 200);
    expect(good).toHaveLength(1);
    expect(good[0]!.body.redirect_to).toBe(`${baseUrl}/shop?a=1#b`);
    expect(replies.filter(({ status }) => status === 404)).toHaveLength(49);
  });

  test('of 60 callbacks of one state at once, one signs in', async () => {
    // An attacker sends the address that the provider answered many times, to have more sessions than its owner knows.
    const login = newSubject();
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
    const login = newSubject();
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
    const [member, login] = [await signUp(site.app), newSubject()];
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
    expect(list.body).toEqual({ available: ['google'], linked: [identity], has_password: true });

    const session = await site.session(login);
    expect(session.was_new_account).toBe(false);
    expect((await site.me(session.access_token)).body).toMatchObject({ id: member.id, email: member.email });

    const mailed = () => site.app.mails.filter(({ to }) => to === member.email).length;
    const mailsBefore = mailed();
    expect(await site.app.rest('DELETE', '/oauth/google/link', undefined, { token })).toMatchObject({
      status: 200,
      body: { message: expect.any(String) },
    });
    expect((await site.app.nextMail(member.email)).text).toContain('oogle');
    expect(mailed()).toBe(mailsBefore + 1);
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
    const [owner, other, login] = [await signUp(site.app), await signUp(site.app), newSubject()];
    await site.link(owner, login);
    expect((await site.link(other, login)).href).toBe(failed('me', 'identity_in_use').href);
    expect((await site.link(owner, login)).href).toBe(failed('me', 'already_linked').href);
    expect((await site.link(owner, newSubject())).href).toBe(failed('me', 'already_linked').href);
    expect(await identitiesOf(site, other.id)).toEqual([]);
    expect(await identitiesOf(site, owner.id)).toMatchObject([{ subjectId: login }]);

    const [left, right, wanted] = [await signUp(site.app), await signUp(site.app), newSubject()];
    const flows = [await site.startLink(left), await site.startLink(right)];
    const answers = await Promise.all(flows.map(url => oidc.signInAt(url, wanted)));
    const ends = await Promise.all(answers.map(from => site.callBack(from)));
    expect(ends.map(end => end.search).sort()).toEqual(['?error=identity_in_use', '?linked=google']);
  });

  describe.each(doorsOn(backend))('through $name', door => {
    let call: Call;
    beforeAll(() => {
      call = door.at(site.app);
    });

    test('start, exchange, list, link and unlink say the same', async () => {
      const provider = 'google';
      const start = { provider, redirect_to: '/shop', code_challenge: challenge };
      const { authorization_url } = await resultOf(call('startOAuthSignIn', start));
      const ended = await site.callBack(await oidc.signInAt(authorization_url, newSubject()));
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
      expect(await resultOf(call('oauthProviders', undefined, auth))).toMatchObject({ has_password: false });
      expect(await call('unlinkOAuth', { provider }, auth)).toMatchObject({
        code: 'last_sign_in_method',
        status: 400,
      });
      expect(await resultOf(call('oauthProviders', undefined, auth))).toMatchObject({ has_password: false });
      const member = await signUp(site.app);
      const link = { provider, redirect_to: '/x' };
      const { authorization_url: url } = await resultOf(call('startOAuthLink', link, member));
      expect((await site.callBack(await oidc.signInAt(url, newSubject()))).search).toBe('?linked=google');
      expect(await resultOf(call('oauthProviders', undefined, member))).toMatchObject({
        available: ['google'],
        linked: [{ provider: 'google', last_used_at: null }],
        has_password: true,
      });
      expect((await call('unlinkOAuth', { provider }, member)).ok).toBe(true);
      expect(await call('unlinkOAuth', { provider }, member)).toMatchObject({
        code: 'not_found',
        status: 404,
      });
    });

    test('impossible links are refused by the same words, and linking needs a session', async () => {
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
      const login = newSubject();
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
