import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type App, logIn, newPassword, signUp, tokenOf } from '../support/app.ts';
import { describeEachDriver } from '../support/backends.ts';
import { type Call, doorsOn, resultOf } from '../support/doors.ts';
import { newAddress } from '../support/people.ts';
import { signer } from '../support/signer.ts';
import { forgot, listen, nextMail, removePassword, setActive, start } from './passwords.ts';

describeEachDriver('passwords', backend => {
  let app: App;
  beforeAll(async () => {
    app = await start(backend);
  });
  afterAll(() => app?.close());
  const me = async (token: string) => (await app.rest('GET', '/me', undefined, { token })).body;

  const isFirst = backend.name === 'sqlite';

  const testOnce = test.skipIf(!isFirst);

  describe.each(doorsOn(backend))('through $name', door => {
    let call: Call;
    beforeAll(() => {
      call = door.at(app);
    });

    const isAlive = async (token: string) => (await call('me', undefined, { token })).ok;
    const signIn = (email: string, password: string) => call('login', { email, password });

    describe('resetting the password', () => {
      const reset = (token: string, new_password = newPassword) =>
        call('resetPassword', { token, new_password });

      // Shows asvs/6.3.6, 63b/3.1.3.1#no-email, 63b/4.2.1#method, 63b/4.2.2.1#aal1.
      test('sets the new password, ends every session, and lets the new one in at once', async () => {
        const member = await signUp(app);
        const token = await forgot(app, member.email);
        expect(await isAlive(member.token)).toBe(true);
        expect(await reset(token)).toEqual({ ok: true, value: { message: expect.any(String) } });
        expect(await isAlive(member.token)).toBe(false);
        const session = await resultOf(signIn(member.email, newPassword));
        expect(await isAlive(session.access_token)).toBe(true);
        expect(await signIn(member.email, member.password)).toMatchObject({ code: 'invalid_credentials' });
      });

      // Shows asvs/6.4.3, 63b/4.2.1.2#code.
      test('works once for each link', async () => {
        // Somebody finds a used link in a mailbox or a history.
        const member = await signUp(app);
        const token = await forgot(app, member.email);
        await resultOf(reset(token));
        expect(await reset(token, 'the password of a thief')).toEqual({
          ok: false,
          code: 'invalid_token',
          status: 400,
        });
        expect(await signIn(member.email, newPassword)).toMatchObject({ ok: true });
      });

      test('by one of two links kills the other', async () => {
        const { email } = await signUp(app);
        const [first, second] = [await forgot(app, email), await forgot(app, email)];
        await resultOf(reset(first));
        expect(await reset(second, 'the password of a thief')).toMatchObject({ code: 'invalid_token' });
        expect(await signIn(email, newPassword)).toMatchObject({ ok: true });
      });

      test('is not possible by a link of before, however many resets came between', async () => {
        const { email } = await signUp(app);
        const [first, second, third] = [
          await forgot(app, email),
          await forgot(app, email),
          await forgot(app, email),
        ];
        await resultOf(reset(third));
        const fourth = await forgot(app, email);
        await resultOf(reset(fourth, 'a fourth password'));
        for (const dead of [first, second, third, fourth]) {
          expect(await reset(dead)).toMatchObject({ code: 'invalid_token' });
        }
      });

      testOnce.each([
        ['a session token', 'session'],
        ['an address-change token', 'email_change'],
        ['a phone set-up token', 'phone_setup'],
        ['a token of the first login step', 'login_mfa'],
      ] as const)('refuses %s, even one that is good for its own purpose', async (_, purpose) => {
        // A holder of one kind of token tries it where it is worth more.
        const member = await signUp(app);
        const token = signer(app.clock).sign(purpose, { sub: member.id, issuedAt: app.clock.now() });
        expect(await reset(token)).toMatchObject({ code: 'invalid_token', status: 400 });
        expect(await signIn(member.email, member.password)).toMatchObject({ ok: true });
      });

      test('refuses a token of another server', async () => {
        const { id } = await signUp(app);
        const secret = 'another secret of more than 32 characters';
        const claims = { sub: id, issuedAt: app.clock.now() };
        expect(await reset(signer(app.clock, { secret }).sign('password_reset', claims))).toMatchObject({
          code: 'invalid_token',
        });
      });

      // Shows 63b/4.2.1.2#code.
      test('refuses a link from the moment on that it expires', async () => {
        const [early, late] = [await signUp(app), await signUp(app)];
        const tokens = [await forgot(app, early.email), await forgot(app, late.email)] as const;
        app.clock.advance(1_799_999);
        expect(await reset(tokens[0])).toMatchObject({ ok: true });
        app.clock.advance(1);
        expect(await reset(tokens[1])).toMatchObject({ code: 'invalid_token' });
        expect(await signIn(late.email, late.password)).toMatchObject({ ok: true });
      });

      testOnce.each([
        ['7 characters', 'a'.repeat(7)],
        ['129 characters', 'a'.repeat(129)],
      ])('refuses a new password of %s and leaves the link good', async (_, password) => {
        const { email } = await signUp(app);
        const token = await forgot(app, email);
        expect(await reset(token, password)).toMatchObject({
          code: 'invalid_input',
          errors: [{ path: 'new_password' }],
        });
        expect(await reset(token)).toMatchObject({ ok: true });
      });

      test('gives an account without a password its first one', async () => {
        const member = await signUp(app);
        await removePassword(app, member);
        await resultOf(reset(await forgot(app, member.email)));
        expect(await signIn(member.email, newPassword)).toMatchObject({ ok: true });
      });

      test('clears the lockout of the address', async () => {
        const member = await signUp(app);
        for (let i = 0; i < 5; i++) await signIn(member.email, 'wrong horse battery');
        expect(await signIn(member.email, member.password)).toMatchObject({ code: 'account_locked' });
        await resultOf(reset(await forgot(app, member.email)));
        expect(await signIn(member.email, newPassword)).toMatchObject({ ok: true });
      });

      // Shows 63b/4.2.3#notice.
      test('tells the owner by a mail and fires password_reset_completed with the user as it is then', async () => {
        const heard = listen(app, 'password_reset_completed');
        const verified = listen(app, 'user_verified');
        const member = await signUp(app);
        verified.length = 0;
        await resultOf(reset(await forgot(app, member.email)));
        const { text, html } = await nextMail(app, member.email, /password .* was reset/);
        expect(text + html).not.toContain(newPassword);
        const stored = await app.gatehouse.repositories.users.find(member.id);
        expect(heard).toHaveLength(1);
        expect(heard[0]?.user).toMatchObject({
          id: member.id,
          tokensInvalidatedAfter: stored?.tokensInvalidatedAfter,
        });
        expect(verified).toEqual([]);
      });

      test('dies when the address changes', async () => {
        // Somebody with a former mailbox keeps a reset link until the account has moved on.
        const member = await signUp(app);
        const token = await forgot(app, member.email);
        const new_email = newAddress();
        await resultOf(
          call('changeEmail', { current_password: member.password, new_email }, { token: member.token }),
        );
        await resultOf(call('confirmEmailChange', { token: tokenOf(await app.nextMail(new_email)) }));
        expect(await reset(token)).toMatchObject({ code: 'invalid_token' });
        expect(await signIn(new_email, member.password)).toMatchObject({ ok: true });
      });

      test('dies when the password changes', async () => {
        const member = await signUp(app);
        const token = await forgot(app, member.email);
        const input = { current_password: member.password, new_password: newPassword };
        await resultOf(call('changePassword', input, { token: member.token }));
        expect(await reset(token, 'the password of a thief')).toMatchObject({ code: 'invalid_token' });
        expect(await signIn(member.email, newPassword)).toMatchObject({ ok: true });
      });

      test('dies when everything is signed out', async () => {
        const member = await signUp(app);
        const token = await forgot(app, member.email);
        await resultOf(call('logout', { everywhere: true }, { token: member.token }));
        expect(await reset(token)).toMatchObject({ code: 'invalid_token' });
      });

      test('dies when the account is disabled, and stays dead when it is enabled again', async () => {
        const member = await signUp(app);
        const token = await forgot(app, member.email);
        await setActive(app, member, false);
        expect(await reset(token)).toMatchObject({ code: 'invalid_token' });
        await setActive(app, member, true);
        expect(await reset(token)).toMatchObject({ code: 'invalid_token' });
        expect(await signIn(member.email, member.password)).toMatchObject({ ok: true });
      });

      test('dies when the account is deleted', async () => {
        const member = await signUp(app);
        const token = await forgot(app, member.email);
        await app.gatehouse.repositories.users.remove(member.id);
        expect(await reset(token)).toMatchObject({ code: 'invalid_token' });
      });
    });
  });

  test('of 40 parallel resets with one link exactly one succeeds, and its password is the one that is set', async () => {
    // Somebody who has read a mailbox races its owner, many times at once.
    const { email } = await signUp(app);
    const token = await forgot(app, email);
    const passwords = Array.from({ length: 40 }, (_, i) => `password number ${i}`);
    const replies = await Promise.all(
      passwords.map(new_password => app.rest('POST', '/reset-password', { token, new_password })),
    );
    const winners = passwords.filter((_, i) => replies[i]!.status === 200);
    expect(winners).toHaveLength(1);
    const losers = replies.filter(({ status }) => status !== 200);
    expect(new Set(losers.map(({ body }) => body.code))).toEqual(new Set(['invalid_token']));
    expect((await app.rest('POST', '/login', { email, password: winners[0] })).status).toBe(200);
  });

  test('a session sees the account as it is after its reset', async () => {
    const member = await signUp(app);
    await app.rest('POST', '/reset-password', {
      token: await forgot(app, member.email),
      new_password: newPassword,
    });
    const user = await me(await logIn(app, { ...member, password: newPassword }));
    expect(user.tokens_invalidated_after).not.toBeNull();
    expect(user).toMatchObject({ id: member.id, email: member.email, is_verified: true });
  });
});
