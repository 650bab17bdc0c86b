import { CheckFailure } from '../../check.ts';
import { codeOf, expectAnswer, expectThat } from '../expect.ts';
import { emailOf, newPassword } from '../visitor.ts';
import type { Phase } from '../walk.ts';

/** Far above the default of five: a deployment may have chosen a higher limit. */
const guessesAtMost = 30;

/**
 * Sends wrong passwords for the visitor's own account (brute force): its deletion removes the failed attempts that are
 * stored. It keeps its session, which is used to delete it.
 */
export const lockout: Phase = {
  name: 'lockout',
  absence: () => null,
  async run({ client, visitor }) {
    const email = emailOf(visitor);
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
    throw new CheckFailure(
      `${guessesAtMost} wrong passwords in a row are checked: nothing limits brute force`,
    );
  },
};
