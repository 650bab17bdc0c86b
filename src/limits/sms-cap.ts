import type { Config } from '../config/schema.ts';
import { GatehouseError } from '../errors.ts';
import type { LoginAttempt } from '../tables/login-attempt.ts';
import type { MfaCodeKind } from '../tables/mfa-code.ts';
import type { LargeCounts } from './large-count.ts';
import type { SlidingCounts } from './sliding-count.ts';
import { type Taken, within } from './within.ts';

export type SmsCap = ReturnType<typeof createSmsCap>;

const hourSeconds = 3600;

const setupsOf = (userId: string) => `phone-setup:${userId}`;

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

  async function reserveOfInstallation(): Promise<LoginAttempt | null> {
    if (ofInstallation.limit === 0) return null;
    const slot = await largeCounts.reserve('sms:installation', ofInstallation);
    if (typeof slot === 'object') return slot;
    throw rateLimitedError(ofInstallation.limit, slot);
  }

  /** Returns the counts of a message, in their order. A count that refuses no message returns null where it is full. */
  function reservationsOf(
    kind: MfaCodeKind,
    userId: string,
    phoneNumber: string,
  ): (() => Promise<LoginAttempt | null>)[] {
    const ofAll = `sms:${phoneNumber}`;
    const ofUser = `sms:${phoneNumber}:${userId}`;
    const ofPhone =
      kind === 'phone_setup'
        ? [() => reserve(setupsOf(userId)), () => reserve(ofAll), () => counts.reserve(ofUser, bound)]
        : [
            () => reserve(ofUser),
            // Shared by all users of one phone, or by one user who has it on many accounts.
            () => reserve(`sms:login:${phoneNumber}`),
            () => counts.reserve(ofAll, bound),
          ];
    // Counted last, so that messages that the cap of their phone refuses do not use up the cap of the installation.
    return [...ofPhone, reserveOfInstallation];
  }

  return {
    /**
     * Counts a text message to a phone, and the set-up that a user starts with it. A message that is refused counts nowhere.
     * @throws {GatehouseError} rate_limited
     */
    async reserveMessage(kind: MfaCodeKind, userId: string, phoneNumber: string): Promise<Taken> {
      const slots: LoginAttempt[] = [];
      const taken = { release: async () => void (await Promise.all(slots.map(counts.release))) };
      if (config.limitsDisabled) return taken;
      await within(taken, async () => {
        for (const take of reservationsOf(kind, userId, phoneNumber)) {
          const slot = await take();
          if (slot) slots.push(slot);
        }
      });
      return taken;
    },

    /** Clears the set-up count of a user who is deleted. */
    clearSetups: (userId: string) => counts.clear(setupsOf(userId)),
  };
}

function rateLimitedError(limit: number, resetSeconds: number): GatehouseError {
  const rateLimit = { limit, remaining: 0, resetSeconds };
  return new GatehouseError('rate_limited', { retryAfterSeconds: resetSeconds, rateLimit });
}
