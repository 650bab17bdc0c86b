import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeEachBackend } from '../../support/backends.ts';
import { eventually } from '../../support/eventually.ts';
import { type Pair, startPair } from '../../support/pair.ts';
import { repetitions } from '../../support/repetitions.ts';

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
      const requests = repetitions(200);
      const operationOf = (i: number) => (i % 10 === 0 ? 'changePassword' : 'verify');
      const replies = await pair.atOnce(requests, (i, at) =>
        operationOf(i) === 'changePassword'
          ? pair.rest('POST', '/change-password', {}, at)
          : pair.rest('POST', '/verify', { token: `guess ${i}` }, at),
      );
      expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([400, 401]));
      const asked = Array.from({ length: requests }, (_, i) => operationOf(i));
      for (const operation of ['verify', 'changePassword']) {
        const expected = asked.filter(each => each === operation).length;
        const records = await pair.repositories.audit.list({ operation }, { limit: requests });
        const minutes = new Set(records.map(({ at }) => Math.floor(at.getTime() / 60_000)));
        expect(records).toHaveLength(minutes.size);
        const stored = records.reduce((sum, { count }) => sum + count, 0);
        expect(stored).toBeLessThanOrEqual(expected);
        // Records that a slow database did not take in time are in the log.
        await eventually(async () => {
          const logged = pair.output().match(new RegExp(`"act":"${operation}".*"msg":"audit"`, 'g')) ?? [];
          expect(stored + logged.length).toBeGreaterThanOrEqual(expected);
        });
      }
    });
  },
  { only: ['sqlite', 'postgresql', 'mongodb'] },
);
