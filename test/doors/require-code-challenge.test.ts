import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { tokenHash } from '../../src/crypto/one-time.ts';
import { type App, logIn, signUp } from '../support/app.ts';
import { describeEachDriver } from '../support/backends.ts';
import { doorsOn, resultOf } from '../support/doors.ts';
import { type External, startExternal } from '../support/external.ts';
import { isAlive, newSubject } from '../support/people.ts';
import { setUpTotp } from '../support/strong.ts';
import { totpSettings } from '../support/totp.ts';
import { challenge, failed, verifier } from './provider-site.ts';

// A flow that any browser can end: somebody is talked into finishing a link that another account has started, and their
// identity opens that account; or an id is read from a log, and exchanged.

describeEachDriver('oauth.require_code_challenge', backend => {
  let external: External;
  let app: App;
  beforeAll(async () => {
    const settings = { ...totpSettings, recentSignInForLinks: true, oauth: { requireCodeChallenge: true } };
    external = await startExternal({ backend, settings });
    app = external.app;
  });
  afterAll(() => external?.close());

  const started = { provider: 'google', code_challenge: challenge };
  const needed = [{ path: 'code_challenge', message: 'is required', rule: 'required' }];

  const ways = doorsOn(backend);
  describe.each(ways)('through $name', door => {
    const call: ReturnType<typeof door.at> = (...args) => door.at(app)(...args);

    /** Starts a link in a session and comes back as this person; returns what ends it. */
    async function comeBack(by: { token: string }, sub = newSubject()) {
      const { authorization_url } = await resultOf(call('startOAuthLink', started, by));
      const ended = await external.comeBack(authorization_url, sub);
      expect(ended.origin + ended.pathname).toBe(app.gatehouse.config.urls.account);
      return { id: ended.searchParams.get('id'), code_verifier: verifier };
    }
    const isLinked = async (member: { id: string }) => (await external.identitiesOf(member)).length > 0;

    // Shows asvs/10.1.2.
    test('no flow starts without a challenge', async () => {
      const member = await signUp(app);
      const input = { provider: 'google' };
      expect(await call('startOAuthSignIn', input)).toMatchObject({ code: 'invalid_input', errors: needed });
      expect(await call('startOAuthLink', input, member)).toMatchObject({
        code: 'invalid_input',
        errors: needed,
      });
    });

    test('a flow that began without one, before it was required, ends in nothing', async () => {
      const member = await signUp(app);
      const { authorization_url } = await resultOf(call('startOAuthLink', started, member));
      const states = app.gatehouse.repositories.oauth_states;
      const state = (await states.find(new URL(authorization_url).searchParams.get('state')!))!;
      await states.consume(state.id);
      await states.add({ ...state, codeChallenge: null });
      const ended = await external.comeBack(authorization_url, newSubject());
      expect(ended.href).toBe(failed('me', 'bad_state').href);
      expect(await isLinked(member)).toBe(false);
    });

    // Shows asvs/10.1.2.
    test('a link ends in the session and with the verifier that started it, and once', async () => {
      const heard: string[] = [];
      app.gatehouse.on('oauth_signin_completed', ({ user }) => void heard.push(user.id));
      const member = await signUp(app);
      const end = await comeBack(member);
      expect(await isLinked(member)).toBe(false);
      expect(heard).not.toContain(member.id);
      const linked = await resultOf(call('finishOAuthLink', end, member));
      expect(linked).toMatchObject({ provider: 'google', last_used_at: null });
      expect(await isLinked(member)).toBe(true);
      expect(heard).toContain(member.id);
      expect(await call('finishOAuthLink', end, member)).toMatchObject({ code: 'not_found', status: 404 });
    });

    test('neither another account nor another session of the same ends it, and nothing is spent', async () => {
      const [member, stranger] = [await signUp(app), await signUp(app)];
      const end = await comeBack(member);
      for (const token of [stranger.token, await logIn(app, member)])
        expect(await call('finishOAuthLink', end, { token })).toMatchObject({
          code: 'not_found',
          status: 404,
        });
      expect(await call('finishOAuthLink', end)).toMatchObject({ code: 'unauthenticated' });
      await resultOf(call('finishOAuthLink', end, member));
    });

    test('a session from before the app ends no link that it began before it', async () => {
      const member = await signUp(app);
      const end = await comeBack(member);
      await setUpTotp(app, member);
      const weak = { code: 'recent_sign_in_required', status: 401 };
      expect(await call('finishOAuthLink', end, member)).toMatchObject(weak);
      expect(await isLinked(member)).toBe(false);
    });

    test('a missing or wrong verifier ends nothing, and nothing is spent', async () => {
      const member = await signUp(app);
      const end = await comeBack(member);
      for (const code_verifier of [undefined, null, 'x', challenge, `${verifier}x`]) {
        const answer = await call('finishOAuthLink', { ...end, code_verifier }, member);
        expect(answer).toMatchObject({ code: 'invalid_token', status: 400 });
      }
      await resultOf(call('finishOAuthLink', end, member));
    });

    test('a result is of its own kind: a link is no sign-in, and a sign-in no link', async () => {
      const member = await signUp(app);
      const link = await comeBack(member);
      expect(await call('exchangeOAuth', link)).toMatchObject({ code: 'not_found' });
      const { authorization_url } =
        door.name === 'GraphQL'
          ? await resultOf(call('startOAuthSignIn', started))
          : { authorization_url: await startedUrl() };
      const ended = await external.comeBack(authorization_url, newSubject());
      const signIn = { id: ended.searchParams.get('id'), code_verifier: verifier };
      expect(await call('finishOAuthLink', signIn, member)).toMatchObject({ code: 'not_found' });
      const { access_token } = await resultOf(call('exchangeOAuth', signIn));
      expect(await isAlive(app, access_token)).toBe(true);
      await resultOf(call('finishOAuthLink', link, member));
    });

    test('an identity of somebody else, a second one, an expired result and an ended session are refused', async () => {
      const sub = newSubject();
      const [first, second] = [await signUp(app), await signUp(app)];
      await resultOf(call('finishOAuthLink', await comeBack(first, sub), first));
      const taken = await comeBack(second, sub);
      const inUse = { code: 'identity_in_use', status: 409 };
      expect(await call('finishOAuthLink', taken, second)).toMatchObject(inUse);
      const again = { code: 'already_linked', status: 409 };
      expect(await call('finishOAuthLink', await comeBack(first), first)).toMatchObject(again);

      const late = await comeBack(second);
      app.clock.advance(app.gatehouse.config.oauth.completionTtlSeconds * 1000);
      expect(await call('finishOAuthLink', late, second)).toMatchObject({ code: 'not_found' });
      const end = await comeBack(second);
      await call('logout', {}, second);
      expect(await call('finishOAuthLink', end, second)).toMatchObject({ code: 'unauthenticated' });
      expect(await isLinked(second)).toBe(false);
    });
  });

  test('an identity whose account is being stored is refused for a moment, and may be tried again', async () => {
    const [first, second] = [await signUp(app), await signUp(app)];
    const sub = newSubject();
    async function link(by: { token: string }) {
      const from = { code_challenge: challenge };
      const { body } = await app.rest('POST', '/oauth/google/link/start', from, by);
      const ended = await external.comeBack(body.authorization_url, sub);
      const end = { id: ended.searchParams.get('id'), code_verifier: verifier };
      return app.rest('POST', '/oauth/link/finish', end, by);
    }
    expect((await link(first)).status).toBe(200);
    const { users } = app.gatehouse.repositories;
    const { find } = users;
    const finding = vi.spyOn(users, 'find');
    onTestFinished(() => finding.mockRestore());
    finding.mockImplementation(async id => (id === first.id ? null : find(id)));
    const { status, headers } = await link(second);
    expect([status, headers.get('Retry-After')]).toEqual([503, '1']);
  });

  const startedUrl = async () => {
    const { headers } = await app.rest('GET', `/oauth/google/start?code_challenge=${challenge}`);
    return headers.get('Location')!;
  };

  test('of ends at once one links', async () => {
    const member = await signUp(app);
    const { body } = await app.rest(
      'POST',
      '/oauth/google/link/start',
      { code_challenge: challenge },
      member,
    );
    const ended = await external.comeBack(body.authorization_url, newSubject());
    const end = { id: ended.searchParams.get('id'), code_verifier: verifier };
    const replies = await Promise.all(
      Array.from({ length: 8 }, () => app.rest('POST', '/oauth/link/finish', end, member)),
    );
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, ...Array(7).fill(404)]);
    expect(await external.identitiesOf(member)).toHaveLength(1);
  });

  test('a browser that starts without a challenge is led to the login page; a program gets the problem', async () => {
    const start = (accept: string) =>
      app.rest('GET', '/oauth/google/start', undefined, { headers: { accept } });
    const browser = await start('text/html,*/*');
    expect(browser.status).toBe(302);
    expect(browser.headers.get('Location')).toBe(failed('login', 'code_challenge_required').href);
    expect(await start('application/json')).toMatchObject({ status: 422, body: { errors: needed } });
  });

  test('nothing of the person stands readable in the database while a link waits', async () => {
    const member = await signUp(app);
    const sub = newSubject();
    const { body } = await app.rest(
      'POST',
      '/oauth/google/link/start',
      { code_challenge: challenge },
      member,
    );
    const ended = await external.comeBack(body.authorization_url, sub);
    const id = tokenHash(ended.searchParams.get('id')!);
    const row = await app.gatehouse.repositories.oauth_states.find(id);
    expect(row).toMatchObject({ linkingUserId: member.id });
    expect(JSON.stringify(row)).not.toContain(sub);
  });
});

test('without oauth.require_code_challenge nothing of it is there', async () => {
  const external = await startExternal();
  const { app } = external;
  const member = await signUp(app);
  const path = '/oauth/google/link/start';
  const withIt = await app.rest('POST', path, { code_challenge: challenge }, member);
  expect(withIt).toMatchObject({ status: 422, body: { errors: [{ path: 'code_challenge' }] } });
  expect((await app.rest('POST', '/oauth/link/finish', {}, member)).status).toBe(404);
  expect(await app.gatehouse.graphqlSdl()).not.toMatch(/finishOAuthLink/);
  expect(JSON.stringify((await app.rest('GET', '/openapi.json')).body)).not.toContain('/oauth/link/finish');
  await external.close();
});
