import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type App, type Member, newPassword, signUp, startApp, tokenOf } from '../support/app.ts';
import { describeStory } from '../support/backends.ts';
import { type Call, doors, doorsOn, type OperationName, resultOf } from '../support/doors.ts';
import { isAlive, newAddress, nextToken, signUpSuperuser, startAdministration } from '../support/people.ts';
import { setUpTotp, strong } from '../support/strong.ts';
import { forgot, listen, subjectsTo } from './passwords.ts';

// An administrator gives an account back to somebody who lost the mailbox, or whose password others know.
describeStory('giving an account back', backend => {
  let app: App;
  let root: Member;
  beforeAll(async () => {
    ({ app, root } = await startAdministration(backend, strong));
  });
  afterAll(() => app?.close());

  const signIn = (email: string, password: string) => app.rest('POST', '/login', { email, password });
  const reset = (token: string) => app.rest('POST', '/reset-password', { token, new_password: newPassword });
  const user = (id: string) => app.gatehouse.repositories.users.find(id);

  describe.each(doorsOn(backend))('through $name', door => {
    let call: Call;
    beforeAll(() => {
      call = door.at(app);
    });
    const act = (name: OperationName, input: object) => call(name, input, { token: root.token });

    test('moves it to another address at once, ends its sessions and links, and tells both addresses', async () => {
      const member = await signUp(app);
      const link = await forgot(app, member.email);
      const heard = listen(app, 'email_changed');
      const email = newAddress();
      const moved = await resultOf(act('adminChangeEmail', { id: member.id, email }));
      expect(moved).toMatchObject({ email });
      expect(await isAlive(app, member.token)).toBe(false);
      expect((await reset(link)).body.code).toBe('invalid_token');
      expect(heard).toMatchObject([{ previousEmail: member.email, by: 'admin' }]);
      for (const to of [member.email, email])
        await expect
          .poll(() => subjectsTo(app, to).filter(subject => /was changed/.test(subject)))
          .toHaveLength(1);
      // The new one signs in after it is verified.
      expect((await signIn(email, member.password)).body.code).toBe('email_not_verified');
      const token = await nextToken(app, email);
      expect((await app.rest('POST', '/verify', { token })).status).toBe(200);
      expect((await signIn(email, member.password)).status).toBe(200);
      expect((await signIn(member.email, member.password)).status).toBe(401);
    });

    test('takes an address that the administrator vouches for, the present one too, and none of another account', async () => {
      const [member, other] = [await signUp(app), await signUp(app)];
      const change = (email: string) => act('adminChangeEmail', { id: member.id, email, is_verified: true });
      expect(await change(other.email)).toMatchObject({ ok: false, code: 'email_taken', status: 409 });
      expect(await change('x@oauth.invalid')).toMatchObject({ ok: false, code: 'invalid_input' });
      expect(await change(member.email)).toMatchObject({ ok: true });
      expect(await isAlive(app, member.token)).toBe(false);
      expect((await signIn(member.email, member.password)).status).toBe(200);
    });

    test('frees the new address of a registration that is pending', async () => {
      const member = await signUp(app);
      const email = newAddress();
      await app.rest('POST', '/register', { email, password: newPassword });
      const link = tokenOf(await app.nextMail(email));
      await resultOf(act('adminChangeEmail', { id: member.id, email, is_verified: true }));
      expect((await app.rest('POST', '/verify', { token: link })).body.code).toBe('invalid_token');
      expect((await signIn(email, newPassword)).status).toBe(401);
    });

    test('with a new password, lets the reset remove what others have left', async () => {
      const member = await signUp(app);
      await setUpTotp(app, member);
      const email = newAddress();
      const input = { id: member.id, email, is_verified: true, require_new_password: true };
      await resultOf(act('adminChangeEmail', input));
      expect((await signIn(email, member.password)).body.code).toBe('invalid_credentials');
      const token = await nextToken(app, email);
      expect((await reset(token)).status).toBe(200);
      expect(await user(member.id)).toMatchObject({ isVerified: true, isMfaEnabled: false });
      expect(await app.gatehouse.repositories.authenticators.listByUser(member.id)).toEqual([]);
      expect((await signIn(email, newPassword)).body.access_token).toBeDefined();
    });

    // Shows asvs/6.4.6, 63b/3.1.1.2#compromise.
    test('requires a new password: the present one and every session end, and a link goes out', async () => {
      const member = await signUp(app);
      await setUpTotp(app, member);
      expect(await act('adminRequireNewPassword', { id: member.id })).toMatchObject({ ok: true });
      expect(await isAlive(app, member.token)).toBe(false);
      expect((await signIn(member.email, member.password)).body.code).toBe('invalid_credentials');
      expect((await reset(await nextToken(app, member.email))).status).toBe(200);
      expect((await signIn(member.email, newPassword)).body.status).toBe('mfa_required');
    });

    test('says in the email that the password no longer works, and not that it stays', async () => {
      const member = await signUp(app);
      await app.rest('POST', '/forgot-password', { email: member.email });
      expect((await app.nextMail(member.email)).text).toContain('your password stays as it is');
      await resultOf(act('adminRequireNewPassword', { id: member.id }));
      const { text, html } = await app.nextMail(member.email);
      for (const part of [text, html]) {
        expect(part).toMatch(/no\s+longer\s+works/);
        expect(part).not.toMatch(/has asked|stays as it is/);
      }
    });

    test('changes nothing where the link cannot go out, and not without a password', async () => {
      const member = await signUp(app);
      for (let i = 0; i < 5; i++) await forgot(app, member.email);
      const refused = await act('adminRequireNewPassword', { id: member.id });
      expect(refused).toMatchObject({ ok: false, code: 'rate_limited', status: 429 });
      expect(await isAlive(app, member.token)).toBe(true);
      await app.gatehouse.repositories.users.change(member.id, { set: { hashedPassword: null } });
      const none = await act('adminRequireNewPassword', { id: member.id });
      expect(none).toMatchObject({ ok: false, code: 'password_not_set', status: 400 });
    });
  });

  test('is there for the host’s own program, too', async () => {
    const { users } = app.gatehouse;
    const member = await signUp(app);
    const email = newAddress();
    expect(await users.changeEmail(member.id, { email, isVerified: true })).toMatchObject({ email });
    expect(await users.requireNewPassword(member.id)).toMatchObject({ id: member.id, email });
    expect((await signIn(email, member.password)).status).toBe(401);
    expect(await users.find('none')).toBeNull();
    expect(await users.findByEmail(member.email)).toBeNull();
    await expect(users.find('')).rejects.toMatchObject({ code: 'invalid_input' });
    await expect(users.update(member.id, { id: root.id } as object)).rejects.toMatchObject({
      ...{ code: 'invalid_input', errors: [{ path: 'id' }] },
    });
  });
});

describeStory('a recent sign-in for administration', backend => {
  let app: App;
  const hourMs = 3_600_000;
  const tooOld = { ok: false, code: 'recent_sign_in_required', status: 401 };
  beforeAll(async () => {
    const settings = { ...strong, enableAdminRouter: true, recentSignInForAdministration: true };
    app = await startApp({ backend, settings });
  });
  afterAll(() => app?.close());

  test.each(doorsOn(backend))(
    'is asked of an old session, and of one without its second step, through $name',
    async door => {
      const call = door.at(app);
      const { id } = await signUp(app);
      const root = await signUpSuperuser(app);
      const promote = (token: string) => call('adminUpdateUser', { id, is_superuser: true }, { token });
      const { token: complete } = await setUpTotp(app, root);
      expect(await promote(root.token)).toEqual(tooOld);
      expect(await promote(complete)).toMatchObject({ ok: true });
      app.clock.advance(hourMs + 1000);
      expect(await promote(complete)).toEqual(tooOld);
      // Looking, and what stops a thief, needs no more than the session.
      for (const name of ['user', 'adminUnlock', 'adminSendReset', 'adminRevokeSessions'] as const)
        expect(await call(name, { id }, { token: complete }), name).toMatchObject({ ok: true });
    },
  );

  // Shows asvs/7.5.3.
  test('says how old a sign-in may be', async () => {
    const root = await signUpSuperuser(app);
    app.clock.advance(hourMs + 1000);
    const reply = await app.rest('DELETE', `/admin/users/${root.id}`, {}, { token: root.token });
    expect(reply.headers.get('WWW-Authenticate')).toContain('max_age=3600');
  });

  // Shows asvs/6.4.4.
  test('is asked for one’s own account as of everybody, whatever the flag says', async () => {
    const open = await startApp({ backend, settings: { ...strong, enableAdminRouter: true } });
    const root = await signUpSuperuser(open);
    await setUpTotp(open, root);
    const call = doors[0]!.at(open);
    const own = [
      'adminRemoveAuthenticators',
      'adminDeleteUser',
      'adminRequireNewPassword',
      // Else a stolen session guesses the password of its own account without limit.
      'adminUnlock',
    ] as const;
    for (const name of own) expect(await call(name, { id: root.id }, root), name).toEqual(tooOld);
    const { id } = await signUp(open);
    expect(await call('adminRemoveAuthenticators', { id }, root)).toMatchObject({ ok: true });
    await open.close();
  });
});
