import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type App, logIn, type Member, newPassword, signUp, startApp } from '../support/app.ts';
import { describeStory } from '../support/backends.ts';
import { doorsOn, type OperationName, operations, resultOf } from '../support/doors.ts';
import { type External, startExternal } from '../support/external.ts';
import { claimsIn } from '../support/passkeys.ts';
import { codeIn, isAlive, newPhone, newSubject, signUpSuperuser } from '../support/people.ts';
import { setUpPasskey, setUpPhone, setUpTotp, strong } from '../support/strong.ts';
import { stepMs, totpOf } from '../support/totp.ts';

const settings = {
  ...strong,
  mailStore: 'database' as const,
  auditStore: 'database' as const,
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
  changePassword: () => ({ current_password: 'a wrong password', new_password: newPassword }),
};

/** Everything else that asks for a session; the input need not be one, because a session is refused before. */
const shut: OperationName[] = [
  ...(['updateProfile', 'changeEmail', 'deleteAccount', 'disablePhone', 'renameAuthenticator'] as const),
  ...(['removeAuthenticator', 'replaceRecoveryCodes', 'sessions', 'endSession', 'endOtherSessions'] as const),
  ...([
    'adminStats',
    'adminOverview',
    'user',
    'adminUpdateUser',
    'adminDeleteUser',
    'adminResendVerification',
  ] as const),
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

const inputOf = (name: OperationName): object | undefined => {
  const needsInput = 'input' in operations[name] || operations[name].rest.includes(':');
  return needsInput ? (inputs[name] ?? { id: 'x' }) : undefined;
};
const restricted = { ok: false, code: 'mfa_enrolment_required', status: 403 };
const weak = { ok: false, code: 'recent_sign_in_required', status: 401 };

describeStory('a factor that every account must have', backend => {
  let app: App;
  let totp: ReturnType<typeof totpOf>;
  beforeAll(async () => {
    app = await startApp({ backend, settings: { ...settings, mfaRequired: 'everyone' } });
    totp = totpOf(app);
  });
  afterAll(() => app?.close());

  describe.each(doorsOn(backend))('through $name', door => {
    // Shows asvs/6.3.3, 63b/2.2.1#two-factors, 63b/3.1.1.2#length.
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
        expect(await call(name, inputOf(name), { token }), name).toMatchObject(restricted);
      }
      expect(await app.gatehouse.authenticate(token)).toBeNull();

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
      expect(await call('updateProfile', { full_name: 'x' }, { token })).toMatchObject(restricted);
      const again = await totp.setUp({ token: await logIn(app, member) });
      expect(await call('updateProfile', { full_name: 'x' }, { token: again.token })).toMatchObject({
        ok: true,
      });
    });
  });

  // Shows 63b/4.1.2.1#bind-at-highest.
  test('may be a passkey, which is then the second step of the password, and stays when it is the last', async () => {
    const member = await signUp(app);
    const passkey = await setUpPasskey(app, member);
    expect(await totp.challenge(member)).toMatchObject({
      ...{ delivery: 'none', methods: ['passkey', 'recovery_code'] },
    });
    expect((await totp.remove(passkey.id, passkey.token)).body.code).toBe('last_factor');
    await totp.setUp(passkey);
    expect(await totp.challenge(member)).toMatchObject({ methods: ['passkey', 'totp', 'recovery_code'] });
  });
});

describeStory('a session that lacks the factor which its account must have, and has', backend => {
  let app: App;
  beforeAll(async () => {
    app = await startApp({ backend, settings: { ...settings, mfaRequired: 'everyone' } });
  });
  afterAll(() => app?.close());

  const confirmedByText = async (owner: Member): Promise<string> => {
    const phone = await setUpPhone(app, owner);
    const { email, password } = owner;
    const { body } = await app.rest('POST', '/login', { email, password });
    const { mfa_pending_token } = body;
    const second = { mfa_pending_token, code: codeIn(await app.nextText(phone)) };
    return (await app.rest('POST', '/login/mfa-confirm', second)).body.access_token;
  };
  /** How an owner gets a session of two factors. */
  const ways: [string, (owner: Member) => Promise<string>][] = [
    ['an app', async owner => (await setUpTotp(app, owner)).token],
    ['a passkey', async owner => (await setUpPasskey(app, owner)).token],
    ['a phone', confirmedByText],
  ];

  describe.each(doorsOn(backend))('through $name', door => {
    // A thief with the password waits in a session, restricted until its owner sets a factor up elsewhere.
    // Shows asvs/10.3.4, 63b/2.2.1#two-factors, 63b/3.1.2.1#delivery, 63b/4.1.2.1#bind-at-highest.
    // Shows 63b/5.1#aal-not-above.
    test.each(ways)('can do no more than before it was set up: %s', async (_, setUp) => {
      const call = door.at(app);
      const owner = await signUpSuperuser(app);
      const token = await logIn(app, owner);
      expect(await call('adminStats', undefined, { token })).toMatchObject(restricted);
      const full = await setUp(owner);
      for (const name of shut) {
        expect(await call(name, inputOf(name), { token }), name).toMatchObject(weak);
      }
      expect(await app.gatehouse.authenticate(token)).toBeNull();
      // Nor does it get a factor of its own, with which it could sign in.
      for (const name of ['startTotpSetup', 'startPasskeySetup', 'confirmTotpSetup'] as const) {
        const answer = await call(name, open[name]!(owner.password), { token });
        expect(answer, name).toMatchObject(weak);
      }
      const input = { phone_number: newPhone(), current_password: owner.password };
      if (setUp !== confirmedByText) {
        expect(await call('startPhoneSetup', input, { token })).toMatchObject(weak);
      }
      expect(await call('me', undefined, { token })).toMatchObject({ ok: true });

      expect(await call('adminStats', undefined, { token: full })).toMatchObject({ ok: true });
      expect(await call('updateProfile', { full_name: 'Ada' }, { token: full })).toMatchObject({ ok: true });
      expect(await app.gatehouse.authenticate(full)).toMatchObject({ user: { id: owner.id } });
    });

    // Shows asvs/6.3.3.
    test('is as good as any after it has signed in again', async () => {
      const call = door.at(app);
      const owner = await signUp(app);
      const token = await logIn(app, owner);
      const { recoveryCodes } = await setUpTotp(app, owner);
      const { mfa_pending_token } = await resultOf(
        call('reauthenticate', { password: owner.password }, { token }),
      );
      const second = { mfa_pending_token, method: 'recovery_code', code: recoveryCodes[0] };
      const { access_token } = await resultOf(call('confirmLoginMfa', second));
      expect(await call('updateProfile', { full_name: 'Ada' }, { token: access_token })).toMatchObject({
        ok: true,
      });
      expect(await isAlive(app, token)).toBe(false);
    });

    test.each(['totp', 'passkeys'])(
      'that confirms a factor gets one of both proofs beside it, of the same sign-in: %s',
      async kind => {
        const call = door.at(app);
        const owner = await signUp(app);
        app.clock.advance(60_000);
        const { token } = await (kind === 'totp' ? setUpTotp(app, owner) : setUpPasskey(app, owner));
        expect(claimsIn(token)).toMatchObject({
          amr: ['pwd', kind === 'totp' ? 'otp' : 'swk', 'mfa'],
          auth_time: claimsIn(owner.token).auth_time,
        });
        expect(await call('updateProfile', { full_name: 'Ada' }, { token })).toMatchObject({ ok: true });
        // The calling session stays as it was, until its client ends it.
        expect(await call('updateProfile', { full_name: 'Ada' }, owner)).toMatchObject(weak);
        expect(await call('me', undefined, owner)).toMatchObject({ ok: true });
        const { items } = (await resultOf(call('sessions', undefined, { token }))) as {
          items: { method: string; is_current: boolean }[];
        };
        // Both began in one moment.
        const ways = items.map(({ method, is_current }) => [method, is_current]);
        expect(ways.toSorted()).toEqual([
          ['mfa', true],
          ['password', false],
        ]);

        // A second factor asks for nothing again, and a session that is complete is not replaced.
        const second = await setUpTotp(app, { token });
        expect(second.token).toBe(token);
      },
    );
  });
});

describeStory(
  'a session of an external sign-in, of an account that must have a factor and has one,',
  backend => {
    let external: External;
    beforeAll(async () => {
      external = await startExternal({
        backend,
        settings: { ...settings, mfaRequired: 'everyone', oauth: { enforceMfa: false } },
      });
    });
    afterAll(() => external?.close());

    test.each(['an app', 'a passkey'])('needs no more while `oauth.enforce_mfa` is off: %s', async kind => {
      const { app } = external;
      const subject = newSubject();
      const token = (await external.sessionOf(subject))!;
      const update = (by: string) => app.rest('PATCH', '/me', { full_name: 'Ada' }, { token: by });
      expect(await update(token)).toMatchObject({ status: 403, body: { code: 'mfa_enrolment_required' } });
      await (kind === 'an app' ? setUpTotp(app, { token }) : setUpPasskey(app, { token }));
      for (const by of [token, (await external.sessionOf(subject))!]) {
        expect((await update(by)).status).toBe(200);
        expect(await app.gatehouse.authenticate(by)).not.toBeNull();
      }
    });

    test('sets a phone up beside a passkey while `oauth.enforce_mfa` is off', async () => {
      const { app } = external;
      const subject = newSubject();
      await setUpPasskey(app, { token: (await external.sessionOf(subject))! });
      const token = (await external.sessionOf(subject))!;
      expect(await setUpPhone(app, { token, password: null })).toEqual(expect.any(String));
    });
  },
);

describeStory('a factor that superusers must have', backend => {
  test('is not asked of others, and of a user from the promotion on', async () => {
    const app = await startApp({ backend, settings: { ...settings, mfaRequired: 'superusers' } });
    const totp = totpOf(app);
    const member = await signUp(app);
    const { token } = member;
    const update = () => app.rest('PATCH', '/me', { full_name: 'Ada' }, { token });
    expect((await update()).status).toBe(200);
    const passkey = await totp.storePasskey(member);
    expect(await logIn(app, member)).toEqual(expect.any(String));
    expect((await totp.remove(passkey, token)).status).toBe(200);
    await app.gatehouse.repositories.users.change(member.id, { set: { isSuperuser: true } });
    expect(await update()).toMatchObject({ status: 403, body: { code: 'mfa_enrolment_required' } });
    const { secret, token: full } = await totp.setUp({ token });
    app.clock.advance(stepMs);
    expect(await update()).toMatchObject({ status: 401, body: { code: 'recent_sign_in_required' } });
    expect((await app.rest('PATCH', '/me', { full_name: 'Ada' }, { token: full })).status).toBe(200);
    expect((await totp.second(await totp.pending(member), totp.code(secret))).status).toBe(200);
    await app.close();
  });
});
