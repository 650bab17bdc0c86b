import { expectAnswer, expectThat } from '../expect.ts';
import { emailOf, newAddress, newPassword, passwordOf } from '../visitor.ts';
import { expectSame, logIn, type Phase } from '../walk.ts';

/** Signs in, and is refused with a wrong password as somebody unknown is. */
export const login: Phase = {
  name: 'login',
  absence: () => null,
  async run(walk) {
    const { client, visitor } = walk;
    await logIn(walk);

    const password = newPassword();
    const wrong = await client.call('POST', '/login', { body: { email: emailOf(visitor), password } });
    expectAnswer(wrong, 401, 'invalid_credentials');
    const unknown = await client.call('POST', '/login', { body: { email: newAddress(), password } });
    expectSame(wrong, unknown);

    const again = await client.call('POST', '/register', {
      body: { email: emailOf(visitor), password: passwordOf(visitor) },
    });
    expectThat(again.status !== 201, 'an address that has an account can be registered once more');
    expectAnswer(again, 409, 'email_taken');
    return 'a session for the right password; a wrong one and an unknown address get the same answer';
  },
};
