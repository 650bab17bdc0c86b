import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type App, logIn, type Member, newPassword, signUp } from '../support/app.ts';
import { describeEachDriver } from '../support/backends.ts';
import { type Call, doorsOn, resultOf } from '../support/doors.ts';
import { listen, nextMail, removePassword, start, subjectsTo } from './passwords.ts';

describeEachDriver('passwords', backend => {
  let app: App;
  beforeAll(async () => {
    app = await start(backend);
  });
  afterAll(() => app?.close());

  const isFirst = backend.name === 'sqlite';

  const testOnce = test.skipIf(!isFirst);

  describe.each(doorsOn(backend))('through $name', door => {
    let call: Call;
    beforeAll(() => {
      call = door.at(app);
    });

    const isAlive = async (token: string) => (await call('me', undefined, { token })).ok;
    const signIn = (email: string, password: string) => call('login', { email, password });

    describe('changing the password', () => {
      const change = (member: Member, new_password = newPassword, current_password = member.password) =>
        call('changePassword', { current_password, new_password }, { token: member.token });

      // Shows asvs/7.4.3.
      test('ends every session of the user, this one included, and none of other users', async () => {
        const [member, bystander] = [await signUp(app), await signUp(app)];
        const other = await logIn(app, member);
        expect(await change(member)).toEqual({ ok: true, value: { message: expect.any(String) } });
        expect(await isAlive(member.token)).toBe(false);
        expect(await isAlive(other)).toBe(false);
        expect(await isAlive(bystander.token)).toBe(true);
      });

      // Shows asvs/6.2.2.
      test('lets the new password in at once, in the same tick of the clock, and the old one never again', async () => {
        const member = await signUp(app);
        await resultOf(change(member));
        const session = await resultOf(signIn(member.email, newPassword));
        expect(await isAlive(session.access_token)).toBe(true);
        expect(await signIn(member.email, member.password)).toMatchObject({ code: 'invalid_credentials' });
      });

      // Shows asvs/6.2.3.
      test('needs the current password; a wrong one changes nothing and ends nothing', async () => {
        const member = await signUp(app);
        expect(await change(member, newPassword, 'wrong horse battery')).toEqual({
          ok: false,
          code: 'wrong_password',
          status: 400,
        });
        expect(await isAlive(member.token)).toBe(true);
        expect(await signIn(member.email, newPassword)).toMatchObject({ code: 'invalid_credentials' });
        expect(await signIn(member.email, member.password)).toMatchObject({ ok: true });
        expect(subjectsTo(app, member.email).filter(s => /password/i.test(s))).toEqual([]);
      });

      test('refuses the password that is set already, in any Unicode form, and keeps the session', async () => {
        const member = await signUp(app);
        const [composed, decomposed] = ['pässwörd ①', 'pa\u0308sswo\u0308rd 1'];
        await resultOf(change(member, composed));
        const changed = {
          ...member,
          password: composed,
          token: await logIn(app, { ...member, password: composed }),
        };
        for (const same of [composed, decomposed]) {
          expect(await change(changed, same)).toMatchObject({ code: 'password_unchanged', status: 400 });
        }
        expect(await isAlive(changed.token)).toBe(true);
      });

      testOnce.each([
        ['7 characters', 'a'.repeat(7)],
        ['7 characters beyond the basic plane', '😀'.repeat(7)],
        ['129 characters', 'a'.repeat(129)],
        ['8 characters that normalisation makes 4', 'e\u0301'.repeat(4)],
        ['half of a surrogate pair', 'aaaaaaaa\ud83d'],
      ])('refuses a new password of %s', async (_, password) => {
        const member = await signUp(app);
        expect(await change(member, password)).toMatchObject({
          code: 'invalid_input',
          status: 422,
          errors: [{ path: 'new_password' }],
        });
        expect(await isAlive(member.token)).toBe(true);
      });

      testOnce.each([
        ['8 characters', 'a1b2c3d4'],
        ['128 characters beyond the basic plane', '😀'.repeat(128)],
        ['256 characters that normalisation makes 128', 'e\u0301'.repeat(128)],
        ['spaces at both ends, which stay', '  horse  '],
      ])('takes a new password of %s', async (_, password) => {
        const member = await signUp(app);
        expect(await change(member, password)).toMatchObject({ ok: true });
        expect(await signIn(member.email, password)).toMatchObject({ ok: true });
        if (password !== password.trim()) {
          expect(await signIn(member.email, password.trim())).toMatchObject({ code: 'invalid_credentials' });
        }
      });

      test('takes a letter and its accent for the same, however they were typed, and no compatible form of it', async () => {
        const member = await signUp(app);
        expect(await change(member, 'Pa\u0301ssword1', 'ｃorrect horse battery')).toMatchObject({
          code: 'wrong_password',
        });
        expect(await change(member, 'Pa\u0301ssword1')).toMatchObject({ ok: true });
        expect(await signIn(member.email, 'P\u00e1ssword1')).toMatchObject({ ok: true });
        expect(await signIn(member.email, 'Ｐ\u00e1ssword1')).toMatchObject({ code: 'invalid_credentials' });
      });

      test('tells an account without a password so, and sets none', async () => {
        // Somebody at an open session of an external account tries to give it a password of his own.
        const member = await signUp(app);
        await removePassword(app, member);
        expect(await change(member)).toEqual({ ok: false, code: 'password_not_set', status: 400 });
        expect(await isAlive(member.token)).toBe(true);
        expect((await app.gatehouse.repositories.users.find(member.id))?.hashedPassword).toBeNull();
      });

      testOnce('needs a session', async () => {
        const input = { current_password: 'correct horse battery', new_password: newPassword };
        expect(await call('changePassword', input)).toMatchObject({ code: 'unauthenticated', status: 401 });
      });

      test('tells the owner by a mail that holds neither password', async () => {
        const member = await signUp(app);
        await resultOf(change(member));
        const mail = await nextMail(app, member.email, /password .* was changed/);
        expect(mail.text + mail.html).not.toMatch(/horse/);
      });

      test('fires password_changed with the user as GET /me answers it from then on', async () => {
        const heard = listen(app, 'password_changed');
        const member = await signUp(app);
        await resultOf(change(member));
        const [event] = heard;
        const stored = await app.gatehouse.repositories.users.find(member.id);
        expect(heard).toHaveLength(1);
        expect(event?.user).toMatchObject({
          id: member.id,
          tokensInvalidatedAfter: stored?.tokensInvalidatedAfter,
        });
      });

      test('fires nothing and mails nothing when it is refused', async () => {
        const heard = listen(app, 'password_changed');
        const member = await signUp(app);
        await change(member, newPassword, 'wrong horse battery');
        await change(member, member.password);
        await change(member, 'short');
        expect(heard).toEqual([]);
      });
    });
  });

  test('of 20 parallel changes of the password exactly one succeeds', async () => {
    const { email, password: current_password, token } = await signUp(app);
    const passwords = Array.from({ length: 20 }, (_, i) => `password number ${i}`);
    const replies = await Promise.all(
      passwords.map(new_password =>
        app.rest('POST', '/change-password', { current_password, new_password }, { token }),
      ),
    );
    const winners = passwords.filter((_, i) => replies[i]!.status === 200);
    expect(winners).toHaveLength(1);
    for (const { status, body } of replies) {
      if (status !== 200) expect(body).toMatchObject({ code: 'unauthenticated', status: 401 });
    }
    expect((await app.rest('POST', '/login', { email, password: winners[0] })).status).toBe(200);
  });
});

test('the answer to an account without a password points to the reset', async () => {
  const app = await start();
  const member = await signUp(app);
  await removePassword(app, member);
  const body = { current_password: member.password, new_password: newPassword };
  const reply = await app.rest('POST', '/change-password', body, { token: member.token });
  expect(reply.body).toMatchObject({ code: 'password_not_set', detail: expect.stringMatching(/reset/i) });
  await app.close();
});
