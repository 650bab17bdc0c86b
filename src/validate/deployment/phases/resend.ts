import { expectAnswer } from '../expect.ts';
import { emailOf, newAddress } from '../visitor.ts';
import { expectSame, type Phase } from '../walk.ts';

/** Requests another verification email, as any client may for any address. */
export const resend: Phase = {
  name: 'resend',
  absence: () => null,
  async run({ client, visitor }) {
    const ask = (email: string) => client.call('POST', '/resend-verification', { body: { email } });
    const known = await ask(emailOf(visitor));
    expectAnswer(known, 202);
    expectSame(known, await ask(newAddress()));
    return 'the same response whether or not the address has an account';
  },
};
