import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeEachBackend } from '../support/backends.ts';
import { type Pair, startPair } from '../support/pair.ts';

// A flood comes through two processes at the same moment. Nothing that it asks for needs a password hash.
describeEachBackend(
  'audit records of a flood through two processes',
  backend => {
    let pair: Pair;
    beforeAll(async () => {
      pair = await startPair(backend, { SVC_AUDIT_STORE: 'database' });
    });
    afterAll(() => pair?.close());

    test('are one a minute for equal refusals, and count each that was answered', async () => {
      const requests = 200;
      const replies = await pair.atOnce(requests, (i, at) =>
        i % 10 === 0
          ? pair.rest('POST', '/change-password', {}, at)
          : pair.rest('POST', '/verify', { token: `guess ${i}` }, at),
      );
      expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([400, 401]));
      for (const [operation, expected] of [
        ['verify', requests * 0.9],
        ['changePassword', requests * 0.1],
      ] as const) {
        const records = await pair.repositories.audit.list({ operation }, { limit: requests });
        const minutes = new Set(records.map(({ at }) => Math.floor(at.getTime() / 60_000)));
        expect(records).toHaveLength(minutes.size);
        expect(records.reduce((sum, { count }) => sum + count, 0)).toBe(expected);
      }
      expect(pair.output()).not.toContain('"msg":"audit"');
    });
  },
  { only: ['sqlite', 'postgresql', 'mongodb'] },
);
