import type { User } from '../entities/user.ts';
import type { MailCap } from '../limits/mail-cap.ts';
import type { Messages } from '../mail/messages.ts';
import type { Outbox } from '../mail/outbox.ts';
import type { Background } from './background.ts';

export type Notices = ReturnType<typeof createNotices>;

type Notice =
  | 'emailChangeRequested'
  | 'emailChanged'
  | 'identityLinked'
  | 'identityUnlinked'
  | 'passwordChanged'
  | 'phoneRemoved'
  | 'phoneSet';

interface NoticesParts {
  outbox: Outbox;
  mailCap: MailCap;
  background: Background;
}

/** Mails that tell an owner what was done to the account (CONTRACT §4.2). */
export function createNotices({ outbox, mailCap, background }: NoticesParts) {
  return {
    /** Tells the user, at the address that is given as theirs. */
    tell<K extends Notice>(
      kind: K,
      user: Pick<User, 'email' | 'isVerified'>,
      parameters: Omit<Parameters<Messages[K]>[0], 'to'>,
    ): void {
      const { email, isVerified } = user;
      const post = () => outbox.post(kind, { to: email, ...parameters } as Parameters<Messages[K]>[0]);
      if (isVerified) return void post();
      // What was done is done: no answer waits for the count, and when it can't be had, the owner is told.
      background.run(kind, undefined, async () => {
        if (await mailCap.takeNotice(email).catch(() => true)) post();
      });
    },
  };
}
