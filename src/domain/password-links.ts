import type { Config } from '../config/schema.ts';
import type { UserViews } from '../contract/views/account.ts';
import { isStopped } from '../crypto/stopped-password.ts';
import type { EventHub } from '../events.ts';
import type { MailCap, MailOrigin, MailSlot } from '../limits/mail-cap.ts';
import { within } from '../limits/within.ts';
import { type Link, mailLink } from '../mail/links.ts';
import { addressed, type Outbox } from '../mail/outbox.ts';
import type { ClaimedTask } from '../outgoing/message-queue.ts';
import type { User } from '../tables/user.ts';
import { type Issuing, lifetimesOf } from './issuing.ts';

export type PasswordLinks = ReturnType<typeof createPasswordLinks>;

interface Parts {
  config: Config;
  issuing: Issuing;
  mailCap: MailCap;
  outbox: Outbox;
  events: EventHub;
  views: UserViews;
}

/**
 * The outcome of sending a link: sent, held back by the cap of its address, refused because the account has changed, or held
 * because the account was reported from a former address (CONTRACT §12.4).
 */
export type SentLink = 'sent' | 'capped' | 'changed' | 'held';

/** The differences between the links: the purpose of the token, the page, the email and the event. */
const kinds = {
  reset: {
    purpose: 'password_reset',
    page: 'resetPassword',
    mail: 'passwordReset',
    event: 'password_reset_requested',
  },
  invitation: {
    purpose: 'invitation',
    page: 'acceptInvitation',
    mail: 'invitation',
    event: 'user_invited',
  },
} as const;

/** Sends links with which the owner of an account chooses a password: resets and invitations. */
export function createPasswordLinks({ config, issuing, mailCap, outbox, events, views }: Parts) {
  const lifetimes = lifetimesOf(config);

  /** Returns a new link, or null if the account was revoked or disabled at the same moment, which ends its links too. */
  async function linkFor(kind: keyof typeof kinds, user: User): Promise<Link | null> {
    const { purpose, page } = kinds[kind];
    const token = await issuing.issue(purpose, user, { email: user.email });
    return token === null ? null : mailLink(config, page, token, user.locale);
  }

  async function email(
    kind: keyof typeof kinds,
    user: User,
    link: Link,
    slot: MailSlot,
    task?: ClaimedTask,
  ): Promise<void> {
    const { purpose, mail, event } = kinds[kind];
    const parameters = {
      ...addressed(user.email, user.locale),
      url: link.url,
      ttlSeconds: lifetimes[purpose],
      isPasswordStopped: user.hashedPassword !== null && isStopped(user.hashedPassword),
    };
    const announce = () => events.emit(event, { user: views.toUserPublic(user), ...link }, task?.id);
    // With a stored task, the event comes first: the email replaces the task, which could not be repeated after a stop then.
    if (task) await within(slot, announce);
    await outbox.post(mail, parameters, slot, task);
    if (!task) await announce();
  }

  /** Sends a link for which a slot of the cap was taken. */
  async function post(
    kind: keyof typeof kinds,
    user: User,
    slot: MailSlot,
    task?: ClaimedTask,
  ): Promise<'sent' | 'changed'> {
    const link = await within(slot, () => linkFor(kind, user));
    if (!link) {
      await slot.release();
      return 'changed';
    }
    await email(kind, user, link, slot, task);
    return 'sent';
  }

  return {
    post,

    /**
     * Sends a link by email, within the cap of the address, and returns the outcome. The email replaces the task that asked
     * for it.
     */
    async send(
      kind: keyof typeof kinds,
      user: User,
      origin: MailOrigin = {},
      task?: ClaimedTask,
    ): Promise<SentLink> {
      if (user.resetsHeldAt !== null) return 'held';
      const slot = await mailCap.take(kind, user.email, { subject: user.id, ...origin });
      return slot ? post(kind, user, slot, task) : 'capped';
    },

    /**
     * Sends a link by email, within the cap of the address, and returns it for an operator who hands it over. Returns null
     * if the account has changed.
     */
    async sendAndReturn(kind: keyof typeof kinds, user: User): Promise<string | null> {
      const link = await linkFor(kind, user);
      if (!link) return null;
      const slot = await mailCap.take(kind, user.email, { subject: user.id });
      if (slot) await email(kind, user, link, slot);
      return link.url;
    },
  };
}
