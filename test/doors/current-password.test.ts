import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type App, logIn, type Member, newPassword, signUp, startApp } from '../support/app.ts';
import { describeStory } from '../support/backends.ts';
import { doorsOn, type OperationName, resultOf } from '../support/doors.ts';
import { codeIn, isAlive, newAddress, newPhone } from '../support/people.ts';
import { setUpPasskey, setUpPhone, setUpTotp, strong } from '../support/strong.ts';

const weak = { ok: false, code: 'recent_sign_in_required', status: 401 };

/** Every operation that asks for the current password. */
const acts = {
  changePassword: () => ({ new_password: newPassword }),
  changeEmail: () => ({ new_email: newAddress() }),
  startPhoneSetup: () => ({ phone_number: newPhone() }),
  disablePhone: () => ({}),
  deleteAccount: () => ({}),
} satisfies Partial<Record<OperationName, () => object>>;
const names = Object.keys(acts) as (keyof typeof acts)[];

// Somebody has the password, by phishing perhaps, and a session from before the second factor was there.
describeStory('the current password', backend => {
  let app: App;
  beforeAll(async () => {
    app = await startApp({ backend, settings: strong });
  });
  afterAll(() => app?.close());

  const inputOf = (name: keyof typeof acts, current_password: string) => ({
    ...acts[name](),
    current_password,
  });

  describe.each(doorsOn(backend))('through $name', door => {
    test.each(names)('is not enough for %s in a session from before the app', async name => {
      const call = door.at(app);
      const member = await signUp(app);
      const { token } = await setUpTotp(app, member);
      const { id, password } = member;
      const before = await app.gatehouse.repositories.users.find(id);
      const texts = app.texts.length;
      // Whatever its age.
      for (const later of [0, 1_000_000]) {
        app.clock.advance(later);
        expect(await call(name, inputOf(name, password), member)).toMatchObject(weak);
      }
      // A wrong one is refused as ever, and counts.
      const wrong = inputOf(name, 'not the password');
      for (let i = 0; i < 5; i++) {
        expect(await call(name, wrong, member)).toMatchObject({ code: 'wrong_password', status: 400 });
      }
      const locked = { code: 'account_locked', status: 429 };
      expect(await call(name, inputOf(name, password), member)).toMatchObject(locked);
      expect(await app.gatehouse.repositories.users.find(id)).toEqual(before);
      expect(app.texts).toHaveLength(texts);
      expect(await isAlive(app, token)).toBe(true);

      app.clock.advance(1_000_000);
      expect(await call(name, inputOf(name, password), { token })).toMatchObject({ ok: true });
    });

    test('given before the app was there is not enough to finish the set-up of a phone after it', async () => {
      const call = door.at(app);
      const member = await signUp(app);
      const phone = newPhone();
      const start = { phone_number: phone, current_password: member.password };
      const { pending_token } = await resultOf(call('startPhoneSetup', start, member));
      const confirmation = { pending_token, code: codeIn(await app.nextText(phone)) };
      const { token } = await setUpTotp(app, member);
      expect(await call('confirmPhoneSetup', confirmation, member)).toMatchObject(weak);
      expect(await resultOf(call('confirmPhoneSetup', confirmation, { token }))).toMatchObject({
        phone_number: phone,
      });
    });

    test('is enough after a phone alone, which its session can remove again', async () => {
      const call = door.at(app);
      const member = await signUp(app);
      await setUpPhone(app, member);
      const input = { current_password: member.password };
      expect(await call('disablePhone', input, member)).toMatchObject({ ok: true });
    });

    test('is enough beside a passkey that is no second step of the password', async () => {
      const call = door.at(app);
      const member = await signUp(app);
      await setUpPasskey(app, member);
      const input = { current_password: member.password, new_email: newAddress() };
      expect(await call('changeEmail', input, member)).toMatchObject({ ok: true });
    });

    test('signs in again in any session, up to the second step', async () => {
      const call = door.at(app);
      const member = await signUp(app);
      await setUpTotp(app, member);
      const { password } = member;
      expect(await resultOf(call('reauthenticate', { password }, member))).toMatchObject({
        status: 'mfa_required',
      });
    });
  });
});

describeStory('the current password of an account that must have a factor', backend => {
  let app: App;
  beforeAll(async () => {
    app = await startApp({ backend, settings: { ...strong, mfaRequired: 'everyone' } });
  });
  afterAll(() => app?.close());

  describe.each(doorsOn(backend))('through $name', door => {
    test('is not enough in a session from before the passkey', async () => {
      const call = door.at(app);
      const member: Member = await signUp(app);
      const other = await logIn(app, member);
      const { token } = await setUpPasskey(app, member);
      // The operations that are open to somebody who has to set a factor up.
      for (const [name, by] of [
        ['changePassword', member.token],
        ['startPhoneSetup', other],
      ] as const) {
        const input = { ...acts[name](), current_password: member.password };
        expect(await call(name, input, { token: by })).toMatchObject(weak);
      }
      const input = { ...acts.changePassword(), current_password: member.password };
      expect(await call('changePassword', input, { token })).toMatchObject({ ok: true });
    });
  });
});
