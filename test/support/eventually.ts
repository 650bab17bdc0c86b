import { vi } from 'vitest';

/** Waits until a check passes and returns what it returns; the end is for a machine that is slow, not a rule. */
export const eventually = <T>(check: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(check, { timeout: 20_000, interval: 20 });
