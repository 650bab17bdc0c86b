import type { Config } from '../config/schema.ts';
import { GatehouseError } from '../errors.ts';
import type { LoginAttempt } from '../tables/login-attempt.ts';
import type { MfaCodeKind } from '../tables/mfa-code.ts';
import type { LargeCounts } from './large-count.ts';
import type { SlidingCounts } from './sliding-count.ts';

export type SmsCap = ReturnType<typeof createSmsCap>;

const hourSeconds = 3600;

/**
 * Caps how many text messages a phone gets within an hour, how many set-ups a user starts, and how many messages the
 * whole installation sends. Strangers cannot exhaust the owner's sign-in codes: those have their own limit, which only
 * users who have confirmed the phone can use up. So a phone gets at most twice the number, and only while a stranger is
 * requesting messages.
 */
export function createSmsCap(counts: SlidingCounts, largeCounts: LargeCounts, config: Config) {
  const bound = { limit: config.textMessagesPerPhonePerHour, windowSeconds: hourSeconds };
  const ofInstallation = { limit: config.textMessagesPerHour, windowSeconds: hourSeconds };

  async function reserve(subject: string): Promise<LoginAttempt> {
    const slot = await counts.reserve(subject, bound);
    if (slot) return slot;
    throw rateLimitedError(bound.limit, (await counts.readCapacity(subject, bound)).secondsUntilFree || 1);
  }

  async function reserveForPhone(
    kind: MfaCodeKind,
    userId: string,
    phoneNumber: string,
  ): Promise<(LoginAttempt | null)[]> {
    const ofAll = `sms:${phoneNumber}`;
    const ofUser = `sms:${phoneNumber}:${userId}`;
    if (kind === 'phone_setup') return [await reserve(ofAll), await counts.reserve(ofUser, bound)];
    return [
      await reserve(ofUser),
      // Shared by all users of one phone, or by one user who has it on many accounts.
      await reserve(`sms:login:${phoneNumber}`),
      await counts.reserve(ofAll, bound),
    ];
  }

  return {
    /** Counts a text message to a phone. @throws {GatehouseError} rate_limited */
    async reserveMessage(kind: MfaCodeKind, userId: string, phoneNumber: string): Promise<void> {
      if (config.limitsDisabled) return;
      const slots = await reserveForPhone(kind, userId, phoneNumber);
      if (ofInstallation.limit === 0) return;
      // Counted last, so that messages that the cap of their phone refuses do not use up the cap of the installation.
      const taken = await largeCounts.reserve('sms:installation', ofInstallation);
      if (typeof taken === 'object') return;
      await Promise.all(slots.map(slot => slot && counts.release(slot)));
      throw rateLimitedError(ofInstallation.limit, taken);
    },

    /** Counts a set-up that a user starts. @throws {GatehouseError} rate_limited */
    async reserveSetup(userId: string): Promise<void> {
      if (!config.limitsDisabled) await reserve(`phone-setup:${userId}`);
    },

    /** Clears the set-up count of a user who is deleted. */
    clearSetups: (userId: string) => counts.clear(`phone-setup:${userId}`),
  };
}

function rateLimitedError(limit: number, resetSeconds: number): GatehouseError {
  const rateLimit = { limit, remaining: 0, resetSeconds };
  return new GatehouseError('rate_limited', { retryAfterSeconds: resetSeconds, rateLimit });
}
