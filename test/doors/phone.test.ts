import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { createCodes } from '../../src/crypto/codes.ts';
import type { EventName } from '../../src/event-names.ts';
import { type App, jwtSecret, logIn, signUp, startApp } from '../support/app.ts';
import { describeStory } from '../support/backends.ts';
import { type Call, doorsOn, resultOf } from '../support/doors.ts';
import { newPhone, upTo } from '../support/people.ts';
import { max, nextCode, phonesOf, refusal, settings, wrong } from './phones.ts';

describeStory('the second factor', backend => {
  let app: App;
  let phones: ReturnType<typeof phonesOf>;
  beforeAll(async () => {
    app = await startApp({ backend, settings });
    phones = phonesOf(app);
  });
  afterEach(() => vi.restoreAllMocks());
  afterAll(() => app?.close());

  describe.each(doorsOn(backend))('through $name', door => {
    let call: Call;
    beforeAll(() => {
      call = door.at(app);
    });

    // Shows asvs/6.5.6.
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
      expect((await app.gatehouse.authenticate(token))!.user.isMfaEnabled).toBe(true);
      expect(await call('confirmPhoneSetup', confirmation, member)).toMatchObject({
        code: 'mfa_code_missing',
      });

      const challenge = await resultOf(call('login', { email, password }));
      expect(challenge).toEqual({
        status: 'mfa_required',
        mfa_pending_token: expect.any(String),
        expires_in: 600,
        delivery: 'sms',
        methods: ['sms'],
      });
      const second = {
        mfa_pending_token: challenge.mfa_pending_token,
        // A client may send back which of the methods it takes.
        method: 'sms',
        code: await nextCode(app, phone_number),
      };
      const session = await resultOf(call('confirmLoginMfa', second));
      expect(session).toEqual({
        access_token: expect.any(String),
        token_type: 'bearer',
        expires_in: expect.any(Number),
      });
      expect(await call('confirmLoginMfa', second)).toMatchObject({ code: 'invalid_token' });

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

    test('is removed by a superuser for a person who lost the phone, and by no other user', async () => {
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

    // Shows asvs/6.6.2.
    test('takes a code only with the pending token that it was sent for, and counts no guess with another', async () => {
      // Somebody holds a pending token of an earlier sign-in and learns the code of the owner's.
      const { member, phone, pending } = await phones.atSecondStep();
      const { mfa_pending_token } = (await phones.login(member)).body;
      const code = await nextCode(app, phone);
      const confirm = (mfa_pending_token: string, code: string) =>
        call('confirmLoginMfa', { mfa_pending_token, code });
      for (const guess of [...Array(max).fill(wrong(code)), code]) {
        expect(await confirm(pending, guess)).toMatchObject({ code: 'invalid_token', status: 400 });
      }
      const { mfa_codes, attempts } = app.gatehouse.repositories;
      expect((await mfa_codes.find(member.id, 'login'))!.attempts).toBe(0);
      expect(await attempts.list(`code:${member.id}`)).toEqual([]);
      expect(await confirm(mfa_pending_token, code)).toMatchObject({ ok: true });
    });

    test('takes a code of a set-up only with the pending token that it was sent for', async () => {
      const [member, phone] = [await signUp(app), newPhone()];
      const older = (await phones.start(member, phone)).body.pending_token;
      await nextCode(app, phone);
      const newer = (await phones.start(member, phone)).body.pending_token;
      const code = await nextCode(app, phone);
      const confirm = (pending_token: string) => call('confirmPhoneSetup', { pending_token, code }, member);
      expect(await confirm(older)).toMatchObject({ code: 'invalid_token', status: 400 });
      expect(await confirm(newer)).toMatchObject({ ok: true, value: { phone_number: phone } });
    });

    // Shows asvs/6.6.3.
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

  test.each([
    ['has no binding', () => null],
    ['has left the binding of the code before it', (before: string) => before],
  ])(
    'a code of the version before, which %s, is good with any pending token of its user',
    async (_, bound) => {
      // Both versions serve the same users during an upgrade.
      const { member, pending } = await phones.atSecondStep();
      const { mfa_codes } = app.gatehouse.repositories;
      const stored = (await mfa_codes.find(member.id, 'login'))!;
      const codes = createCodes({ secret: jwtSecret, length: 6 });
      const codeHash = codes.hash('123456', stored);
      await mfa_codes.replace({ ...stored, codeHash, boundTo: bound(stored.boundTo!) });
      expect((await phones.second(pending, '123456')).status).toBe(200);
    },
  );

  // Shows 63b/3.1.3.2#once.
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
