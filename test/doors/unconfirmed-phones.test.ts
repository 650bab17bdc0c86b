import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Assembled } from '../../src/gatehouse.ts';
import { type App, logIn, type Member, signUp, startApp } from '../support/app.ts';
import { describeEachDriver } from '../support/backends.ts';
import { doorsOn, resultOf } from '../support/doors.ts';
import { codeIn, newPhone, signUpSuperuser } from '../support/people.ts';
import { strong } from '../support/strong.ts';
import { stepMs, totpOf } from '../support/totp.ts';

describeEachDriver('a phone number that was imported', backend => {
  let app: App;
  let totp: ReturnType<typeof totpOf>;
  beforeAll(async () => {
    app = await startApp({ backend, settings: strong });
    totp = totpOf(app);
  });
  afterAll(() => app?.close());

  const users = () => app.gatehouse.repositories.users;
  /** An imported account with an unconfirmed number, or with a number as the former version stores a confirmed one. */
  async function arrived({ isMfaEnabled = false } = {}): Promise<Member & { phone: string }> {
    const member = await signUp(app);
    const phone = newPhone();
    await users().change(member.id, { set: { phoneNumber: phone, isMfaEnabled } });
    return { ...member, phone };
  }
  /** Somebody who has added an app to such an account, in a session of both proofs. */
  async function withApp() {
    const member = await arrived();
    const added = await totp.setUp(member);
    app.clock.advance(stepMs);
    return { ...member, ...added };
  }
  /** Sets this phone up, with the code that was sent to it. */
  async function confirm(by: { token: string; password: string }, phone: string) {
    const start = { phone_number: phone, current_password: by.password };
    const { body } = await totp.post('/phone/start', start, by);
    const input = { pending_token: body.pending_token, code: codeIn(await app.nextText(phone)) };
    return totp.post('/phone/confirm', input, by);
  }
  const heardOf = (id: string) => {
    const heard: string[] = [];
    for (const name of ['mfa_enabled', 'mfa_disabled'] as const)
      app.gatehouse.on(name, ({ user }) => user.id === id && heard.push(name));
    return heard;
  };

  // Shows 63b/3.1.3.3#number-is-binding.
  test('makes no second step due', async () => {
    await logIn(app, await arrived());
  });

  describe.each(doorsOn(backend))('through $name', door => {
    // Shows asvs/6.3.4, 63b/3.1.3.3#number-is-binding.
    test('gets no code once an app is there, and is asked to be confirmed', async () => {
      const call = door.at(app);
      const member = await withApp();
      const { mfa_pending_token, ...challenge } = await totp.challenge(member);
      expect(challenge).toMatchObject({ delivery: 'none', methods: ['totp', 'recovery_code'] });
      expect(await call('sendMfaCode', { mfa_pending_token })).toMatchObject({
        ...{ code: 'not_found', status: 404 },
      });
      expect(app.texts.filter(({ to }) => to === member.phone)).toEqual([]);
      expect(await resultOf(call('authenticators', undefined, member))).toMatchObject({
        phone_needs_confirmation: true,
      });
      const admin = await signUpSuperuser(app);
      const asked = call('userAuthenticators', { id: member.id }, admin);
      expect(await resultOf(asked)).toMatchObject({ phone_needs_confirmation: true });

      // Confirmed, it is a method like any other, and stays one when the app goes.
      expect((await confirm(member, member.phone)).status).toBe(200);
      expect(await totp.challenge(member)).toMatchObject({ methods: ['totp', 'sms', 'recovery_code'] });
      expect(await resultOf(call('authenticators', undefined, member))).not.toHaveProperty(
        'phone_needs_confirmation',
      );
      expect((await totp.remove(member.authenticatorId, member.token)).status).toBe(200);
      expect(await totp.challenge(member)).toMatchObject({ methods: ['sms'] });
    });

    test('is no second step when the app goes, which was the only one', async () => {
      const call = door.at(app);
      const member = await withApp();
      const heard = heardOf(member.id);
      const { token } = member;
      await resultOf(call('removeAuthenticator', { id: member.authenticatorId }, { token }));
      expect(await totp.user(member)).toMatchObject({ phoneNumber: member.phone, isMfaEnabled: false });
      expect(heard).toEqual(['mfa_disabled']);
      const { email, password } = member;
      expect(await resultOf(call('login', { email, password }))).toHaveProperty('access_token');
      expect(app.texts.filter(({ to }) => to === member.phone)).toEqual([]);
    });

    test('is removed without the end of a second step that it never was', async () => {
      const call = door.at(app);
      const [bare, member] = [await arrived(), await withApp()];
      for (const each of [bare, member]) {
        const heard = heardOf(each.id);
        await resultOf(call('disablePhone', { current_password: each.password }, each));
        expect(heard).toEqual([]);
      }
      expect(await totp.user(member)).toMatchObject({ phoneNumber: null, isMfaEnabled: true });
      expect(await totp.challenge(member)).toMatchObject({ methods: ['totp', 'recovery_code'] });
    });
  });

  test('does not become a second step by a set-up that came to nothing', async () => {
    const { repositories } = app.gatehouse;
    const member = await arrived();
    const { id, secret } = await totp.start(member);
    for (let i = 0; i < 10; i++) await totp.storePasskey(member);
    const full = await totp.post('/totp/confirm', { id, code: totp.code(secret) }, member);
    expect(full.body.code).toBe('authenticator_limit');
    expect(await totp.user(member)).toMatchObject({ phoneNumber: member.phone, isMfaEnabled: false });

    // The session is logged out while another number is being confirmed in it.
    const other = await arrived();
    const { findSession } = repositories.users;
    let checks = 0;
    repositories.users.findSession = async (...args) => {
      const row = await findSession(...args);
      return row && { ...row, isBlacklisted: ++checks > 2 };
    };
    const confirmed = await confirm(other, newPhone());
    repositories.users.findSession = findSession;
    expect(confirmed.body.code).toBe('unauthenticated');
    expect(await totp.user(other)).toMatchObject({
      ...{ phoneNumber: other.phone, phoneConfirmedAt: null, isMfaEnabled: false },
    });
  });

  describe('or was confirmed with a former version, which did not store when,', () => {
    const formerly = () => arrived({ isMfaEnabled: true });

    test('is the second step while there is no app, also after a set-up that came to nothing', async () => {
      const member = await formerly();
      const { mfa_pending_token, ...challenge } = await totp.challenge(member);
      expect(challenge).toMatchObject({ delivery: 'sms', methods: ['sms'] });
      const { body } = await totp.second(mfa_pending_token, codeIn(await app.nextText(member.phone)));
      const by = { token: body.access_token };
      expect(await totp.authenticators(by.token)).not.toHaveProperty('phone_needs_confirmation');
      const { id, secret } = await totp.start(by);
      for (let i = 0; i < 10; i++) await totp.storePasskey(member);
      const full = await totp.post('/totp/confirm', { id, code: totp.code(secret) }, by);
      expect(full.body.code).toBe('authenticator_limit');
      expect(await totp.challenge(member)).toMatchObject({ methods: ['passkey', 'sms'] });
    });

    test('stays it when a passkey goes', async () => {
      const member = await formerly();
      const { mfa_pending_token } = await totp.challenge(member);
      const { body } = await totp.second(mfa_pending_token, codeIn(await app.nextText(member.phone)));
      const passkey = await totp.storePasskey(member);
      expect((await totp.remove(passkey, body.access_token)).status).toBe(200);
      expect(await totp.challenge(member)).toMatchObject({ methods: ['sms'] });
    });

    test('is removed with its second step', async () => {
      const member = await formerly();
      const heard = heardOf(member.id);
      const input = { current_password: member.password };
      const reply = await app.rest('DELETE', '/phone', input, { token: member.token });
      expect(reply.status).toBe(200);
      expect(await totp.user(member)).toMatchObject({ phoneNumber: null, isMfaEnabled: false });
      expect(heard).toEqual(['mfa_disabled']);
    });
  });

  describe('its confirmation', () => {
    /** Somebody with a phone that was confirmed, beside an app. */
    async function confirmed() {
      const member = await withApp();
      expect((await confirm(member, member.phone)).status).toBe(200);
      expect(await totp.user(member)).toMatchObject({ phoneConfirmedAt: app.clock.now() });
      return member;
    }
    const without = { phoneNumber: null, phoneConfirmedAt: null };

    test('is that of the number which has replaced another', async () => {
      const member = await confirmed();
      app.clock.advance(stepMs);
      const phone = newPhone();
      expect((await confirm(member, phone)).status).toBe(200);
      expect(await totp.user(member)).toMatchObject({
        ...{ phoneNumber: phone, phoneConfirmedAt: app.clock.now() },
      });
    });

    test('goes with the phone, by its owner, by administration and by a take-over', async () => {
      const admin = await signUpSuperuser(app);
      const { operator } = app.gatehouse as Assembled;
      const ways: ((member: Awaited<ReturnType<typeof confirmed>>) => Promise<unknown>)[] = [
        ({ token, password }) => app.rest('DELETE', '/phone', { current_password: password }, { token }),
        ({ id }) => app.rest('DELETE', `/admin/users/${id}/phone`, undefined, admin),
        ({ id }) => app.rest('DELETE', `/admin/users/${id}/authenticators`, undefined, admin),
        ({ email }) => operator.takeOver({ email }),
      ];
      for (const remove of ways) {
        const member = await confirmed();
        await remove(member);
        expect(await totp.user(member)).toMatchObject(without);
      }
    });
  });
});

describeEachDriver('where an account must have a factor, a phone number that was imported', backend => {
  let app: App;
  let totp: ReturnType<typeof totpOf>;
  beforeAll(async () => {
    app = await startApp({ backend, settings: { ...strong, mfaRequired: 'everyone' } });
    totp = totpOf(app);
  });
  afterAll(() => app?.close());

  test('is none: the app beside it is the last, and the number is not', async () => {
    const member = await signUp(app);
    const phoneNumber = newPhone();
    await app.gatehouse.repositories.users.change(member.id, { set: { phoneNumber } });
    const restricted = await app.rest('PATCH', '/me', { full_name: 'Ada' }, member);
    expect(restricted).toMatchObject({ status: 403, body: { code: 'mfa_enrolment_required' } });
    const { authenticatorId, token } = await totp.setUp(member);
    expect((await totp.remove(authenticatorId, token)).body.code).toBe('last_factor');
    expect(await totp.user(member)).toMatchObject({ phoneNumber, isMfaEnabled: true });
    const input = { current_password: member.password };
    expect((await app.rest('DELETE', '/phone', input, { token })).status).toBe(200);
    expect(await totp.user(member)).toMatchObject({ phoneNumber: null, isMfaEnabled: true });
  });
});
