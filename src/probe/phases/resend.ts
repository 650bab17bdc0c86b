import { expectAnswer } from '../expect.ts';
import { emailOf, newAddress } from '../visitor.ts';
import { expectSame, type Phase } from '../walk.ts';

/** Asks for another verification mail, as anybody may for any address. */
export const resend: Phase = {
  name: 'resend',
  absence: () => null,
  async run({ client, visitor }) {
    const ask = (email: string) => client.call('POST', '/resend-verification', { body: { email } });
    const known = await ask(emailOf(visitor));
    expectAnswer(known, 202);
    expectSame(known, await ask(newAddress()));
    return 'the same answer for an account and for nobody';
  },
};
