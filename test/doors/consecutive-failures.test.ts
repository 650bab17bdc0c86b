import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Assembled } from '../../src/gatehouse.ts';
import { type App, logIn, type Member, newPassword, signUp, startApp, TestClock } from '../support/app.ts';
import { describeEachDriver, type TestDatabase } from '../support/backends.ts';
import { type Call, doorsOn, resultOf } from '../support/doors.ts';
import { newAddress, signUpSuperuser } from '../support/people.ts';
import { forgot, listen, removePassword, subjectsTo } from './passwords.ts';

const most = 7;
const wrong = 'wrong horse battery';
const blocked = /no longer works/;

// However slowly somebody guesses, so many wrong passwords in a row end the guessing.
describeEachDriver('consecutive failures', backend => {
  const isFirst = backend.name === 'sqlite';

  describe.each(doorsOn(backend))('through $name', door => {
    let app: App;
    let call: Call;
    const start = (settings: object = {}, databaseUrl?: string) =>
      startApp({
        ...(databaseUrl ? { databaseUrl } : { backend }),
        // Slowly enough for the lockout, whose window ends between the guesses.
        clock: new TestClock(),
        settings: { maxConsecutiveFailures: most, enableAdminRouter: true, ...settings },
      });
    beforeAll(async () => {
      app = await start();
      call = door.at(app);
    });
    afterAll(() => app?.close());

    let member: Member;
    beforeEach(async () => {
      member = await signUp(app);
    });

    const signIn = (password: string, by = call) => by('login', { email: member.email, password });
    const refused = { ok: false, code: 'invalid_credentials', status: 401 };

    /** So many wrong passwords, one a day. */
    async function guess(count: number, by = call, at = app): Promise<void> {
      for (let i = 0; i < count; i++) {
        expect(await signIn(wrong, by)).toEqual(refused);
        at.clock.advance(86_400_000);
      }
    }
    const notices = () => subjectsTo(app, member.email).filter(subject => blocked.test(subject));

    // Shows 63b/3.1.1.2#rate-limit, 63b/3.2.2#password.
    test('block the password, which answers as a wrong one from then on, and the owner is told once', async () => {
      const heard = listen(app, 'password_blocked');
      await guess(most - 1);
      expect(await signIn(member.password)).toMatchObject({ ok: true });
      await guess(most);
      expect(await signIn(member.password)).toEqual(refused);
      await guess(3);
      expect(await signIn(member.password)).toEqual(refused);
      const { text } = await nextNotice();
      expect(text).toContain('Choose a new password');
      expect(notices()).toHaveLength(1);
      expect(heard.map(({ user }) => user.id)).toEqual([member.id]);
      // The same lock as for a wrong one: five in a window, right or wrong.
      for (let i = 0; i < 4; i++) expect(await signIn(member.password)).toEqual(refused);
      expect(await signIn(member.password)).toMatchObject({ code: 'account_locked', status: 429 });
    });

    async function nextNotice() {
      for (;;) {
        const mail = await app.nextMail(member.email);
        if (blocked.test(mail.subject)) return mail;
      }
    }

    test('leave sessions alone, and other accounts', async () => {
      // In one moment, so that the session does not end by its own time: the lockout is lifted in between.
      const token = await logIn(app, member);
      for (let i = 0; i < most; i++) {
        expect(await signIn(wrong)).toEqual(refused);
        await app.gatehouse.repositories.attempts.clear(member.email);
      }
      expect(await signIn(member.password)).toEqual(refused);
      const other = await signUp(app);
      expect(await call('login', { email: other.email, password: other.password })).toMatchObject({
        ok: true,
      });
      expect(await call('me', undefined, { token })).toMatchObject({ ok: true });
    });

    test('end with a reset by mail', async () => {
      await guess(most);
      const token = await forgot(app, member.email);
      await resultOf(call('resetPassword', { token, new_password: newPassword }));
      expect(await signIn(member.password)).toEqual(refused);
      await guess(most - 2);
      expect(await signIn(newPassword)).toMatchObject({ ok: true });
    });

    test('end with an unlocking by administration, and begin at none', async () => {
      await guess(most);
      const { token } = await signUpSuperuser(app);
      await resultOf(call('adminUnlock', { id: member.id }, { token }));
      await guess(most - 1);
      expect(await signIn(member.password)).toMatchObject({ ok: true });
    });

    test('end with svc user unlock; svc user show says whether there are too many', async () => {
      const { operator } = app.gatehouse as Assembled;
      const { email } = member;
      expect(await operator.show({ email })).toMatchObject({ password_blocked: false });
      await guess(most);
      expect(await operator.show({ email })).toMatchObject({ password_blocked: true });
      await operator.unlock({ email });
      expect(await operator.show({ email })).toMatchObject({ password_blocked: false });
      expect(await signIn(member.password)).toMatchObject({ ok: true });
    });

    test('count a wrong current password, too, and block a right one', async () => {
      const { token } = member;
      const change = (current_password: string) =>
        call('changeEmail', { current_password, new_email: newAddress() }, { token });
      for (let i = 0; i < most; i++) {
        // The lockout of current passwords, whose count is another one.
        if (i === 4) await resultOf(unlockLockout());
        expect(await change(wrong)).toMatchObject({ code: 'wrong_password', status: 400 });
      }
      await resultOf(unlockLockout());
      expect(await change(member.password)).toMatchObject({ code: 'wrong_password' });
      expect(await signIn(member.password)).toEqual(refused);
    });

    const unlockLockout = async () => {
      await app.gatehouse.repositories.attempts.clear(`password:${member.id}`);
      return { ok: true, value: null } as const;
    };

    // Right or wrong, the guess takes the time of a wrong one.
    test('end every comparison with the password, so that no time tells which guess is right', async () => {
      const { hasher } = (app.gatehouse as Assembled).dependencies.passwords;
      const spies = [vi.spyOn(hasher, 'verifySignIn'), vi.spyOn(hasher, 'verify')] as const;
      const compared = () => spies.flatMap(({ mock }) => mock.calls.splice(0).map(([stored]) => stored));
      try {
        // In one moment, so that the session does not end by its own time.
        for (let i = 0; i < most; i++) {
          expect(await signIn(wrong)).toEqual(refused);
          await app.gatehouse.repositories.attempts.clear(member.email);
        }
        const stored = expect.objectContaining({ hashedPassword: expect.stringContaining('$argon2id$') });
        expect(compared()).toEqual(Array(most).fill(stored));
        expect(await signIn(member.password)).toEqual(refused);
        const again = { current_password: member.password, new_email: newAddress() };
        expect(await call('changeEmail', again, { token: member.token })).toMatchObject({
          code: 'wrong_password',
        });
        expect(compared()).toEqual([null, null]);
      } finally {
        for (const spy of spies) spy.mockRestore();
      }
    });

    test('are not counted where there is no password, and cost an unknown address the same rows', async () => {
      await removePassword(app, member);
      await guess(most + 1);
      expect(notices()).toEqual([]);
      const rows = app.gatehouse.repositories.password_failures;
      expect(await rows.find(member.id)).toBeNull();
    });

    test('of a deleted account leave nothing', async () => {
      const { password_failures } = app.gatehouse.repositories;
      await guess(1);
      expect(await password_failures.find(member.id)).toMatchObject({ failures: 1 });
      await app.gatehouse.users.remove(member.id);
      expect(await password_failures.find(member.id)).toBeNull();
    });

    test('are none where they are switched off, and cost no row', async () => {
      const off = await start({ maxConsecutiveFailures: 0 });
      try {
        member = await signUp(off);
        await guess(20, door.at(off), off);
        expect(await signIn(member.password, door.at(off))).toMatchObject({ ok: true });
        expect(await off.gatehouse.repositories.password_failures.find(member.id)).toBeNull();
      } finally {
        await off.close();
      }
    });
  });

  // Memory is nothing that survives.
  test.skipIf(isFirst)('survive a restart', async () => {
    const database: TestDatabase = await backend.lendDatabase();
    const settings = { maxConsecutiveFailures: most, rateLimitDisabled: true };
    const options = { databaseUrl: database.url, settings };
    const first = await startApp(options);
    try {
      const { email, password } = await signUp(first);
      const signIn = (app: App, password: string) => app.rest('POST', '/login', { email, password });
      for (let i = 1; i < most; i++) await signIn(first, wrong);
      const second = await startApp(options);
      try {
        expect((await signIn(second, wrong)).status).toBe(401);
        expect((await signIn(second, password)).status).toBe(401);
      } finally {
        await second.close();
      }
    } finally {
      await first.close();
      await database.drop();
    }
  });
});
