import rust from '@node-rs/argon2';
import { vi } from 'vitest';

/**
 * Sends a request and holds it at the check of its password until `meanwhile` is done. Answers what it came to, and
 * how many passwords were checked in that time.
 */
export async function heldAtItsPassword<T>(
  request: () => Promise<T>,
  meanwhile: () => Promise<unknown>,
): Promise<{ reply: T; checks: number }> {
  const { verify } = rust;
  const reached = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const spy = vi.spyOn(rust, 'verify').mockImplementationOnce(async (...args) => {
    reached.resolve();
    await gate.promise;
    return verify(...args);
  });
  try {
    const reply = request();
    await reached.promise;
    await meanwhile();
    gate.resolve();
    return { reply: await reply, checks: spy.mock.calls.length };
  } finally {
    gate.resolve();
    spy.mockRestore();
  }
}
