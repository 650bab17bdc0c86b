import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { Background } from '../../src/domain/background.ts';
import { createHourCounts } from '../../src/domain/hour-counts.ts';
import { EventHub } from '../../src/events.ts';
import { withDeadline } from '../../src/storage/guard.ts';
import type { HourCount } from '../../src/tables/hour-count.ts';
import { silent } from '../support/embedded.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Counts two sign-ins, of which the first is stored so, and returns the total that is stored. */
async function totalWhere(storeFirst: (store: () => void) => Promise<void>): Promise<number> {
  let total = 0;
  const store = async ({ count }: HourCount): Promise<void> => {
    total += count;
  };
  const add = vi.fn(store).mockImplementationOnce(row => storeFirst(() => store(row)));
  const { hooks, read } = createHourCounts({
    ...{ clock: systemClock, background: new Background(silent), events: new EventHub(silent) },
    repositories: { hour_counts: { add, listSince: async () => [] } },
  });
  for (let i = 0; i < 2; i++) {
    await hooks.sessionStarting!({} as never, {} as never);
    const stored = read();
    await vi.advanceTimersByTimeAsync(2000);
    await stored;
  }
  return total;
}

test('a count that the database has refused is stored with the next ones', async () => {
  expect(await totalWhere(() => Promise.reject(new Error('refused')))).toBe(2);
});

test('a count that may have been stored, because the answer was late, is not stored twice', async () => {
  const storesLate = (store: () => void) =>
    withDeadline(() => {
      store();
      return new Promise<void>(() => {});
    });
  expect(await totalWhere(storesLate)).toBe(2);
});
