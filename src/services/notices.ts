import type { User } from '../entities/user.ts';
import type { MailCap } from '../limits/mail-cap.ts';
import type { Messages } from '../mail/messages.ts';
import type { Outbox } from '../mail/outbox.ts';

export type Notices = ReturnType<typeof createNotices>;

type Notice =
  | 'emailChangeRequested'
  | 'emailChanged'
  | 'identityLinked'
  | 'identityUnlinked'
  | 'passwordChanged'
  | 'phoneRemoved'
  | 'phoneSet';

/** Mails that tell an owner what was done to the account (CONTRACT §4.2). */
export function createNotices({ outbox, mailCap }: { outbox: Outbox; mailCap: MailCap }) {
  return {
    /** Tells the user, at the address that is given as theirs. */
    async tell<K extends Notice>(
      kind: K,
      user: Pick<User, 'email' | 'isVerified'>,
      parameters: Omit<Parameters<Messages[K]>[0], 'to'>,
    ): Promise<void> {
      // What was done is done: when it can't be counted, the owner is told.
      const isAllowed = await mailCap.takeNotice(user).catch(() => true);
      if (isAllowed) outbox.post(kind, { to: user.email, ...parameters } as Parameters<Messages[K]>[0]);
    },
  };
}
