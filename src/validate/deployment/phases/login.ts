import { expectAnswer, expectThat } from '../expect.ts';
import { requiredFields } from '../own-fields.ts';
import { emailOf, newPassword, passwordOf } from '../visitor.ts';
import { expectSame, logIn, type Phase } from '../walk.ts';

/** Signs in, and checks that a wrong password is rejected as an unknown address is. */
export const login: Phase = {
  name: 'login',
  absence: () => null,
  async run(walk) {
    const { client, visitor, refusal } = walk;
    await logIn(walk);

    const password = newPassword();
    const wrong = await client.call('POST', '/login', { body: { email: emailOf(visitor), password } });
    expectAnswer(wrong, 401, 'invalid_credentials');
    expectSame(wrong, refusal!);

    const again = await client.call('POST', '/register', {
      body: { email: emailOf(visitor), password: passwordOf(visitor), ...(await requiredFields(client)) },
    });
    // With `enumeration_safe_registration` the response is that of a new address.
    const isSafe = again.status === 201 && again.body?.status === 'pending_verification';
    expectThat(isSafe || again.status !== 201, 'an address that has an account can be registered again');
    if (!isSafe) expectAnswer(again, 409, 'email_taken');
    return 'a session for the right password; a wrong one and an unknown address get the same response';
  },
};
