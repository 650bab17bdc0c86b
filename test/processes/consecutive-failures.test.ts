import { afterAll, beforeAll, expect, test } from 'vitest';
import { password } from '../support/app.ts';
import { describeEachBackend } from '../support/backends.ts';
import { type Pair, startPair } from '../support/pair.ts';
import { newAddress } from '../support/people.ts';
import { repetitions } from '../support/repetitions.ts';

const most = 10;
const wrong = 'wrong horse battery';

// Whatever one process would refuse, an attacker asks of two at the same moment. The lockout, which would refuse most of
// it first, is off.
describeEachBackend(
  'consecutive failures of many guesses at once at two processes',
  backend => {
    let pair: Pair;
    beforeAll(async () => {
      pair = await startPair(backend, {
        SVC_MAX_CONSECUTIVE_FAILURES: String(most),
        SVC_RATE_LIMIT_DISABLED: 'true',
      });
    });
    afterAll(() => pair?.close());

    const failuresOf = async (id: string) =>
      (await pair.repositories.password_failures.find(id))?.failures ?? 0;

    // Shows 63b/3.1.1.2#rate-limit.
    test('are all counted, block the password, and tell the owner once', async () => {
      const { id, email } = await pair.addUser(newAddress());
      const guesses = 30;
      const replies = await pair.atOnce(guesses, (_, at) =>
        pair.rest('POST', '/login', { email, password: wrong }, at),
      );
      expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([401]));
      expect(await failuresOf(id)).toBe(guesses);
      for (const at of [0, 1] as const) {
        expect((await pair.rest('POST', '/login', { email, password }, { at })).status).toBe(401);
      }
      await pair.written(new RegExp(`^mail to ${email}: (.*no longer works.*)$`, 'gm'));
      // A later message in their order has been written, so no second one is on its way.
      await pair.rest('POST', '/forgot-password', { email });
      await pair.written(new RegExp(`^mail to ${email}: (.*new password.*)$`, 'gim'));
      expect(pair.output().match(new RegExp(`^mail to ${email}: .*no longer works`, 'gm'))).toHaveLength(1);
    });

    test('accept a right password among wrong ones only before the last that is allowed', async () => {
      // Of the answers before the right one at most so many were wrong: else it would have been refused.
      for (let round = 0; round < repetitions(5); round++) {
        const { id, email } = await pair.addUser(newAddress());
        for (let i = 0; i < most - 1; i++) await pair.rest('POST', '/login', { email, password: wrong });
        const replies = await pair.atOnce(12, (i, at) =>
          pair.rest('POST', '/login', { email, password: i === 6 ? password : wrong }, at),
        );
        const isIn = replies[6]!.status === 200;
        // Accepted: the row began at none then, and has what came after. Refused: one of the others was the last.
        expect(await failuresOf(id)).toBeLessThan(isIn ? 12 : most + 12);
        if (!isIn) expect(await failuresOf(id)).toBe(most + 11);
        const after = await pair.rest('POST', '/login', { email, password });
        expect(after.status).toBe((await failuresOf(id)) >= most ? 401 : 200);
      }
    });

    test('do not refuse a burst of right passwords below the limit', async () => {
      const { email, id } = await pair.addUser(newAddress());
      for (let i = 0; i < most - 1; i++) await pair.rest('POST', '/login', { email, password: wrong });
      const replies = await pair.atOnce(20, (_, at) => pair.rest('POST', '/login', { email, password }, at));
      expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
      expect(await failuresOf(id)).toBe(0);
    });
  },
  { only: ['sqlite', 'postgresql', 'mongodb'] },
);
