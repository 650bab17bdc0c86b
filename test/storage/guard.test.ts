import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { deadlineMs, withDeadline } from '../../src/storage/guard.ts';

// CONTRACT §4.5 gives a request three seconds; a storage call leaves one of them for the rest. No machine's load counts here.

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('a storage call that hangs is refused after two seconds, and not before', async () => {
  const refused = vi.fn();
  const call = withDeadline(() => new Promise(() => {})).catch(refused);
  await vi.advanceTimersByTimeAsync(1999);
  expect(refused).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  await call;
  expect(refused.mock.calls[0]![0]).toMatchObject({ code: 'unavailable' });
  expect(deadlineMs).toBe(2000);
});

test('a storage call that ends leaves no timer', async () => {
  expect(await withDeadline(async () => 'row')).toBe('row');
  expect(vi.getTimerCount()).toBe(0);
});
