import { expectAnswer } from '../expect.ts';
import { emailOf, newAddress, newPassword } from '../visitor.ts';
import { expectDead, expectSame, logIn, type Phase, withoutLetters } from '../walk.ts';

/** Forgets the password, and sets another by the mailed link. */
export const reset: Phase = {
  name: 'reset',
  absence: walk => (walk.features.passwordReset ? withoutLetters(walk) : 'is off (enable_password_reset)'),
  async run(walk) {
    const { client, visitor, letters } = walk;
    const since = letters!.mark();
    const forget = (email: string) => client.call('POST', '/forgot-password', { body: { email } });
    const known = await forget(emailOf(visitor));
    expectAnswer(known, 202);
    expectSame(known, await forget(newAddress()));

    const token = await letters!.secretTo(emailOf(visitor), since);
    const fresh = newPassword();
    visitor.passwords.push(fresh);
    const set = (password: string) =>
      client.call('POST', '/reset-password', { body: { token, new_password: password } });
    expectAnswer(await set(fresh), 200);
    expectAnswer(await set(newPassword()), 400, 'invalid_token');
    await expectDead(walk, visitor.token, 'the reset of its password');
    await logIn(walk);
    return 'the mailed link worked once, ended the session, and nobody learns who has an account';
  },
};
