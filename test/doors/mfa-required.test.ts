import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type App, logIn, signUp, startApp } from '../support/app.ts';
import { describeEachDriver } from '../support/backends.ts';
import { doors, type OperationName, operations, resultOf } from '../support/doors.ts';
import { stepMs, totpOf, totpSettings } from '../support/totp.ts';

const settings = {
  ...totpSettings,
  enablePasskeys: true,
  enableSms2fa: true,
  enableSessionList: true,
  mailStore: 'database' as const,
  auditStore: 'database' as const,
  enableAdminRouter: true,
};

/** What a session can do while its account must set a factor up, with an input that gets as far as an answer. */
const open: Partial<Record<OperationName, (password: string) => unknown>> = {
  me: () => undefined,
  authenticators: () => undefined,
  startTotpSetup: () => undefined,
  confirmTotpSetup: () => ({ id: 'x', code: '123456' }),
  startPasskeySetup: () => undefined,
  confirmPasskeySetup: () => ({ id: 'x', credential: {} }),
  startPhoneSetup: () => ({ phone_number: '+4915112345678', current_password: 'a wrong password' }),
  confirmPhoneSetup: () => ({ pending_token: 'x', code: '123456' }),
  reauthenticate: () => ({ password: 'a wrong password' }),
  changePassword: () => ({ current_password: 'a wrong password', new_password: 'another horse battery' }),
};

/** Everything else that asks for a session; the input need not be one, because a session is refused before. */
const shut: OperationName[] = [
  ...(['updateProfile', 'changeEmail', 'deleteAccount', 'disablePhone', 'renameAuthenticator'] as const),
  ...(['removeAuthenticator', 'replaceRecoveryCodes', 'sessions', 'endSession', 'endOtherSessions'] as const),
  ...(['adminStats', 'user', 'adminUpdateUser', 'adminDeleteUser', 'adminResendVerification'] as const),
  ...(['adminSendReset', 'adminUnlock', 'adminRevokeSessions', 'adminPromotePending'] as const),
  ...(['adminDisablePhone', 'adminRemoveAuthenticators', 'userSessions', 'adminEndSession'] as const),
  ...(['adminRetryMessage', 'adminDropMessage'] as const),
];
const inputs: Partial<Record<OperationName, object>> = {
  changeEmail: { new_email: 'a@example.org', current_password: 'x' },
  deleteAccount: { current_password: 'x' },
  disablePhone: { current_password: 'x' },
  renameAuthenticator: { id: 'x', name: 'x' },
  adminUpdateUser: { id: 'x', full_name: 'x' },
  adminPromotePending: { email: 'a@example.org' },
  adminEndSession: { id: 'x', session_id: 'x' },
  updateProfile: { full_name: 'x' },
};

describeEachDriver('a factor that every account must have', backend => {
  let app: App;
  let totp: ReturnType<typeof totpOf>;
  beforeAll(async () => {
    app = await startApp({ backend, settings: { ...settings, mfaRequired: 'everyone' } });
    totp = totpOf(app);
  });
  afterAll(() => app?.close());

  describe.each(doors)('through $name', door => {
    test('is all that a session without one can set up', async () => {
      const call = door.at(app);
      const member = await signUp(app);
      await app.gatehouse.repositories.users.change(member.id, { set: { isSuperuser: true } });
      const { token, password } = member;
      for (const [name, input] of Object.entries(open)) {
        const answer = await call(name as OperationName, input(password), { token });
        expect(answer.ok ? 'ok' : answer.code, name).not.toMatch(
          /^(mfa_enrolment_required|invalid_document)$/,
        );
      }
      for (const name of shut) {
        const needsInput = 'input' in operations[name] || operations[name].rest.includes(':');
        const input = needsInput ? (inputs[name] ?? { id: 'x' }) : undefined;
        expect(await call(name, input, { token }), name).toMatchObject({
          ...{ ok: false, code: 'mfa_enrolment_required', status: 403 },
        });
      }
      expect(await app.gatehouse.authenticate(token)).toBeNull();

      // The restriction ends with the first factor, for the session that is there too.
      await totp.setUp({ token });
      expect(await call('updateProfile', { full_name: 'Ada' }, { token })).toMatchObject({ ok: true });
      expect(await call('adminStats', undefined, { token })).toMatchObject({ ok: true });
      expect(await app.gatehouse.authenticate(token)).toMatchObject({ user: { id: member.id } });
      // A restricted session can end itself.
      const other = await signUp(app);
      expect(await call('logout', {}, { token: other.token })).toMatchObject({ ok: true });
    });

    test('is not removed by its owner when it is the last, and by administration it is', async () => {
      const call = door.at(app);
      const member = await totp.enrolled();
      const token = await totp.signIn(member);
      const last = { ok: false, code: 'last_factor', status: 409 };
      expect(await call('removeAuthenticator', { id: member.authenticatorId }, { token })).toMatchObject(
        last,
      );
      expect(await totp.codesLeft(member)).toBe(10);
      await totp.setUpPhone({ ...member, token });
      await resultOf(call('removeAuthenticator', { id: member.authenticatorId }, { token }));
      const { password: current_password } = member;
      expect(await call('disablePhone', { current_password }, { token })).toMatchObject(last);
      expect(await totp.user(member)).toMatchObject({ isMfaEnabled: true, phoneNumber: expect.any(String) });

      const superuser = await totp.enrolled();
      await app.gatehouse.repositories.users.change(superuser.id, { set: { isSuperuser: true } });
      const by = { token: await totp.signIn(superuser) };
      await resultOf(call('adminRemoveAuthenticators', { id: member.id }, by));
      expect(await call('updateProfile', { full_name: 'x' }, { token })).toMatchObject({
        ...{ code: 'mfa_enrolment_required', status: 403 },
      });
      const restricted = await logIn(app, member);
      await totp.setUp({ token: restricted });
      expect(await call('updateProfile', { full_name: 'x' }, { token: restricted })).toMatchObject({
        ok: true,
      });
    });
  });

  test('may be a passkey, which is then the second step of the password', async () => {
    const member = await signUp(app);
    const passkey = await totp.addPasskey(member);
    expect(await totp.challenge(member)).toMatchObject({ delivery: 'none', methods: ['passkey'] });
    // A lost passkey must not be a dead end: it makes no second step due for changes.
    expect((await totp.remove(passkey, member.token)).body.code).toBe('last_factor');
    await totp.setUp(member);
    expect(await totp.challenge(member)).toMatchObject({ methods: ['passkey', 'totp', 'recovery_code'] });
  });
});

describeEachDriver('a factor that superusers must have', backend => {
  test('is asked of nobody else, and of a user from the promotion on', async () => {
    const app = await startApp({ backend, settings: { ...settings, mfaRequired: 'superusers' } });
    const totp = totpOf(app);
    const member = await signUp(app);
    const { token } = member;
    const update = () => app.rest('PATCH', '/me', { full_name: 'Ada' }, { token });
    expect((await update()).status).toBe(200);
    const passkey = await totp.addPasskey(member);
    expect(await logIn(app, member)).toEqual(expect.any(String));
    expect((await totp.remove(passkey, token)).status).toBe(200);
    await app.gatehouse.repositories.users.change(member.id, { set: { isSuperuser: true } });
    expect(await update()).toMatchObject({ status: 403, body: { code: 'mfa_enrolment_required' } });
    const { secret } = await totp.setUp({ token });
    app.clock.advance(stepMs);
    expect((await update()).status).toBe(200);
    expect((await totp.second(await totp.pending(member), totp.code(secret))).status).toBe(200);
    await app.close();
  });
});
