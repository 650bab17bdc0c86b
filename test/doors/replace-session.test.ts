import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type App, logIn, type Member, signUp, startApp } from '../support/app.ts';
import { describeEachDriver } from '../support/backends.ts';
import { doorsOn, resultOf } from '../support/doors.ts';
import { type External, startExternal } from '../support/external.ts';
import { codeIn, isAlive, newPhone, newSubject } from '../support/people.ts';
import { codeOf, nextCodeOf, passkeyProof, setUpPasskey, setUpTotp, strong } from '../support/strong.ts';

// A person signs in on a shared computer where another person's session is still there. The browser forgets its token,
// which stays valid: a person with a copy of it has the account until it ends.

describeEachDriver('replace_session_at_sign_in', backend => {
  let external: External;
  let app: App;
  beforeAll(async () => {
    const settings = { ...strong, replaceSessionAtSignIn: true, maxSessionsPerUser: 2 };
    external = await startExternal({ backend, settings });
    app = external.app;
  });
  afterAll(() => external?.close());

  const ways = doorsOn(backend);
  describe.each(ways)('through $name', door => {
    const call: ReturnType<typeof door.at> = (...args) => door.at(app)(...args);
    const login = ({ email, password }: Member, options: { token?: string } = {}) =>
      call('login', { email, password }, options);

    // Shows asvs/7.2.4.
    test('a password ends the session that is sent with it, of any account, and no other', async () => {
      const [person, stranger] = [await signUp(app), await signUp(app)];
      const other = await logIn(app, stranger);
      const { access_token } = await resultOf(login(person, { token: stranger.token }));
      for (const token of [access_token, other, person.token]) expect(await isAlive(app, token)).toBe(true);
      expect(await isAlive(app, stranger.token)).toBe(false);
    });

    test('a passkey does, too', async () => {
      const member = await signUp(app);
      const { device, token } = await setUpPasskey(app, member);
      await resultOf(call('loginWithPasskey', await passkeyProof(app, device), { token }));
      expect(await isAlive(app, token)).toBe(false);
    });

    test('a sign-in that is refused ends nothing', async () => {
      const member = await signUp(app);
      const wrong = { email: member.email, password: 'a wrong password' };
      expect(await call('login', wrong, member)).toMatchObject({ code: 'invalid_credentials' });
      expect(await isAlive(app, member.token)).toBe(true);
    });

    // Shows asvs/7.2.4.
    test('a second step ends the session of the first step, once the new one has begun', async () => {
      const member = await signUp(app);
      const { secret, token } = await setUpTotp(app, member);
      const bystander = await signUp(app);
      const { mfa_pending_token } = await resultOf(login(member, { token }));
      expect(await isAlive(app, token)).toBe(true);
      const step = { mfa_pending_token, method: 'totp', code: nextCodeOf(app, secret) };
      await resultOf(call('confirmLoginMfa', step, { token: bystander.token }));
      expect(await isAlive(app, token)).toBe(false);
      expect(await isAlive(app, bystander.token)).toBe(true);
    });

    test('that it has ended meanwhile, or was never valid, refuses nothing', async () => {
      const member = await signUp(app);
      const { secret, token } = await setUpTotp(app, member);
      const { mfa_pending_token } = await resultOf(login(member, { token }));
      await call('logout', {}, { token });
      const step = { mfa_pending_token, method: 'totp', code: nextCodeOf(app, secret) };
      const { access_token } = await resultOf(call('confirmLoginMfa', step));
      expect(await isAlive(app, access_token)).toBe(true);
      for (const sent of [token, 'no.valid.token'])
        expect(await login(await signUp(app), { token: sent })).toMatchObject({ ok: true });
    });

    test('the exchange of an external sign-in ends it, with a second step the one that stood at the exchange', async () => {
      const sub = newSubject();
      const former = (await external.sessionOf(sub))!;
      const exchange = async (token: string) => {
        const id = (await external.signIn(sub)).searchParams.get('id');
        return resultOf(call('exchangeOAuth', { id }, { token }));
      };
      const { access_token } = await exchange(former);
      expect(await isAlive(app, former)).toBe(false);
      const { secret, token } = await setUpTotp(app, { token: access_token });
      const { mfa_pending_token } = await exchange(token);
      expect(await isAlive(app, token)).toBe(true);
      const step = { mfa_pending_token, method: 'totp', code: nextCodeOf(app, secret) };
      await resultOf(call('confirmLoginMfa', step));
      expect(await isAlive(app, token)).toBe(false);
      expect(await call('confirmLoginMfa', { ...step, code: nextCodeOf(app, secret) })).toMatchObject({
        code: 'invalid_token',
      });
    });
  });

  test('an external sign-in whose session was ended before its exchange ends no other, and gives none', async () => {
    const ends = [
      (id: string) => app.gatehouse.users.endSessions(id),
      (id: string) => app.gatehouse.users.disable(id),
    ];
    for (const end of ends) {
      const sub = newSubject();
      const former = (await external.sessionOf(sub))!;
      const { id } = await external.me(former);
      const bystander = await signUp(app);
      const ended = await external.signIn(sub);
      app.clock.advance(1);
      await end(id);
      const exchange = { id: ended.searchParams.get('id') };
      const reply = await app.rest('POST', '/oauth/exchange', exchange, bystander);
      expect(reply).toMatchObject({ status: 404, body: { code: 'not_found' } });
      expect(await isAlive(app, bystander.token)).toBe(true);
    }
  });

  test('a sign-in that fails while its session is being stored, or after that, ends no other', async () => {
    const [person, stranger] = [await signUp(app), await signUp(app)];
    const { email, password } = person;
    const { attempts, sessions } = app.gatehouse.repositories;
    const stop = new Error('The process stops here.');
    for (const fail of [
      () => vi.spyOn(sessions, 'add').mockRejectedValueOnce(stop),
      () => vi.spyOn(attempts, 'clear').mockRejectedValueOnce(stop),
    ]) {
      const failing = fail();
      expect((await app.rest('POST', '/login', { email, password }, stranger)).status).toBe(500);
      failing.mockRestore();
      expect(await isAlive(app, stranger.token)).toBe(true);
    }
  });

  test('of sign-ins at once with one token each succeeds, and the session that they bring has ended', async () => {
    const [first, stranger] = [await signUp(app), await signUp(app)];
    const { email, password } = first;
    const replies = await Promise.all(
      Array.from({ length: 8 }, () => app.rest('POST', '/login', { email, password }, stranger)),
    );
    expect(replies.map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect(await isAlive(app, stranger.token)).toBe(false);
  });

  test('it does not count among the sessions of its account beside the new one', async () => {
    const member = await signUp(app);
    const other = await logIn(app, member);
    app.clock.advance(1000);
    const { email, password } = member;
    const { body } = await app.rest('POST', '/login', { email, password }, { token: other });
    for (const token of [member.token, body.access_token]) expect(await isAlive(app, token)).toBe(true);
    expect(await isAlive(app, other)).toBe(false);
  });

  test('the other fields of a GraphQL document keep the session that it was sent with; the next document has none', async () => {
    const [first, second] = [await signUp(app), await signUp(app)];
    const document = `mutation ($login: LoginInput!, $name: UpdateProfileInput!) {
      login(input: $login) { ... on Session { accessToken } }
      updateProfile(input: $name) { id fullName }
    }`;
    const { email, password } = first;
    const variables = { login: { email, password }, name: { fullName: 'Kept' } };
    const { body } = await app.graphql(document, variables, { token: second.token });
    expect(body.data.updateProfile).toEqual({ id: second.id, fullName: 'Kept' });
    expect(await isAlive(app, second.token)).toBe(false);
    const again = await app.graphql('{ me { id } }', {}, { token: second.token });
    expect(again.body.errors[0].extensions.code).toBe('unauthenticated');
  });

  test('the other fields set up a phone, an app and recovery codes with it, and sign in again', async () => {
    const first = await signUp(app);
    const login = 'login(input: $login) { ... on Session { accessToken } }';
    const { email, password } = first;
    /** Signs somebody else in, in the session of this member, and does the work of the fields after it. */
    async function after(member: { token: string }, fields: string, types: string, variables: object) {
      const document = `mutation ($login: LoginInput!${types}) { ${login} ${fields} }`;
      const given = { login: { email, password }, ...variables };
      const { body } = await app.graphql(document, given, { token: member.token });
      expect(body.errors).toBeUndefined();
      expect(body.data.login.accessToken).toBeTypeOf('string');
      expect(await isAlive(app, member.token)).toBe(false);
      return body.data;
    }

    const caller = await signUp(app);
    const phone_number = newPhone();
    const start = { phone_number, current_password: caller.password };
    const { body } = await app.rest('POST', '/phone/start', start, caller);
    const code = codeIn(await app.nextText(phone_number));
    const phone = await after(
      caller,
      'confirmPhoneSetup(input: $input) { phoneNumber }',
      ', $input: ConfirmPhoneSetupInput!',
      { input: { pendingToken: body.pending_token, code } },
    );
    expect(phone.confirmPhoneSetup.phoneNumber).toBe(phone_number);

    const owner = await signUp(app);
    const { id, secret } = (await app.rest('POST', '/totp/start', {}, owner)).body;
    const added = await after(
      owner,
      'confirmTotpSetup(input: $input) { authenticator { kind } session { accessToken } }',
      ', $input: ConfirmTotpSetupInput!',
      { input: { id, code: codeOf(app, secret) } },
    );
    const strongToken = added.confirmTotpSetup.session.accessToken;
    expect(await isAlive(app, strongToken)).toBe(true);
    const codes = await after({ token: strongToken }, 'replaceRecoveryCodes { recoveryCodes }', '', {});
    expect(codes.replaceRecoveryCodes.recoveryCodes).toHaveLength(10);

    const again = await signUp(app);
    const renewed = await after(
      again,
      'reauthenticate(input: $input) { ... on Session { accessToken } }',
      ', $input: ReauthenticateInput!',
      { input: { password: again.password } },
    );
    expect(await isAlive(app, renewed.reauthenticate.accessToken)).toBe(true);
  });

  test('a second step keeps no session for its document that was logged out meanwhile', async () => {
    const member = await signUp(app);
    const { secret, token } = await setUpTotp(app, member);
    const victim = await signUp(app);
    const { email, password } = member;
    const first = await app.rest('POST', '/login', { email, password }, { token: victim.token });
    expect(await isAlive(app, token)).toBe(true);
    await app.rest('POST', '/logout', {}, { token: victim.token });
    const document = `mutation ($step: ConfirmLoginMfaInput!, $name: UpdateProfileInput!) {
      confirmLoginMfa(input: $step) { accessToken }
      updateProfile(input: $name) { id }
    }`;
    const mfaPendingToken = first.body.mfa_pending_token;
    const step = { mfaPendingToken, method: 'totp', code: nextCodeOf(app, secret) };
    const variables = { step, name: { fullName: 'Taken' } };
    const { body } = await app.graphql(document, variables, { token: victim.token });
    expect(body.data.confirmLoginMfa.accessToken).toBeTypeOf('string');
    expect(body.data.updateProfile).toBeNull();
    expect(body.errors[0].extensions.code).toBe('unauthenticated');
  });

  test('a kept session ends with a logout and with a cutoff', async () => {
    const rest = 'logout(input: $logout) { message } updateProfile(input: $name) { id }';
    const document = `mutation ($login: LoginInput!, $logout: LogoutInput, $name: UpdateProfileInput!) {
      login(input: $login) { ... on Session { accessToken } } ${rest}
    }`;
    for (const everywhere of [false, true]) {
      const [{ email, password }, second] = [await signUp(app), await signUp(app)];
      const variables = { login: { email, password }, logout: { everywhere }, name: { fullName: 'Late' } };
      const { body } = await app.graphql(document, variables, { token: second.token });
      expect(body.data.logout.message).toMatch(/Signed out/);
      expect(body.data.updateProfile).toBeNull();
      expect(body.errors[0].extensions.code).toBe('unauthenticated');
    }
  });
});

test('while it is off, a session that is sent with a sign-in is not looked at and lives on', async () => {
  const app = await startApp();
  const [first, second] = [await signUp(app), await signUp(app)];
  const { email, password } = first;
  await app.rest('POST', '/login', { email, password }, second);
  expect(await isAlive(app, second.token)).toBe(true);
  const { body } = await app.rest('GET', '/openapi.json');
  expect(body.paths['/login'].post.security).toEqual([]);
  await app.close();
});
