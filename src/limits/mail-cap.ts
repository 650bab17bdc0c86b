import type { Config } from '../config/schema.ts';
import type { SlidingCounts } from './sliding-count.ts';

/** Kinds of mail that a stranger can make us send. */
export type CappedMail = 'verification' | 'reset' | 'email_change';

export type MailCap = ReturnType<typeof createMailCap>;

/** How many notices go to an address within an hour that nobody has proved to own. */
const noticesUnproved = 20;

/** Bounds how many mails of one kind an address gets within an hour, whoever asks for them. */
export function createMailCap(counts: SlidingCounts, config: Config) {
  const bound = { limit: config.mailsPerAddressPerHour, windowSeconds: 3600 };
  return {
    /** Takes one of the mails of this hour; false when none is left: then nothing is sent and nothing replaced. */
    take: (kind: CappedMail, email: string) => counts.take(`mail:${kind}:${email}`, bound),

    /**
     * Takes one of this hour's notices to an address that nobody has proved to own; false when none is left. Owners are
     * told of everything, but a stranger who registered an address must not be able to fill its mailbox.
     */
    takeNotice: (email: string) =>
      counts.take(`mail:notice:${email}`, { limit: noticesUnproved, windowSeconds: 3600 }),
  };
}
