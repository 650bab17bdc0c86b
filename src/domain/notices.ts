import type { Clock } from '../clock.ts';
import type { Disownable } from '../events.ts';
import type { MailCap } from '../limits/mail-cap.ts';
import type { Notice as MailNotice } from '../mail/define.ts';
import type { MailName, MailParameters } from '../mail/mails.ts';
import { addressed, type Outbox } from '../mail/outbox.ts';
import type { Trail } from '../observability/watch.ts';
import type { User } from '../tables/user.ts';
import type { Deferred } from './deferred.ts';
import type { LifeCycle } from './life-cycle.ts';

export type Notices = ReturnType<typeof createNotices>;

/** The mails that tell an owner of an act. */
type Notice = { [K in MailName]: MailParameters<K> extends MailNotice ? K : never }[MailName];

/** The content of a notice beside the time of the act and who did it. */
type Details<K extends Notice> = Omit<MailParameters<K>, 'to' | 'act' | 'notMeUrl'>;

interface NoticesParts {
  clock: Clock;
  outbox: Outbox;
  mailCap: MailCap;
  deferred: Deferred;
  lifeCycle: LifeCycle;
}

/** A notice that waits for a slot of the cap of its address. */
interface CappedNotice {
  email: string;
  kind: Notice;
  notice: MailNotice;
}

/** Notices: emails that tell an owner what was done to the account (CONTRACT §4.2). */
export function createNotices({ clock, outbox, mailCap, deferred, lifeCycle }: NoticesParts) {
  // The act is already done. The response does not wait for the cap, and if the cap cannot be read, the notice is sent.
  const postCapped = deferred.define<CappedNotice>(
    'notice',
    'notice',
    async ({ email, kind, notice }, { task }) => {
      const slot = await mailCap.takeNotice(email).catch(() => undefined);
      const { at } = notice.act;
      const parameters = { ...notice, act: { ...notice.act, at: new Date(at) } };
      if (slot !== null) await outbox.post(kind, parameters as MailParameters<Notice>, slot, task);
    },
  );

  return {
    /**
     * Sends a notice of an act to the given address of the user; the trail says by whom and from where, and when, if it was
     * not just now. Resolves when it is queued; with stored deliveries it is a row then. With `about` it has a link "this was
     * not me", which closes the account (CONTRACT §12.4).
     */
    async notify<K extends Notice>(
      kind: K,
      user: Pick<User, 'id' | 'email' | 'isVerified' | 'locale'>,
      { by, ip, at = clock.now() }: Pick<Trail, 'by' | 'ip'> & { at?: Date },
      details: Details<K>,
      about?: Disownable,
    ): Promise<void> {
      const { email, isVerified } = user;
      const notMeUrl = about && (await lifeCycle.reportLink(user, about, at));
      const notice = {
        ...addressed(email, user.locale),
        act: { at, by, ip },
        ...(notMeUrl && { notMeUrl }),
        ...details,
      };
      if (isVerified) await outbox.post(kind, notice as MailParameters<K>);
      else await postCapped({ email, kind, notice });
    },
  };
}
