import type { Config } from '../config/schema.ts';
import type { RateLimitState } from '../errors.ts';
import type { LoginAttempt } from '../tables/login-attempt.ts';
import type { SlidingCounts } from './sliding-count.ts';
import type { Taken } from './within.ts';

/** Kinds of email with a link, of which an address gets only so many. */
export type CappedMail = 'verification' | 'reset' | 'invitation' | 'email_change';

/** One slot of the cap of an address. */
export interface MailSlot extends Taken {
  /** Its row, for an email that is stored; null where nothing is counted. */
  row: LoginAttempt | null;
}

/** Who asked for an email. */
export interface MailOrigin {
  by?: 'self' | 'admin' | 'cli' | 'host';
  ip?: string | null;
  requestId?: string | undefined;
  /** The id of the user whom the email is about. */
  subject?: string | null;
}

/** An email that was not sent because its address has reached its cap. */
export interface HeldBack {
  kind: CappedMail | 'notice';
  email: string;
  origin: MailOrigin;
}

export type MailCap = ReturnType<typeof createMailCap>;

/** How many notices an unverified address gets within an hour. */
const noticesPerUnverifiedAddress = 20;

const hourSeconds = 3600;

const kinds = [
  'verification',
  'reset',
  'invitation',
  'email_change',
  'notice',
] as const satisfies HeldBack['kind'][];

const subjectOf = (kind: HeldBack['kind'], email: string) => `mail:${kind}:${email}`;

/**
 * Caps how many emails of one kind an address gets within an hour, from all who ask. The response does not reveal
 * that an email was held back (account enumeration); `onHeldBack` is called instead, for the audit.
 */
export function createMailCap(
  counts: SlidingCounts,
  config: Config,
  onHeldBack: (held: HeldBack) => Promise<void>,
) {
  async function reserve(held: HeldBack, limit: number): Promise<MailSlot | null> {
    if (config.limitsDisabled) return { release: async () => {}, row: null };
    const subject = subjectOf(held.kind, held.email);
    const slot = await counts.reserve(subject, { limit, windowSeconds: hourSeconds });
    if (slot) return { release: () => counts.release(slot), row: slot };
    await onHeldBack(held);
    return null;
  }

  return {
    /** Takes a slot of this hour. Returns null when none is left: then the caller sends nothing and replaces nothing. */
    take: (kind: CappedMail, email: string, origin: MailOrigin = {}) =>
      reserve({ kind, email, origin }, config.mailsPerAddressPerHour),

    /** Returns the state of the cap of an address whose slots of this kind are used up. */
    async state(kind: CappedMail, email: string): Promise<RateLimitState> {
      const limit = config.mailsPerAddressPerHour;
      const { secondsUntilFree } = await counts.readCapacity(subjectOf(kind, email), {
        limit,
        windowSeconds: hourSeconds,
      });
      return { limit, remaining: 0, resetSeconds: secondsUntilFree || 1 };
    },

    /**
     * Takes a slot for a notice to an unverified address. Returns null when none is left. Owners are notified of every
     * act, but a stranger who registered an address must not be able to flood its mailbox.
     */
    takeNotice: (email: string) =>
      reserve({ kind: 'notice', email, origin: {} }, noticesPerUnverifiedAddress),

    /** Lifts the caps of an address, after an operator has unlocked its account. */
    async clear(email: string): Promise<void> {
      await counts.clear(...kinds.map(kind => subjectOf(kind, email)));
    },
  };
}
