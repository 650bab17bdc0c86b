import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type App, logIn, signUp, startApp } from '../support/app.ts';
import { describeEachDriver, describeStory } from '../support/backends.ts';
import { doorsOn, resultOf } from '../support/doors.ts';
import { eventually } from '../support/eventually.ts';
import { claimsIn } from '../support/passkeys.ts';
import { isAlive, signUpSuperuser, upTo } from '../support/people.ts';
import { stepMs, totpOf, totpSettings } from '../support/totp.ts';

const unknown = { ok: false, code: 'not_found', status: 404 };

describeStory('an authenticator app', backend => {
  let app: App;
  let totp: ReturnType<typeof totpOf>;
  beforeAll(async () => {
    app = await startApp({
      backend,
      settings: { ...totpSettings, enableAdminRouter: true, enableSms2fa: true },
    });
    totp = totpOf(app);
  });
  afterAll(() => app?.close());

  describe.each(doorsOn(backend))('through $name', door => {
    let call: ReturnType<typeof door.at>;
    beforeAll(() => {
      call = door.at(app);
    });

    // Shows asvs/6.5.6, 63b/4.1.2.1#notice.
    test('is set up, asked for at every sign-in from then on, renamed and removed', async () => {
      const member = await signUp(app);
      const { token } = member;
      const setup = await resultOf(call('startTotpSetup', undefined, { token }));
      expect(setup.secret).toMatch(/^[A-Z2-7]{32}$/);
      expect(setup.otpauth_url).toContain(setup.secret);
      expect(setup.qr_svg).toMatch(/^<svg /);
      expect(await totp.user(member)).toMatchObject({ isMfaEnabled: false });

      const confirm = { id: setup.id, code: totp.code(setup.secret), name: '  My phone ' };
      const added = await resultOf(call('confirmTotpSetup', confirm, { token }));
      expect(added.authenticator).toMatchObject({ kind: 'totp', name: 'My phone', last_used_at: null });
      expect(new Set(added.recovery_codes).size).toBe(10);
      expect(await resultOf(call('me', undefined, { token }))).toMatchObject({ is_mfa_enabled: true });

      app.clock.advance(stepMs);
      const { email, password } = member;
      const challenge = await resultOf(call('login', { email, password }));
      expect(challenge).toMatchObject({
        status: 'mfa_required',
        delivery: 'none',
        methods: ['totp', 'recovery_code'],
      });
      const { mfa_pending_token } = challenge;
      const code = totp.code(setup.secret);
      const second = { mfa_pending_token, code: ` ${code.slice(0, 3)} ${code.slice(3)} ` };
      const session = await resultOf(call('confirmLoginMfa', second));
      const by = { token: session.access_token };

      const { items, recovery_codes_left } = await resultOf(call('authenticators', undefined, by));
      expect(items).toMatchObject([
        { id: added.authenticator.id, last_used_at: app.clock.now().toISOString() },
      ]);
      expect(recovery_codes_left).toBe(10);
      const { id } = added.authenticator;
      expect(await resultOf(call('renameAuthenticator', { id, name: 'Tablet' }, by))).toMatchObject({
        ...{ id, name: 'Tablet' },
      });

      // The session that was made before the second step was on cannot remove it.
      expect(await call('removeAuthenticator', { id }, { token })).toMatchObject({
        ...{ code: 'recent_sign_in_required', status: 401 },
      });
      await resultOf(call('removeAuthenticator', { id }, by));
      expect(await call('removeAuthenticator', { id }, by)).toMatchObject(unknown);
      expect(await totp.user(member)).toMatchObject({ isMfaEnabled: false });
      expect(await totp.codesLeft(member)).toBeNull();
      expect(await resultOf(call('login', { email, password }))).toHaveProperty('access_token');
    });

    test('a set-up of somebody else, a used one, one that expired and one that never was are not found', async () => {
      const [member, other] = [await signUp(app), await signUp(app)];
      const confirm = (by: { token: string }, id: string, secret: string) =>
        call('confirmTotpSetup', { id, code: totp.code(secret) }, { token: by.token });
      const { id, secret } = await totp.start(member);
      expect(await confirm(other, id, secret)).toMatchObject(unknown);
      for (const none of [randomUUID(), '', '$ne', "' or 1=1 --", '../x', 'second_step-x']) {
        if (door.name === 'REST' || none !== '')
          expect(await confirm(member, none, secret)).toMatchObject(unknown);
      }
      expect(await totp.stored(other)).toEqual([]);
      expect(await confirm(member, id, secret)).toMatchObject({ ok: true });
      const again = await signUp(app);
      const setup = await totp.start(again);
      app.clock.advance(599_999);
      const late = await totp.start(again);
      expect(await confirm(again, setup.id, setup.secret)).toMatchObject({ ok: true });
      const session = { token: await logInWith(again, setup.secret) };
      app.clock.advance(600_000);
      expect(await confirm(session, late.id, late.secret)).toMatchObject(unknown);
      expect(await confirm(session, setup.id, setup.secret)).toMatchObject(unknown);
    });

    test('an authenticator of somebody else is not found', async () => {
      const [member, other] = [await totp.enrolled(), await totp.enrolled()];
      const token = await totp.signIn(other);
      for (const id of [member.authenticatorId, randomUUID(), '$ne']) {
        expect(await call('renameAuthenticator', { id, name: 'Mine' }, { token })).toMatchObject(unknown);
        expect(await call('removeAuthenticator', { id }, { token })).toMatchObject(unknown);
      }
      expect(await totp.stored(member)).toMatchObject([{ name: 'Authenticator app' }]);
    });

    // Shows 63b/3.1.2.1#random.
    test('recovery codes are replaced as a whole, and there are none without an authenticator', async () => {
      const member = await totp.enrolled();
      const token = await totp.signIn(member);
      const fresh = (await resultOf(call('replaceRecoveryCodes', undefined, { token }))).recovery_codes;
      expect(new Set([...member.recoveryCodes, ...fresh]).size).toBe(20);
      const pending = await totp.pending(member);
      expect(await totp.second(pending, member.recoveryCodes[0]!, 'recovery_code')).toMatchObject({
        ...{ status: 400, body: { code: 'mfa_code_wrong' } },
      });
      expect((await totp.second(pending, fresh[0], 'recovery_code')).status).toBe(200);
      const without = await signUp(app);
      expect(await call('replaceRecoveryCodes', undefined, { token: without.token })).toMatchObject(unknown);
      expect(await totp.codesLeft(without)).toBeNull();
    });

    // Shows 63b/4.2.3#notice, 63b/4.3#suspend.
    test('is removed by administration with every other factor, and its owner is told', async () => {
      const superuser = await signUpSuperuser(app);
      const member = await totp.enrolled();
      const phone = await totp.setUpPhone(member);
      const heard: string[] = [];
      const off = (['mfa_disabled', 'authenticator_removed'] as const).map(name =>
        app.gatehouse.on(name, ({ user }) => user.id === member.id && heard.push(name)),
      );
      const by = { token: superuser.token };
      const view = await resultOf(call('adminRemoveAuthenticators', { id: member.id }, by));
      for (const stop of off) stop();
      expect(view).toMatchObject({ is_mfa_enabled: false, phone_number: null });
      expect(heard.toSorted()).toEqual(['authenticator_removed', 'mfa_disabled']);
      expect(await totp.stored(member)).toEqual([]);
      expect(await totp.codesLeft(member)).toBeNull();
      const token = await logIn(app, member);
      expect(await totp.authenticators(token)).toEqual({ items: [], recovery_codes_left: 0 });
      // Of app, phone, and both removals.
      const mails = () => app.mails.filter(({ to }) => to === member.email);
      await eventually(() => expect(mails()).toHaveLength(4));
      expect(app.texts.filter(({ to }) => to === phone)).toHaveLength(1);
      expect(await call('adminRemoveAuthenticators', { id: member.id }, { token })).toMatchObject({
        ...{ code: 'forbidden', status: 403 },
      });
      expect(await call('adminRemoveAuthenticators', { id: randomUUID() }, by)).toMatchObject(unknown);
    });
  });

  /** Signs in with a fresh code and returns the session token. */
  async function logInWith(member: { email: string; password: string }, secret: string): Promise<string> {
    app.clock.advance(stepMs);
    const { body } = await totp.second(await totp.pending(member), totp.code(secret));
    return body.access_token;
  }

  test('a wrong code leaves the set-up, and counts', async () => {
    const member = await signUp(app);
    const { id, secret } = await totp.start(member);
    const confirm = (code: string) => totp.post('/totp/confirm', { id, code }, member);
    for (const _ of upTo(9)) {
      expect(await confirm(totp.wrong(secret))).toMatchObject({
        status: 400,
        body: { code: 'mfa_code_wrong' },
      });
    }
    expect((await confirm(totp.code(secret))).status).toBe(200);
    const other = await signUp(app);
    const setup = await totp.start(other);
    const wrong = { id: setup.id, code: totp.wrong(setup.secret) };
    for (const _ of upTo(10)) await totp.post('/totp/confirm', wrong, other);
    const right = { id: setup.id, code: totp.code(setup.secret) };
    const locked = await totp.post('/totp/confirm', right, other);
    expect(locked).toMatchObject({ status: 429, body: { code: 'account_locked' } });
    // Another set-up gives no new guesses.
    const next = await totp.start(other);
    expect(
      await totp.post('/totp/confirm', { id: next.id, code: totp.code(next.secret) }, other),
    ).toMatchObject({ status: 429 });
  });

  // Shows asvs/6.5.1.
  test('the code that confirmed a set-up does not sign in too', async () => {
    const member = await signUp(app);
    const { secret } = await totp.setUp(member);
    const pending = await totp.pending(member);
    for (const later of [0, -1]) {
      expect(await totp.second(pending, totp.code(secret, later))).toMatchObject({
        ...{ status: 400, body: { code: 'mfa_code_wrong' } },
      });
    }
    expect((await totp.second(pending, totp.code(secret, 1))).status).toBe(200);
  });

  test('an account whose address is not verified cannot set one up', async () => {
    // A stranger registers the address of somebody else and waits for its owner (pre-hijacking).
    const member = await signUp(app);
    const { id, secret } = await totp.start(member);
    await app.gatehouse.repositories.users.change(member.id, { set: { isVerified: false } });
    const refused = { status: 403, body: { code: 'email_not_verified' } };
    expect(await totp.post('/totp/start', {}, member)).toMatchObject(refused);
    expect(await totp.post('/totp/confirm', { id, code: totp.code(secret) }, member)).toMatchObject(refused);
    expect(await totp.stored(member)).toEqual([]);
  });

  // Shows 63b/4.1.2.1#several.
  test('an account has ten authenticators at most', async () => {
    const member = await totp.enrolled();
    const token = await totp.signIn(member);
    const late = await totp.start({ token });
    for (const _ of upTo(8)) await totp.setUp({ token });
    await totp.storePasskey(member);
    const full = { status: 409, body: { code: 'authenticator_limit' } };
    expect(await totp.post('/totp/start', {}, { token })).toMatchObject(full);
    // A set-up that was begun before the tenth is decided again at its end.
    const confirm = { id: late.id, code: totp.code(late.secret) };
    expect(await totp.post('/totp/confirm', confirm, { token })).toMatchObject(full);
    expect(await totp.stored(member)).toHaveLength(10);
    expect(await totp.user(member)).toMatchObject({ isMfaEnabled: true });
    const freed = await totp.signIn(member);
    expect((await totp.remove(member.authenticatorId, freed)).status).toBe(200);
    await totp.setUp({ token: freed });
    expect(await totp.stored(member)).toHaveLength(10);
  });

  test('20 confirmations at once leave ten', async () => {
    const member = await totp.enrolled();
    const by = { token: await totp.signIn(member) };
    const setups = [];
    for (const _ of upTo(20)) setups.push(await totp.start(by));
    const replies = await Promise.all(
      setups.map(({ id, secret }) => totp.post('/totp/confirm', { id, code: totp.code(secret) }, by)),
    );
    expect(await totp.stored(member)).toHaveLength(10);
    const answers = replies.map(({ status, body }) => (status === 200 ? 'added' : body.code));
    expect(answers.toSorted()).toEqual([...Array(9).fill('added'), ...Array(11).fill('authenticator_limit')]);
  });

  test('of first confirmations at once, one issues recovery codes', async () => {
    const member = await signUp(app);
    const setups = [];
    for (const _ of upTo(8)) setups.push(await totp.start(member));
    const replies = await Promise.all(
      setups.map(({ id, secret }) => totp.post('/totp/confirm', { id, code: totp.code(secret) }, member)),
    );
    const added = replies.filter(({ status }) => status === 200);
    expect(await totp.stored(member)).toHaveLength(added.length);
    const codes = added.flatMap(({ body }) => (body.recovery_codes ? [body.recovery_codes] : []));
    expect(codes).toHaveLength(1);
    // The others were overtaken by the second step, which their session was made without.
    for (const { status, body } of replies)
      if (status !== 200) expect(body.code).toBe('recent_sign_in_required');
    app.clock.advance(stepMs);
    expect((await totp.second(await totp.pending(member), codes[0][0], 'recovery_code')).status).toBe(200);
  });

  // Shows 63b/3.2.9#migration.
  test('the phone and the app keep the second step on for each other', async () => {
    const member = await totp.enrolled();
    await totp.setUpPhone(member);
    const token = await totp.signIn(member);
    expect((await totp.remove(member.authenticatorId, token)).status).toBe(200);
    // The codes go with the last authenticator, and the phone keeps the second step on.
    expect(await totp.codesLeft(member)).toBeNull();
    expect(await totp.challenge(member)).toMatchObject({ delivery: 'sms', methods: ['sms'] });

    const other = await totp.enrolled();
    await totp.setUpPhone(other);
    const session = await totp.signIn(other);
    const current_password = other.password;
    const removed = await app.rest('DELETE', '/phone', { current_password }, { token: session });
    expect(removed.status).toBe(200);
    expect(await totp.user(other)).toMatchObject({ phoneNumber: null, isMfaEnabled: true });
    expect(await totp.challenge(other)).toMatchObject({ methods: ['totp', 'recovery_code'] });
    expect(await totp.codesLeft(other)).toBe(10);
    // Nor is that said to be the end of the second step.
    expect(removed.body.message).not.toContain('no second step');
  });

  test('recovery codes are issued with the first authenticator and not with the second', async () => {
    const member = await totp.enrolled();
    const token = await totp.signIn(member);
    const second = await totp.setUp({ token });
    expect(second.recoveryCodes).toBeUndefined();
    // One of two is removed: the codes stay.
    expect((await totp.remove(member.authenticatorId, token)).status).toBe(200);
    expect(await totp.codesLeft(member)).toBe(10);
    expect(await totp.user(member)).toMatchObject({ isMfaEnabled: true });
  });

  // Shows asvs/6.4.4.
  test('a recovery code is taken without capitals and hyphens, once, and its owner is mailed', async () => {
    const member = await totp.enrolled();
    const [first, second, third] = member.recoveryCodes as [string, string, string];
    expect(first).toMatch(/^[0-9A-Z]{4}(-[0-9A-Z]{4}){3}$/);
    const pending = () => totp.pending(member);
    const typed = first.toLowerCase().replaceAll('-', ' ');
    expect((await totp.second(await pending(), typed, 'recovery_code')).status).toBe(200);
    const again = await totp.second(await pending(), first, 'recovery_code');
    expect(again).toMatchObject({ status: 400, body: { code: 'mfa_code_wrong' } });
    expect((await totp.second(await pending(), second.replaceAll('-', ''), 'recovery_code')).status).toBe(
      200,
    );
    // A recovery code is good for nothing but the second step.
    expect(await totp.post('/login', { email: member.email, password: third })).toMatchObject({
      status: 401,
    });
    expect(await totp.codesLeft(member)).toBe(8);
    const mails = () =>
      app.mails.filter(({ to, text }) => to === member.email && /recovery code/i.test(text));
    await eventually(() => expect(mails()).toHaveLength(2));
  });

  test('with `end_other_sessions` without a session list, every other session ends, and the answer has a new one', async () => {
    const member = await signUp(app);
    const other = await logIn(app, member);
    const { id, secret } = await totp.start(member);
    const confirm = { id, code: totp.code(secret), end_other_sessions: true };
    const { body } = await totp.post('/totp/confirm', confirm, member);
    expect(body.recovery_codes).toHaveLength(10);
    expect(await isAlive(app, other)).toBe(false);
    expect(await isAlive(app, member.token)).toBe(false);
    expect(await isAlive(app, body.session.access_token)).toBe(true);
    // It is of the same sign-in, with what was proved since.
    expect(claimsIn(body.session.access_token)).toMatchObject({
      ...{ auth_time: claimsIn(member.token).auth_time, amr: ['pwd', 'otp', 'mfa'] },
    });
  });

  test('without it no session ends', async () => {
    const member = await signUp(app);
    const other = await logIn(app, member);
    await totp.setUp(member);
    for (const token of [other, member.token]) expect(await isAlive(app, token)).toBe(true);
  });
});

describeEachDriver('a set-up while sessions are listed', backend => {
  // Shows asvs/7.4.3.
  test('ends the other sessions on request, and keeps its own beside the new one', async () => {
    const app = await startApp({ backend, settings: { ...totpSettings, enableSessionList: true } });
    const totp = totpOf(app);
    const member = await signUp(app);
    const other = await logIn(app, member);
    const { id, secret } = await totp.start(member);
    const confirm = { id, code: totp.code(secret), end_other_sessions: true };
    const { body } = await totp.post('/totp/confirm', confirm, member);
    expect(await isAlive(app, other)).toBe(false);
    for (const token of [member.token, body.session.access_token])
      expect(await isAlive(app, token)).toBe(true);
    await app.close();
  });
});
