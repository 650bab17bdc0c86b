import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type App, type Member, signUp, startApp, tokenOf } from '../support/app.ts';
import { describeStory } from '../support/backends.ts';
import { doorsOn, resultOf } from '../support/doors.ts';
import { newAddress } from '../support/people.ts';

// An intruder's account asks for the address of a stranger, who presses the button of the mail. The account would be the
// stranger's from then on by name, and the intruder's passkey would still sign in to it.

describeStory('email_change_needs_account', backend => {
  let app: App;
  beforeAll(async () => {
    app = await startApp({ backend, settings: { emailChangeNeedsAccount: true } });
  });
  afterAll(() => app?.close());

  async function requested({ token, password }: Member): Promise<{ address: string; link: string }> {
    const address = newAddress();
    const body = { current_password: password, new_email: address };
    expect(await app.rest('POST', '/change-email', body, { token })).toMatchObject({ status: 202 });
    return { address, link: tokenOf(await app.nextMail(address)) };
  }

  const ways = doorsOn(backend);
  describe.each(ways)('through $name', door => {
    const confirm = (input: object, options: { token?: string } = {}) =>
      door.at(app)('confirmEmailChange', input, options);

    test('moves no account for somebody who has the link alone, signed out or signed in elsewhere', async () => {
      const [intruder, victim] = [await signUp(app), await signUp(app)];
      const { link: token, address } = await requested(intruder);
      for (const options of [{}, { token: victim.token }, { token: 'no.valid.token' }])
        expect(await confirm({ token }, options)).toMatchObject({ code: 'password_required', status: 400 });
      expect(await confirm({ token, password: `${victim.password}!` })).toMatchObject({
        code: 'wrong_password',
        status: 400,
      });
      const login = await app.rest('POST', '/login', { email: address, password: intruder.password });
      expect(login.body.code).toBe('invalid_credentials');
      expect((await app.rest('GET', '/me', undefined, { token: intruder.token })).body.email).toBe(
        intruder.email,
      );
    });

    test('moves it with the session of the account, or with its password; the link stays good until then', async () => {
      for (const proof of ['session', 'password'] as const) {
        const member = await signUp(app);
        const { link, address } = await requested(member);
        expect(await confirm({ token: link })).toMatchObject({ code: 'password_required' });
        const input = { token: link, ...(proof === 'password' && { password: member.password }) };
        const user = await resultOf(confirm(input, proof === 'session' ? { token: member.token } : {}));
        expect(user).toMatchObject({ id: member.id, email: address });
        expect(await confirm(input)).toMatchObject({ code: 'invalid_token' });
      }
    });

    test('counts wrong passwords as wrong current ones', async () => {
      const member = await signUp(app);
      const { link: token } = await requested(member);
      const guesses = await Promise.all(
        Array.from({ length: 12 }, () => confirm({ token, password: 'a wrong password' })),
      );
      const codes = guesses.map(guess => ('code' in guess ? guess.code : 'ok'));
      expect(new Set(codes)).toEqual(new Set(['wrong_password', 'account_locked']));
      expect(codes.filter(code => code === 'wrong_password').length).toBeLessThanOrEqual(5);
      expect(await confirm({ token, password: member.password })).toMatchObject({ code: 'account_locked' });
    });
  });
});

test('while it is off, the link alone is enough, and a password in the input is unknown', async () => {
  const app = await startApp();
  const member = await signUp(app);
  const address = newAddress();
  const body = { current_password: member.password, new_email: address };
  await app.rest('POST', '/change-email', body, { token: member.token });
  const mail = await app.nextMail(address);
  expect(mail.text.replace(/\s+/g, ' ')).toContain(
    'If you have no account at Gatehouse, do not open this link.',
  );
  const token = tokenOf(mail);
  const { status } = await app.rest('POST', '/confirm-email-change', { token, password: member.password });
  expect(status).toBe(422);
  expect((await app.rest('POST', '/confirm-email-change', { token })).body.email).toBe(address);
  await app.close();
});
