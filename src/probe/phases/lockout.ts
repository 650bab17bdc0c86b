import { CheckFailure } from '../../check.ts';
import { codeOf, expectAnswer, expectThat } from '../expect.ts';
import { newAddress, newPassword } from '../visitor.ts';
import type { Phase } from '../walk.ts';

/** Far above the default of five: a deployment may have chosen a higher one. */
const guessesAtMost = 30;

/** Guesses at an address that nobody has, so that nobody is locked out. */
export const lockout: Phase = {
  name: 'lockout',
  absence: () => null,
  async run({ client }) {
    const email = newAddress();
    for (let guesses = 1; guesses <= guessesAtMost; guesses++) {
      const body = { email, password: newPassword() };
      const answer = await client.call('POST', '/login', { body, takeRefusal: true });
      if (answer.status !== 429) {
        expectAnswer(answer, 401, 'invalid_credentials');
        continue;
      }
      const seconds = Number(answer.headers['retry-after']);
      expectThat(seconds > 0, 'a 429 does not say when to try again (Retry-After)');
      return `wrong password ${guesses} is refused (${codeOf(answer)}), for ${seconds} seconds`;
    }
    throw new CheckFailure(`${guessesAtMost} wrong passwords in a row are answered: nothing bounds guessing`);
  },
};
