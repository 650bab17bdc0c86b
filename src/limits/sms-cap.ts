import type { Config } from '../config/schema.ts';
import { GatehouseError } from '../errors.ts';
import type { SlidingCounts } from './sliding-count.ts';

export type SmsCap = ReturnType<typeof createSmsCap>;

const hourSeconds = 3600;

/** Bounds how many text messages a phone gets within an hour, and how many set-ups a user starts. */
export function createSmsCap(counts: SlidingCounts, config: Config) {
  const limit = config.textMessagesPerPhonePerHour;

  async function take(subject: string): Promise<void> {
    const bound = { limit, windowSeconds: hourSeconds };
    if (await counts.take(subject, bound)) return;
    const resetSeconds = (await counts.look(subject, bound)).secondsUntilRoom || 1;
    const rateLimit = { limit, remaining: 0, resetSeconds };
    throw new GatehouseError('rate_limited', { retryAfterSeconds: resetSeconds, rateLimit });
  }

  return {
    /** @throws {GatehouseError} rate_limited */
    takeMessage: (phoneNumber: string) => take(`sms:${phoneNumber}`),
    /** @throws {GatehouseError} rate_limited */
    takeSetup: (userId: string) => take(`phone-setup:${userId}`),
  };
}
