import type { Config } from '../config/schema.ts';
import type { MfaCodeKind } from '../entities/mfa-code.ts';
import { GatehouseError } from '../errors.ts';
import type { SlidingCounts } from './sliding-count.ts';

export type SmsCap = ReturnType<typeof createSmsCap>;

const hourSeconds = 3600;

/**
 * Bounds how many text messages a phone gets within an hour, and how many set-ups a user starts. What others have it
 * sent does not keep its owner from signing in: codes for that have a bound of their own, which only those use up who
 * have confirmed the phone. So a phone gets twice the number at most, and only while a stranger is at it.
 */
export function createSmsCap(counts: SlidingCounts, config: Config) {
  const limit = config.textMessagesPerPhonePerHour;

  const bound = { limit, windowSeconds: hourSeconds };

  async function take(subject: string): Promise<void> {
    if (await counts.take(subject, bound)) return;
    const resetSeconds = (await counts.look(subject, bound)).secondsUntilRoom || 1;
    const rateLimit = { limit, remaining: 0, resetSeconds };
    throw new GatehouseError('rate_limited', { retryAfterSeconds: resetSeconds, rateLimit });
  }

  return {
    /** @throws {GatehouseError} rate_limited */
    async takeMessage(kind: MfaCodeKind, userId: string, phoneNumber: string): Promise<void> {
      const ofAll = `sms:${phoneNumber}`;
      const ofUser = `sms:${phoneNumber}:${userId}`;
      if (kind === 'phone_setup') {
        await take(ofAll);
        await counts.take(ofUser, bound);
        return;
      }
      await take(ofUser);
      // Of those who share a phone, or of one who has it on many accounts, all together.
      await take(`sms:login:${phoneNumber}`);
      await counts.take(ofAll, bound);
    },
    /** @throws {GatehouseError} rate_limited */
    takeSetup: (userId: string) => take(`phone-setup:${userId}`),
  };
}
