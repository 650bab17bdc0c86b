import type { Config } from '../config/schema.ts';
import type { UserViews } from '../contract/views/account.ts';
import type { User } from '../entities/user.ts';
import type { EventHub } from '../events.ts';
import type { MailCap, MailOrigin, MailSlot } from '../limits/mail-cap.ts';
import { linkTo } from '../mail/links.ts';
import type { Outbox } from '../mail/outbox.ts';
import type { HeldWork } from '../outgoing/attempt.ts';
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
 * The outcome of sending a link: sent, held back by the cap of its address, or refused because the account has changed.
 */
export type SentLink = 'sent' | 'capped' | 'changed';

/** What the links differ in: the purpose of the token, the page, the email and the event. */
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

  /** Sends a link for which a slot of the cap was taken. */
  async function post(
    kind: keyof typeof kinds,
    user: User,
    slot: MailSlot,
    instead?: HeldWork,
  ): Promise<'sent' | 'changed'> {
    const { purpose, page, mail, event } = kinds[kind];
    const token = await issuing.issue(purpose, user);
    // The account was revoked or disabled at the same moment, which ends its links too.
    if (token === null) {
      await slot.release();
      return 'changed';
    }
    const link = linkTo(config.urls[page], 'token', token);
    const parameters = { to: user.email, url: link.url, ttlSeconds: lifetimes[purpose] };
    const announce = () => events.emit(event, { user: views.toUserPublic(user), ...link });
    // A request that was acknowledged is done again after a stop only while its row is there, which the email takes.
    if (instead) await announce();
    await outbox.post(mail, parameters, slot, instead);
    if (!instead) await announce();
    return 'sent';
  }

  return {
    post,

    /**
     * Sends a link by email, within the cap of the address, in place of the stored work that it comes from. Returns the
     * outcome.
     */
    async send(
      kind: keyof typeof kinds,
      user: User,
      origin: MailOrigin = {},
      instead?: HeldWork,
    ): Promise<SentLink> {
      const slot = await mailCap.take(kind, user.email, { subject: user.id, ...origin });
      return slot ? post(kind, user, slot, instead) : 'capped';
    },
  };
}
