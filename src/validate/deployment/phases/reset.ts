import { expectAnswer } from '../expect.ts';
import { signedToken } from '../letters.ts';
import { emailOf, newAddress, newPassword } from '../visitor.ts';
import { expectDead, expectSame, logIn, type Phase, withoutMails } from '../walk.ts';

/** Resets the password with the link in the email. */
export const reset: Phase = {
  name: 'reset',
  absence: walk => (walk.features.passwordReset ? withoutMails(walk) : 'is off (enable_password_reset)'),
  async run(walk) {
    const { client, visitor, mails } = walk;
    const since = mails!.mark();
    const forget = (email: string) => client.call('POST', '/forgot-password', { body: { email } });
    const known = await forget(emailOf(visitor));
    expectAnswer(known, 202);
    expectSame(known, await forget(newAddress()));

    const token = await mails!.secretTo(emailOf(visitor), since, signedToken);
    const fresh = newPassword();
    visitor.passwords.push(fresh);
    const set = (password: string) =>
      client.call('POST', '/reset-password', { body: { token, new_password: password } });
    expectAnswer(await set(fresh), 200);
    visitor.isUnverified = false;
    expectAnswer(await set(newPassword()), 400, 'invalid_token');
    await expectDead(walk, visitor.token, 'the reset of its password');
    await logIn(walk);
    return 'the emailed link worked once and ended the session, and responses do not reveal who has an account';
  },
};
