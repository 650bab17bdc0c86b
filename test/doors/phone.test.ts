import { randomInt } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { EventName } from '../../src/events.ts';
import { type App, logIn, type Member, signUp, startApp } from '../support/app.ts';
import { describeEachDriver } from '../support/backends.ts';
import { type Call, doors, resultOf } from '../support/doors.ts';

const upTo = (count: number) => Array.from({ length: count }, (_, i) => i);
const newPhone = () => `+49151${randomInt(10_000_000, 99_999_999)}`;
/** How many guesses a code allows. */
const max = 5;

/** A code of six digits that is not this one. */
const wrong = (code: string) => (code === '111111' ? '222222' : '111111');

async function nextCode(app: App, phone: string): Promise<string> {
  const { text } = await app.nextText(phone);
  return /^Your Gatehouse (?:sign-in|verification) code: (\d{6})$/.exec(text)![1]!;
}

/** What the tests do with an app through REST, in their own words. */
function phonesOf(app: App) {
  const post = (path: string, body: object, member?: { token: string }) =>
    app.rest('POST', path, body, member && { token: member.token });
  const phones = {
    start: (member: Member, phone_number: string) =>
      post('/phone/start', { phone_number, current_password: member.password }, member),
    confirm: (member: Member, pending_token: string, code: string) =>
      post('/phone/confirm', { pending_token, code }, member),
    login: ({ email, password }: Member) => post('/login', { email, password }),
    second: (mfa_pending_token: string, code: string) =>
      post('/login/mfa-confirm', { mfa_pending_token, code }),
    async setUp(member: Member, phone = newPhone()): Promise<string> {
      const { body } = await phones.start(member, phone);
      const { status } = await phones.confirm(member, body.pending_token, await nextCode(app, phone));
      expect(status).toBe(200);
      return phone;
    },
    /** Somebody with a phone, and the pending token and code of a login. */
    async atSecondStep() {
      const member = await signUp(app);
      const phone = await phones.setUp(member);
      const { body } = await phones.login(member);
      return { member, phone, pending: body.mfa_pending_token as string, code: await nextCode(app, phone) };
    },
  };
  return phones;
}

const settings = { enableSms2fa: true, enableAdminRouter: true };
const refusal = (status: number, code: string, more = {}) => ({ status, body: { code, ...more } });

describeEachDriver('the second factor', backend => {
  let app: App;
  let phones: ReturnType<typeof phonesOf>;
  beforeAll(async () => {
    app = await startApp({ backend, settings });
    phones = phonesOf(app);
  });
  afterEach(() => vi.restoreAllMocks());
  afterAll(() => app?.close());

  describe.each(doors)('through $name', door => {
    let call: Call;
    beforeAll(() => {
      call = door.at(app);
    });

    test('is set up by the code that was texted, is due at the next login, and goes when it is taken off', async () => {
      const [member, phone_number] = [await signUp(app), newPhone()];
      const { email, password, token } = member;
      const names: EventName[] = [
        ...(['phone_setup_started', 'mfa_enabled', 'mfa_disabled'] as const),
        ...(['mfa_login_started', 'user_logged_in'] as const),
      ];
      const events: string[] = [];
      const stops = names.map(name => app.gatehouse.on(name, () => void events.push(name)));
      const started = await resultOf(
        call('startPhoneSetup', { phone_number, current_password: password }, member),
      );
      expect(started).toEqual({ status: 'code_sent', pending_token: expect.any(String), expires_in: 600 });
      expect((await resultOf(call('me', undefined, member))).phone_number).toBeNull();
      expect('access_token' in (await resultOf(call('login', { email, password })))).toBe(true);

      const code = await nextCode(app, phone_number);
      const confirmation = { pending_token: started.pending_token, code };
      expect(await call('confirmPhoneSetup', { ...confirmation, code: wrong(code) }, member)).toMatchObject({
        code: 'mfa_code_wrong',
        attemptsRemaining: max - 1,
      });
      const user = await resultOf(call('confirmPhoneSetup', confirmation, member));
      expect(user).toMatchObject({ id: member.id, phone_number, is_mfa_enabled: true });
      expect((await app.gatehouse.authenticate(token))!.user.is_mfa_enabled).toBe(true);
      expect(await call('confirmPhoneSetup', confirmation, member)).toMatchObject({
        code: 'mfa_code_missing',
      });

      const challenge = await resultOf(call('login', { email, password }));
      expect(challenge).toEqual({
        status: 'mfa_required',
        mfa_pending_token: expect.any(String),
        expires_in: 600,
        delivery: 'sms',
      });
      const second = {
        mfa_pending_token: challenge.mfa_pending_token,
        code: await nextCode(app, phone_number),
      };
      const session = await resultOf(call('confirmLoginMfa', second));
      expect(session).toEqual({
        access_token: expect.any(String),
        token_type: 'bearer',
        expires_in: expect.any(Number),
      });
      expect(await call('confirmLoginMfa', second)).toMatchObject({ code: 'mfa_code_missing' });

      const auth = { token: session.access_token };
      expect(await call('disablePhone', { current_password: 'wrong password' }, auth)).toMatchObject({
        code: 'wrong_password',
      });
      await resultOf(call('disablePhone', { current_password: password }, auth));
      expect(await resultOf(call('me', undefined, auth))).toMatchObject({
        phone_number: null,
        is_mfa_enabled: false,
      });
      expect('access_token' in (await resultOf(call('login', { email, password })))).toBe(true);
      expect(events).toEqual([
        ...['phone_setup_started', 'user_logged_in', 'mfa_enabled', 'mfa_login_started'],
        ...['user_logged_in', 'mfa_disabled', 'user_logged_in'],
      ]);
      const notices = [await app.nextMail(email), await app.nextMail(email)];
      for (const { text, subject } of notices) expect(subject + text).not.toContain(phone_number);
      for (const stop of stops) stop();
    });

    test('is set up by who knows the password alone', async () => {
      // Somebody at an unattended computer sets an own phone up, to lock the owner out.
      const member = await signUp(app);
      const phone_number = newPhone();
      const before = app.texts.length;
      const body = { phone_number, current_password: 'wrong password' };
      expect(await call('startPhoneSetup', body, member)).toMatchObject({ code: 'wrong_password' });
      expect(await call('startPhoneSetup', body)).toMatchObject({ status: 401 });
      expect(app.texts.length).toBe(before);
    });

    test('is taken off by a superuser for who lost the phone, and by nobody else', async () => {
      const { member, pending, code, phone } = await phones.atSecondStep();
      const admin = await signUp(app);
      expect(await call('adminDisablePhone', { id: member.id }, admin)).toMatchObject({ status: 403 });
      await app.gatehouse.repositories.users.change(admin.id, { set: { isSuperuser: true } });
      const user = await resultOf(call('adminDisablePhone', { id: member.id }, admin));
      expect(user).toMatchObject({ id: member.id, phone_number: null, is_mfa_enabled: false });
      expect(JSON.stringify(user)).not.toContain(phone);
      // The code that was on its way is worth nothing now.
      expect(await phones.second(pending, code)).toMatchObject(refusal(400, 'mfa_code_missing'));
      expect(await logIn(app, member)).toEqual(expect.any(String));
      const nobody = { id: '019c0a2b-5d3e-7f10-8a6b-3c4d5e6f7081' };
      expect(await call('adminDisablePhone', nobody, admin)).toMatchObject({ status: 404 });
    });

    test('counts the guesses that are left, and the last one spends the code', async () => {
      const { pending, code } = await phones.atSecondStep();
      const guess = (code: string) => call('confirmLoginMfa', { mfa_pending_token: pending, code });
      for (const left of [4, 3, 2, 1]) {
        expect(await guess(wrong(code))).toMatchObject({ code: 'mfa_code_wrong', attemptsRemaining: left });
      }
      expect(await guess(wrong(code))).toMatchObject({ code: 'LOCKED' });
      expect(await guess(code)).toMatchObject({ code: 'mfa_code_missing' });
    });
  });

  test('60 wrong codes at once are answered no more often than the code allows', async () => {
    // An attacker with the password sends all guesses at the same time, before any is counted.
    const { member, pending, code } = await phones.atSecondStep();
    const replies = await Promise.all(upTo(60).map(() => phones.second(pending, wrong(code))));
    const codes = replies.map(({ body }) => body.code as string);
    const compared = codes.filter(code => code === 'mfa_code_wrong').length;
    expect(compared).toBeLessThanOrEqual(max);
    // Every guess that was compared is counted, whatever was answered.
    const counted = await app.gatehouse.repositories.attempts.list(`code:${member.id}`);
    expect(counted.length).toBeLessThanOrEqual(max);
    const others = new Set(codes.filter(code => code !== 'mfa_code_wrong'));
    for (const code of others) expect(['LOCKED', 'mfa_code_missing', 'account_locked']).toContain(code);
    expect(await phones.second(pending, code)).toMatchObject(refusal(400, 'mfa_code_missing'));
  });

  test('of a right code sent several times at once, one gives a session', async () => {
    // A code that was seen over a shoulder is sent at the same time as its owner sends it.
    for (const times of [max, 40]) {
      const { pending, code } = await phones.atSecondStep();
      const replies = await Promise.all(upTo(times).map(() => phones.second(pending, code)));
      expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    }
  });

  test('a login that is under way while the phone is confirmed gets no session', async () => {
    // An attacker with the password logs in at the moment at which the owner turns the second factor on.
    const [member, phone] = [await signUp(app), newPhone()];
    const { body } = await phones.start(member, phone);
    const code = await nextCode(app, phone);
    const { users } = app.gatehouse.repositories;
    const change = users.change;
    vi.spyOn(users, 'change').mockImplementationOnce(async (...args) => {
      vi.restoreAllMocks();
      expect((await phones.confirm(member, body.pending_token, code)).status).toBe(200);
      return change(...args);
    });
    const reply = await phones.login(member);
    expect(reply.body).not.toHaveProperty('access_token');
    expect(reply.body).toMatchObject({ status: 'mfa_required' });
  });
});

describe('texted codes', () => {
  let app: App;
  let phones: ReturnType<typeof phonesOf>;
  beforeEach(async () => {
    app = await startApp({ settings });
    phones = phonesOf(app);
  });
  afterEach(() => app.close());

  test('a code expires, and its pending token too', async () => {
    const { pending, code, member } = await phones.atSecondStep();
    app.clock.advance(300_000);
    expect(await phones.second(pending, code)).toMatchObject(refusal(400, 'mfa_code_expired'));
    app.clock.advance(300_000);
    expect(await phones.second(pending, code)).toMatchObject(refusal(400, 'invalid_token'));
    const { body } = await phones.start(member, newPhone());
    app.clock.advance(600_000);
    const late = await phones.confirm(member, body.pending_token, code);
    expect(late).toMatchObject(refusal(400, 'invalid_token'));
  });

  test('a code is good for its own purpose, user and phone', async () => {
    // A code that was texted for one thing is used for another.
    const { member, phone, pending, code } = await phones.atSecondStep();
    const other = await phones.atSecondStep();
    const setup = (await phones.start(member, newPhone())).body.pending_token;
    const setupCode = await nextCode(app, app.texts.at(-1)!.to);
    // The very same digits would be right by chance.
    if (new Set([code, other.code, setupCode]).size === 3) {
      expect((await phones.second(pending, setupCode)).body.code).toBe('mfa_code_wrong');
      expect((await phones.second(pending, other.code)).body.code).toBe('mfa_code_wrong');
      expect((await phones.confirm(member, setup, code)).body.code).toBe('mfa_code_wrong');
    }
    // Nor does the pending token of one user go with the session of another.
    expect(await phones.confirm(other.member, setup, setupCode)).toMatchObject(refusal(400, 'invalid_token'));
    const { users } = app.gatehouse.repositories;
    expect((await users.find(member.id))!.phoneNumber).toBe(phone);
    // The phone was replaced since the code was sent.
    expect((await phones.confirm(member, setup, setupCode)).status).toBe(200);
    expect((await phones.second(pending, code)).status).toBe(400);
    expect(app.texts.filter(({ to }) => to === phone)).toHaveLength(2);
  });

  test('a new code takes the place of the earlier one', async () => {
    const { member, phone, pending, code } = await phones.atSecondStep();
    await phones.login(member);
    const fresh = await nextCode(app, phone);
    if (fresh !== code) expect((await phones.second(pending, code)).body.code).toBe('mfa_code_wrong');
    expect((await phones.second(pending, fresh)).status).toBe(200);
  });

  test('a pending token opens nothing but its own step', async () => {
    // A stolen pending token, or that of somebody with the password alone, is used as a session.
    const { member, pending, code } = await phones.atSecondStep();
    const { body } = await phones.start(member, newPhone());
    for (const token of [pending, body.pending_token]) {
      for (const [method, path] of [
        ['GET', '/me'],
        ['POST', '/logout'],
        ['DELETE', '/phone'],
        ['GET', '/admin/stats'],
      ] as const) {
        const sent = method === 'DELETE' ? { current_password: member.password } : undefined;
        expect((await app.rest(method, path, sent, { token })).status, `${method} ${path}`).toBe(401);
      }
      for (const path of ['/verify', '/confirm-email-change']) {
        expect((await app.rest('POST', path, { token })).status, path).toBe(400);
      }
      const reset = { token, new_password: 'another horse battery' };
      expect((await app.rest('POST', '/reset-password', reset)).status).toBe(400);
      expect(await app.gatehouse.authenticate(token)).toBeNull();
    }
    for (const token of [member.token, body.pending_token]) {
      expect(await phones.second(token, code)).toMatchObject(refusal(400, 'invalid_token'));
    }
    for (const token of [member.token, pending]) {
      expect(await phones.confirm(member, token, code)).toMatchObject(refusal(400, 'invalid_token'));
    }
  });

  test('what everything was revoked after is dead', async () => {
    // An attacker who is at the second step waits until the owner has signed out everywhere.
    const { member, pending, code } = await phones.atSecondStep();
    await app.rest('POST', '/logout', { everywhere: true }, { token: member.token });
    expect(await phones.second(pending, code)).toMatchObject(refusal(400, 'invalid_token'));
  });

  test('signing in again gives no new guesses for ever, and a session or the end of the window does', async () => {
    // An attacker with the password asks for one code after the other, with five guesses at each.
    const { member, phone, pending, code } = await phones.atSecondStep();
    const guessAll = async (token: string, right: string) => {
      for (const _ of upTo(max)) await phones.second(token, wrong(right));
    };
    await guessAll(pending, code);
    const { body } = await phones.login(member);
    const second = await nextCode(app, phone);
    await guessAll(body.mfa_pending_token, second);
    const texts = app.texts.length;
    const locked = await phones.login(member);
    expect(locked).toMatchObject(refusal(429, 'account_locked'));
    expect(Number(locked.headers.get('Retry-After'))).toBeGreaterThan(0);
    expect(app.texts.length).toBe(texts);
    expect(await phones.second(body.mfa_pending_token, second)).toMatchObject(refusal(429, 'account_locked'));
    // Nor does the lock tell whether the password is right.
    const { body: setup } = await phones.start(member, newPhone());
    expect(await phones.confirm(member, setup.pending_token, '111111')).toMatchObject(
      refusal(429, 'account_locked'),
    );
    app.clock.advance(900_001);
    expect((await phones.login(member)).body.status).toBe('mfa_required');
  });

  test('a phone gets five messages an hour, and the earlier code stays good', async () => {
    // Somebody with the password has the owner's phone flooded.
    const { member, phone, pending } = await phones.atSecondStep();
    for (const _ of upTo(3)) expect((await phones.login(member)).status).toBe(200);
    const sent = app.texts.length;
    const capped = await phones.login(member);
    expect(capped).toMatchObject(refusal(429, 'rate_limited'));
    expect(Number(capped.headers.get('Retry-After'))).toBeGreaterThan(0);
    expect(app.texts.filter(({ to }) => to === phone)).toHaveLength(5);
    expect(app.texts.length).toBe(sent);
    const last = /(\d{6})$/.exec(app.texts.at(-1)!.text)![1]!;
    expect((await phones.second(pending, last)).status).toBe(200);
    app.clock.advance(3_600_000);
    expect((await phones.login(member)).status).toBe(200);
  });

  test('what a stranger has texted to a phone does not keep its owner out', async () => {
    // An attacker with an account of their own starts set-ups of somebody else's number.
    const member = await signUp(app);
    const phone = await phones.setUp(member);
    const stranger = await signUp(app);
    for (const _ of upTo(4)) expect((await phones.start(stranger, phone)).status).toBe(202);
    expect(await phones.start(stranger, phone)).toMatchObject(refusal(429, 'rate_limited'));
    for (const _ of upTo(4)) expect((await phones.login(member)).body.status).toBe('mfa_required');
    const { body } = await phones.login(member);
    expect(body.code).toBe('rate_limited');
  });

  test('a phone on many accounts gets no more codes to sign in than on one', async () => {
    // Somebody earns from messages to a number, and confirms it on one account after the other.
    const phone = newPhone();
    const members: Member[] = [];
    for (const _ of upTo(4)) {
      const member = await signUp(app);
      await phones.setUp(member, phone);
      members.push(member);
    }
    const statuses: number[] = [];
    for (const member of [...members, ...members]) statuses.push((await phones.login(member)).status);
    expect(statuses.filter(status => status === 200)).toHaveLength(5);
    expect(app.texts.filter(({ to }) => to === phone)).toHaveLength(9);
  });

  test('a user starts five set-ups an hour, over all numbers', async () => {
    // Somebody earns from messages to numbers of a country that is dear to text to.
    const member = await signUp(app);
    for (const _ of upTo(5)) expect((await phones.start(member, newPhone())).status).toBe(202);
    const phone = newPhone();
    expect(await phones.start(member, phone)).toMatchObject(refusal(429, 'rate_limited'));
    expect(app.texts).toHaveLength(5);
    expect(app.texts.some(({ to }) => to === phone)).toBe(false);
  });

  test('a number is E.164 and nothing else, and a code is digits', async () => {
    const member = await signUp(app);
    const bad = [
      ...['0151', '+0151123456', '+123456', '+1234567890123456', '4915112345678', '+49 151 12345678'],
      ...[
        '+4915112345678\n',
        ' +4915112345678',
        '+٤٩١٥١١٢٣٤٥٦٧٨',
        '',
        null,
        4915112345678,
        { $ne: '' },
        ['+4915112345678'],
      ],
    ];
    for (const phone_number of bad) {
      const body = { phone_number, current_password: member.password };
      const reply = await app.rest('POST', '/phone/start', body, { token: member.token });
      expect(reply, JSON.stringify(phone_number)).toMatchObject(refusal(422, 'invalid_input'));
    }
    expect(app.texts).toEqual([]);
    for (const code of ['', '12a456', '１２３４５６', 123456, { $ne: '' }, null]) {
      const body = { mfa_pending_token: 'x', code };
      expect((await app.rest('POST', '/login/mfa-confirm', body)).status, String(code)).toBe(422);
    }
  });

  test('neither codes, numbers nor tokens reach the log', async () => {
    const { phone, pending, code } = await phones.atSecondStep();
    await phones.second(pending, wrong(code));
    const written = JSON.stringify(app.logs);
    for (const secret of [phone, code, pending]) expect(written).not.toContain(secret);
  });
});

test('numbers of other countries are refused where prefixes are named, and nothing is sent', async () => {
  const app = await startApp({ settings: { ...settings, sms: { allowedPrefixes: ['+44', '+353'] } } });
  const phones = phonesOf(app);
  const member = await signUp(app);
  expect(await phones.start(member, '+4915112345678')).toMatchObject(refusal(422, 'invalid_input'));
  expect(app.texts).toEqual([]);
  expect((await phones.start(member, '+447700900123')).status).toBe(202);
  await app.close();
});
