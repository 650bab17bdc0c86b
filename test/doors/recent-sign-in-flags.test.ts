import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type App, logIn, type Member, signUp, startApp } from '../support/app.ts';
import { describeEachDriver } from '../support/backends.ts';
import { doorsOn, type OperationName, resultOf } from '../support/doors.ts';
import { isAlive, newAddress, newPhone } from '../support/people.ts';
import { nextCodeOf, passkeyProof, setUpPasskey, setUpPhone, setUpTotp, strong } from '../support/strong.ts';

// Somebody has a session and has read the password over a shoulder: by the specification that is enough to take an account
// over, however old the session is, and without the phone of its owner.

const tooOld = { ok: false, code: 'recent_sign_in_required', status: 401 };
const recentMs = 900_000;

describeEachDriver('recent_sign_in_for_account and recent_sign_in_for_sessions', backend => {
  let app: App;
  beforeAll(async () => {
    const flags = { recentSignInForAccount: true, recentSignInForSessions: true };
    app = await startApp({ backend, settings: { ...strong, ...flags } });
  });
  afterAll(() => app?.close());

  const acts = ({ password: current_password }: Pick<Member, 'password'>): [OperationName, object][] => [
    ['changeEmail', { current_password, new_email: newAddress() }],
    ['changePassword', { current_password, new_password: 'another long password' }],
    ['startPhoneSetup', { current_password, phone_number: newPhone() }],
    ['confirmPhoneSetup', { pending_token: 'x', code: '123456' }],
    ['disablePhone', { current_password }],
    ['deleteAccount', { current_password }],
  ];

  const ways = doorsOn(backend);
  describe.each(ways)('through $name', door => {
    const call: ReturnType<typeof door.at> = (...args) => door.at(app)(...args);
    const again = (member: Member) => resultOf(call('reauthenticate', { password: member.password }, member));

    // Shows asvs/7.5.1.
    test('the password alone changes nothing in a session that is old', async () => {
      const member = await signUp(app);
      app.clock.advance(recentMs + 1000);
      for (const [name, input] of acts(member)) expect(await call(name, input, member)).toMatchObject(tooOld);
      expect(await isAlive(app, member.token)).toBe(true);
      const { access_token: token } = await again(member);
      const current_password = member.password;
      expect(await call('deleteAccount', { current_password }, { token })).toMatchObject({ ok: true });
    });

    // Shows asvs/7.5.1.
    test('a session without the phone that is there changes nothing', async () => {
      const member = await signUp(app);
      const stolen = await logIn(app, member);
      await setUpPhone(app, member);
      for (const [name, input] of acts(member))
        expect(await call(name, input, { token: stolen })).toMatchObject(tooOld);
      expect(await call('startTotpSetup', undefined, { token: stolen })).toMatchObject(tooOld);
    });

    test('a session without the passkey changes nothing, while recovery codes are left', async () => {
      const member = await signUp(app);
      const stolen = await logIn(app, member);
      const { device } = await setUpPasskey(app, member);
      for (const [name, input] of acts(member))
        expect(await call(name, input, { token: stolen })).toMatchObject(tooOld);
      const { access_token: token } = await resultOf(
        call('loginWithPasskey', await passkeyProof(app, device)),
      );
      const current_password = member.password;
      expect(await call('disablePhone', { current_password }, { token })).toMatchObject({ ok: true });
    });

    test('somebody who has lost the passkey signs in again with a recovery code, and needs none when none are left', async () => {
      const member = await signUp(app);
      const { body: begun } = await app.rest('POST', '/passkeys/start', {}, member);
      expect(begun).toHaveProperty('id');
      const { id, token } = await setUpPasskey(app, member);
      const codes = (await resultOf(call('replaceRecoveryCodes', undefined, { token }))).recovery_codes;
      const weak = await logIn(app, member);
      expect(await call('removeAuthenticator', { id }, { token: weak })).toMatchObject(tooOld);
      const challenge = await again({ ...member, token: weak });
      expect(challenge).toMatchObject({ status: 'mfa_required', methods: ['passkey', 'recovery_code'] });
      const step = { mfa_pending_token: challenge.mfa_pending_token, code: codes[0] };
      const { access_token } = await resultOf(call('confirmLoginMfa', step));
      expect(await call('removeAuthenticator', { id }, { token: access_token })).toMatchObject({ ok: true });
    });

    test('a passkey whose recovery codes are used up makes nothing due', async () => {
      const member = await signUp(app);
      await setUpPasskey(app, member);
      const { recovery_codes } = app.gatehouse.repositories;
      await recovery_codes.removeRead((await recovery_codes.find(member.id))!);
      const weak = await logIn(app, member);
      const current_password = member.password;
      expect(await call('disablePhone', { current_password }, { token: weak })).toMatchObject({ ok: true });
      expect(await again({ ...member, token: weak })).toHaveProperty('access_token');
    });

    // Shows asvs/7.5.2.
    test('an old session ends itself and no other', async () => {
      const member = await signUp(app);
      const other = await logIn(app, member);
      app.clock.advance(recentMs + 1000);
      const { items } = await resultOf(call('sessions', undefined, member));
      const [own, another] = [true, false].map(
        isOwn => items.find(({ is_current }: { is_current: boolean }) => is_current === isOwn)!.id,
      );
      expect(await call('endSession', { id: another }, member)).toMatchObject(tooOld);
      expect(await call('endOtherSessions', undefined, member)).toMatchObject(tooOld);
      expect(await call('logout', { everywhere: true }, member)).toMatchObject(tooOld);
      for (const token of [member.token, other]) expect(await isAlive(app, token)).toBe(true);
      expect(await call('endSession', { id: own }, member)).toMatchObject({ ok: true });
      expect(await call('logout', {}, { token: other })).toMatchObject({ ok: true });
    });

    test('a session without the second step ends no other', async () => {
      const member = await signUp(app);
      const stolen = await logIn(app, member);
      const { secret, token } = await setUpTotp(app, member);
      expect(await call('endOtherSessions', undefined, { token: stolen })).toMatchObject(tooOld);
      expect(await isAlive(app, token)).toBe(true);
      const pending = await again({ ...member, token: stolen });
      const { mfa_pending_token } = pending;
      const step = { mfa_pending_token, method: 'totp', code: nextCodeOf(app, secret) };
      const { access_token } = await resultOf(call('confirmLoginMfa', step));
      expect(decodeJwt(access_token).amr).toContain('mfa');
      expect(await call('endOtherSessions', undefined, { token: access_token })).toMatchObject({ ok: true });
    });
  });
});

test('while both are off, the age of a session does not matter for them', async () => {
  const app = await startApp({ settings: strong });
  const member = await signUp(app);
  app.clock.advance(recentMs + 1000);
  expect(await app.rest('DELETE', '/sessions', undefined, member)).toMatchObject({ status: 200 });
  const change = { current_password: member.password, new_email: newAddress() };
  expect(await app.rest('POST', '/change-email', change, member)).toMatchObject({ status: 202 });
  expect(await app.rest('POST', '/logout', { everywhere: true }, member)).toMatchObject({ status: 200 });
  await app.close();
});
