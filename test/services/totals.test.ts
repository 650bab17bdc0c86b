import { expect, test, vi } from 'vitest';
import { createTotals } from '../../src/domain/totals.ts';

/** So many rows, and how often they were counted, as a database would do it. */
function rows(size: number) {
  const state = { size, counted: 0, countedAll: 0 };
  const count = async (most?: number) => {
    if (most === undefined) state.countedAll++;
    else state.counted += Math.min(most, state.size);
    return Math.min(most ?? Number.POSITIVE_INFINITY, state.size);
  };
  return { state, count };
}

test('a number up to ten thousand is that of now', async () => {
  const totals = createTotals();
  const { state, count } = rows(9999);
  expect(await totals.read('users', count)).toBe(9999);
  state.size = 9998;
  expect(await totals.read('users', count)).toBe(9998);
  expect(state.countedAll).toBe(0);
});

test('a larger one is counted once for all who ask within ten seconds', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  try {
    const totals = createTotals();
    const { state, count } = rows(1_000_000);
    const ask = () => totals.read('users', count);
    expect(await Promise.all([ask(), ask()])).toEqual([1_000_000, 1_000_000]);
    state.size += 5;
    vi.advanceTimersByTime(9999);
    expect(await ask()).toBe(1_000_000);
    expect(state.countedAll).toBe(1);
    vi.advanceTimersByTime(1);
    expect(await ask()).toBe(1_000_005);
    expect(await totals.read('superusers', rows(3).count)).toBe(3);
  } finally {
    vi.useRealTimers();
  }
});

test('a count that failed is not kept', async () => {
  const totals = createTotals();
  const { count } = rows(20_000);
  const failing = (most?: number) => (most === undefined ? Promise.reject(new Error('away')) : count(most));
  await expect(totals.read('users', failing)).rejects.toThrow('away');
  expect(await totals.read('users', count)).toBe(20_000);
});
