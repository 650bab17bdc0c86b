import { expect, test, vi } from 'vitest';
import { password, startApp, TestClock } from '../support/app.ts';
import { describeEachBackend } from '../support/backends.ts';
import { newAddress } from '../support/people.ts';

const day = 86_400_000;

describeEachBackend(
  'counts of the limits per client address',
  backend => {
    test('are purged a day after their window', async () => {
      // The counts were made by a clock of the past: a purge goes by that of the database too, which is today's.
      const madeAt = Date.now() - 2 * day;
      vi.useFakeTimers({ toFake: ['Date'], now: madeAt });
      const clock = new TestClock(new Date(madeAt).toISOString());
      const app = await startApp({ backend, clock, settings: { loginRateLimit: '100/minute' } });
      try {
        await app.rest('POST', '/login', { email: newAddress(), password });
        expect(await app.gatehouse.purgeExpired()).toMatchObject({ rate_limits: 0 });
        clock.advance(day - 60_000);
        expect(await app.gatehouse.purgeExpired()).toMatchObject({ rate_limits: 0 });
        clock.advance(2 * 3_600_000);
        expect(await app.gatehouse.purgeExpired()).toMatchObject({ rate_limits: 1 });
        expect(await app.gatehouse.purgeExpired()).toMatchObject({ rate_limits: 0 });
      } finally {
        vi.useRealTimers();
        await app.close();
      }
    });
  },
  { only: ['sqlite', 'sqlite-memory', 'postgresql'] },
);
