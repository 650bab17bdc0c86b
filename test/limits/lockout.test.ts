import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Assembled } from '../../src/gatehouse.ts';
import { type App, logIn, signUp, startApp, tokenOf } from '../support/app.ts';
import { describeEachDriver } from '../support/backends.ts';
import { type Call, doorsOn, resultOf } from '../support/doors.ts';
import { newAddress, upTo } from '../support/people.ts';

const wrong = 'wrong horse battery';
const right = 'correct horse battery';
const windowMs = 900_000;

describeEachDriver('the lockout', backend => {
  let app: App;
  beforeAll(async () => {
    app = await startApp({ backend });
  });
  afterAll(() => app?.close());

  const ways = doorsOn(backend);
  describe.each(ways)('through $name', door => {
    let call: Call;
    beforeAll(() => {
      call = door.at(app);
    });
    const guess = (email: string, password = wrong) => call('login', { email, password });
    async function fail(email: string, times: number): Promise<void> {
      for (let i = 0; i < times; i++) {
        expect(await guess(email)).toEqual({ ok: false, code: 'invalid_credentials', status: 401 });
      }
    }
    const locked = (retryAfter: number) => ({ ok: false, code: 'account_locked', status: 429, retryAfter });

    // Shows asvs/6.3.1.
    test('answers five wrong passwords with 401 and everything after with 429, the right one too', async () => {
      const { email } = await signUp(app);
      await fail(email, 5);
      expect(await guess(email)).toEqual(locked(900));
      expect(await guess(email, right)).toEqual(locked(900));
    });

    test('does the same for an address that has no account', async () => {
      // An attacker looks for a difference between addresses that have accounts and those that have none.
      const email = newAddress();
      await fail(email, 5);
      expect(await guess(email)).toEqual(locked(900));
      expect(await guess(email.toUpperCase())).toEqual(locked(900));
    });

    test('lets somebody in after four wrong passwords, and then counts from the beginning', async () => {
      const { email } = await signUp(app);
      for (let round = 0; round < 2; round++) {
        await fail(email, 4);
        expect(await guess(email, right)).toMatchObject({ ok: true });
      }
    });

    test('lets go of each failure on its own, a window after it', async () => {
      const { email } = await signUp(app);
      for (let i = 0; i < 5; i++) {
        await fail(email, 1);
        app.clock.advance(60_000);
      }
      // The failures were 5, 4, 3, 2 and 1 minutes ago.
      expect(await guess(email)).toEqual(locked(600));
      app.clock.advance(600_000 - 1);
      expect(await guess(email)).toEqual(locked(1));
      app.clock.advance(1);
      await fail(email, 1);
      expect(await guess(email)).toEqual(locked(60));
      app.clock.advance(60_000);
      expect(await guess(email, right)).toMatchObject({ ok: true });
    });

    test('says to the second when it ends, rounded up', async () => {
      const { email } = await signUp(app);
      await fail(email, 5);
      for (const [ms, seconds] of [
        [1, 900],
        [998, 900],
        [1, 899],
        [898_500, 1],
      ] as const) {
        app.clock.advance(ms);
        expect(await guess(email)).toEqual(locked(seconds));
      }
      app.clock.advance(500);
      expect(await guess(email, right)).toMatchObject({ ok: true });
    });

    test('is not prolonged by the attempts that it refuses', async () => {
      // An attacker keeps somebody out for good by trying on and on.
      const { email } = await signUp(app);
      await fail(email, 5);
      for (let i = 0; i < 10; i++) {
        app.clock.advance(windowMs / 10 - 1);
        expect(await guess(email)).toMatchObject({ code: 'account_locked' });
      }
      app.clock.advance(10);
      expect(await guess(email, right)).toMatchObject({ ok: true });
    });

    test('leaves other addresses alone', async () => {
      // The failures of one address must not become an outage for everybody behind the same proxy.
      const [victim, other] = [await signUp(app), await signUp(app)];
      await fail(victim.email, 5);
      expect(await guess(other.email, right)).toMatchObject({ ok: true });
    });

    test('counts failures for accounts that are disabled, unverified, without password, or pending', async () => {
      const { users } = app.gatehouse.repositories;
      const [disabled, unverified, passwordless] = [await signUp(app), await signUp(app), await signUp(app)];
      await users.change(disabled.id, { set: { isActive: false } });
      await users.change(unverified.id, { set: { isVerified: false } });
      await users.change(passwordless.id, { set: { hashedPassword: null } });
      const pending = newAddress();
      await resultOf(call('register', { email: pending, password: right }));
      for (const { email } of [disabled, unverified, passwordless, { email: pending }]) {
        await fail(email, 5);
        expect(await guess(email)).toEqual(locked(900));
        expect(await guess(email, right)).toEqual(locked(900));
      }
    });

    test('does not say before a right password that an account is disabled, unverified or pending', async () => {
      const { users } = app.gatehouse.repositories;
      const [disabled, unverified] = [await signUp(app), await signUp(app)];
      await users.change(disabled.id, { set: { isActive: false } });
      await users.change(unverified.id, { set: { isVerified: false } });
      for (const [{ email }, code] of [
        [disabled, 'account_disabled'],
        [unverified, 'email_not_verified'],
      ] as const) {
        await fail(email, 1);
        expect(await guess(email, right)).toMatchObject({ code, status: 403 });
      }
    });

    test('does not let a wrong current password lock the login, or a failed login the current password', async () => {
      const member = await signUp(app);
      const confirm = (current_password: string) =>
        call('changeEmail', { current_password, new_email: member.email }, { token: member.token });
      for (let i = 0; i < 5; i++) expect(await confirm(wrong)).toMatchObject({ code: 'wrong_password' });
      expect(await confirm(wrong)).toEqual(locked(900));
      expect(await confirm(right)).toEqual(locked(900));
      await fail(member.email, 4);

      const other = await signUp(app);
      await fail(other.email, 5);
      const input = { current_password: right, new_email: other.email };
      expect(await call('changeEmail', input, { token: other.token })).toMatchObject({
        code: 'email_unchanged',
      });
    });

    test('counts the wrong current passwords of every operation together, and a session issued clears none of them', async () => {
      // Somebody at an open session guesses the password through one operation after the other.
      const member = await signUp(app);
      const options = { token: member.token };
      const attempts = [
        () => call('changePassword', { current_password: wrong, new_password: 'another horse' }, options),
        () => call('changeEmail', { current_password: wrong, new_email: newAddress() }, options),
        () => call('deleteAccount', { current_password: wrong }, options),
      ];
      for (let i = 0; i < 5; i++) expect(await attempts[i % 3]!()).toMatchObject({ code: 'wrong_password' });
      for (const attempt of attempts) expect(await attempt()).toEqual(locked(900));
      // Otherwise an attacker with the password would get new guesses by signing in.
      await logIn(app, member);
      for (const attempt of attempts) expect(await attempt()).toEqual(locked(900));
    });

    test('forgets wrong current passwords after a right one, a reset and an unlock', async () => {
      const member = await signUp(app);
      const changeEmail = (current_password: string, token = member.token) =>
        call('changeEmail', { current_password, new_email: member.email }, { token });
      const failFor = async (count: number) => {
        for (let i = 0; i < count; i++)
          expect(await changeEmail(wrong)).toMatchObject({ code: 'wrong_password' });
      };
      await failFor(4);
      expect(await changeEmail(right)).toMatchObject({ code: 'email_unchanged' });
      await failFor(5);
      expect(await changeEmail(right)).toMatchObject({ code: 'account_locked' });
      await (app.gatehouse as Assembled).operator.unlock({ email: member.email });
      await failFor(5);
      await app.rest('POST', '/forgot-password', { email: member.email });
      const token = tokenOf(await app.nextMail(member.email));
      expect(await call('resetPassword', { token, new_password: 'another horse' })).toMatchObject({
        ok: true,
      });
      const signedIn = await logIn(app, { email: member.email, password: 'another horse' });
      expect(await changeEmail(wrong, signedIn)).toMatchObject({ code: 'wrong_password' });
    });
  });

  const login = (email: string, password: string) => app.rest('POST', '/login', { email, password });

  test('of 60 wrong passwords at once answers as many as the threshold with 401, and then refuses the right one', async () => {
    // An attacker sends many guesses at the same moment, so that all are checked before the first is counted.
    const { email } = await signUp(app);
    for (const address of [email, newAddress()]) {
      const replies = await Promise.all(upTo(60).map(i => login(address, `${wrong} ${i}`)));
      const statuses = replies.map(({ status }) => status).sort();
      expect(statuses).toEqual([...Array(5).fill(401), ...Array(55).fill(429)]);
      for (const { status, headers } of replies) {
        if (status === 429) expect(headers.get('Retry-After')).toBe('900');
      }
    }
    expect((await login(email, right)).status).toBe(429);
  });

  test('of 60 guesses at once that hold the right one gives away no more than of 60 one after the other', async () => {
    // The right guess clears the count, so those before it and those after it have a threshold each.
    const { email } = await signUp(app);
    const replies = await Promise.all(upTo(60).map(i => login(email, i === 30 ? right : `${wrong} ${i}`)));
    const count = (status: number) => replies.filter(reply => reply.status === status).length;
    expect(count(200) + count(401) + count(429)).toBe(60);
    expect(count(401)).toBeLessThanOrEqual(count(200) === 1 ? 10 : 5);
  });

  test('once reached, gives a right guess the same answer as a wrong one, however many come at once', async () => {
    const { email } = await signUp(app);
    for (let i = 0; i < 5; i++) await login(email, wrong);
    const replies = await Promise.all(upTo(40).map(i => login(email, i % 2 ? right : wrong)));
    const answers = new Set(replies.map(({ status, body }) => JSON.stringify([status, body])));
    expect(answers.size).toBe(1);
    expect(replies[0]!.status).toBe(429);
  });

  test('never refuses a burst of 40 right passwords of one account', async () => {
    const { email } = await signUp(app);
    const replies = await Promise.all(upTo(40).map(() => login(email, right)));
    expect(replies.map(({ status }) => status)).toEqual(Array(40).fill(200));
  });

  test('of 40 wrong current passwords at once answers as many as the threshold as wrong', async () => {
    const { token } = await signUp(app);
    const replies = await Promise.all(
      upTo(40).map(() => app.rest('DELETE', '/account', { current_password: wrong }, { token })),
    );
    const codes = replies.map(({ body }) => body.code).sort();
    expect(codes).toEqual([...Array(35).fill('account_locked'), ...Array(5).fill('wrong_password')]);
  });

  test('stores the address of the client with each failure, and the guess nowhere', async () => {
    const email = newAddress();
    await login(email, 'a guess that nobody may read');
    const rows = await app.gatehouse.repositories.attempts.list(email);
    expect(rows).toMatchObject([{ subject: email, ip: expect.stringContaining('127.0.0.1') }]);
    expect(JSON.stringify([rows, app.logs])).not.toContain('a guess');
  });
});

describe('the lockout as it is configured', () => {
  async function statuses(settings: object, count: number): Promise<number[]> {
    const app = await startApp({ settings });
    const answers = [];
    const { email } = await signUp(app);
    for (let i = 0; i < count; i++) {
      answers.push((await app.rest('POST', '/login', { email, password: wrong })).status);
    }
    answers.push((await app.rest('POST', '/login', { email, password: right })).status);
    await app.close();
    return answers;
  }

  test('has the threshold that is set', async () => {
    expect(await statuses({ loginLockoutThreshold: 1 }, 2)).toEqual([401, 429, 429]);
    expect(await statuses({ loginLockoutThreshold: 7 }, 8)).toEqual([...Array(7).fill(401), 429, 429]);
  });

  test('has the window that is set', async () => {
    const app = await startApp({ settings: { loginLockoutWindowSeconds: 10 } });
    const { email } = await signUp(app);
    for (let i = 0; i < 5; i++) await app.rest('POST', '/login', { email, password: wrong });
    const refused = await app.rest('POST', '/login', { email, password: right });
    expect([refused.status, refused.headers.get('Retry-After')]).toEqual([429, '10']);
    app.clock.advance(10_000);
    expect((await app.rest('POST', '/login', { email, password: right })).status).toBe(200);
    await app.close();
  });

  test('is off, and stores nothing, while rate_limit_disabled is set', async () => {
    const settings = { rateLimitDisabled: true };
    expect(await statuses(settings, 8)).toEqual([...Array(8).fill(401), 200]);
    const app = await startApp({ settings });
    const email = newAddress();
    await app.rest('POST', '/login', { email, password: wrong });
    expect(await app.gatehouse.repositories.attempts.list(email)).toEqual([]);
    await app.close();
  });

  test('counts what a higher threshold left behind as no more than its own', async () => {
    const { createSlidingCounts } = await import('../../src/limits/sliding-count.ts');
    const app = await startApp();
    const counts = createSlidingCounts(app.gatehouse.repositories, app.clock);
    for (let i = 0; i < 8; i++) await counts.reserve('ada', { limit: 8, windowSeconds: 60 });
    expect((await counts.readCapacity('ada', { limit: 3, windowSeconds: 60 })).secondsUntilFree).toBe(60);
    expect(await counts.reserve('ada', { limit: 3, windowSeconds: 60 })).toBeNull();
    await counts.clear('ada');
    expect((await counts.readCapacity('ada', { limit: 3, windowSeconds: 60 })).secondsUntilFree).toBe(0);
    await app.close();
  });

  test('lets a right password wait for places that a process which was stopped still holds', async () => {
    // A process is killed during a burst of right passwords, and cannot release its slots.
    const app = await startApp();
    const { email } = await signUp(app);
    const { attempts } = app.gatehouse.repositories;
    for (let slot = 0; slot < 5; slot++) {
      const id = `${email}#${slot}`;
      await attempts.add({ id, subject: email, when: app.clock.now(), ip: null, settled: false });
    }
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const looks = vi.spyOn(attempts, 'list');
    const looked = (times: number) => vi.waitUntil(() => looks.mock.calls.length >= times, 20_000);
    const reply = app.rest('POST', '/login', { email, password: right });
    await looked(3);
    vi.advanceTimersByTime(2000);
    await looked(looks.mock.calls.length + 2);
    app.clock.advance(2000);
    expect((await reply).status).toBe(200);
    await app.close();
  });

  test('says that it is busy, and not that it is locked, where right passwords hold every place for too long', async () => {
    const app = await startApp();
    const { email } = await signUp(app);
    const { attempts } = app.gatehouse.repositories;
    for (let slot = 0; slot < 5; slot++) {
      const id = `${email}#${slot}`;
      await attempts.add({ id, subject: email, when: app.clock.now(), ip: null, settled: false });
    }
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const looks = vi.spyOn(attempts, 'list');
    const reply = app.rest('POST', '/login', { email, password: right });
    await vi.waitUntil(() => looks.mock.calls.length >= 3, 20_000);
    vi.advanceTimersByTime(3000);
    expect(await reply).toMatchObject({ status: 503, body: { code: 'unavailable' } });
    await app.close();
  });

  test('a sliding count has as many places as its limit, each free again a window after it was taken', async () => {
    const { createSlidingCounts } = await import('../../src/limits/sliding-count.ts');
    const app = await startApp();
    const counts = createSlidingCounts(app.gatehouse.repositories, app.clock);
    const bound = { limit: 2, windowSeconds: 10 };
    expect(await counts.reserve('ada', bound)).not.toBeNull();
    app.clock.advance(4000);
    expect(await counts.reserve('ada', bound)).not.toBeNull();
    expect(await counts.reserve('ada', bound)).toBeNull();
    expect((await counts.readCapacity('ada', bound)).secondsUntilFree).toBe(6);
    expect((await counts.readCapacity('bob', bound)).secondsUntilFree).toBe(0);
    app.clock.advance(5999);
    expect(await counts.reserve('ada', bound)).toBeNull();
    app.clock.advance(1);
    expect(await counts.reserve('ada', bound)).not.toBeNull();
    expect(await counts.reserve('ada', bound)).toBeNull();
    expect(await app.gatehouse.repositories.attempts.list('ada')).toHaveLength(2);
    await app.close();
  });
});
