import type { Logger } from '../logger.ts';
import { DeliveryError } from '../outgoing/delivery-error.ts';
import type { ClaimedTask, Delivery, MessageQueue } from '../outgoing/message-queue.ts';
import type { MessageFormat } from '../outgoing/stored-message-queue.ts';
import type { LoginAttempt } from '../tables/login-attempt.ts';
import { masked } from './define.ts';
import { describeMail, type Mail, type Mailer } from './mailer.ts';
import { type MailName, type MailParameters, mailKindOf } from './mails.ts';
import type { Addressed, Messages } from './messages.ts';

/** An email that is rendered from its templates when it is sent, so that unreadable templates are retried. */
export interface Letter {
  to: string;
  name: MailName;
  parameters: object;
  /** Its slot of the cap of its address; null where nothing is counted. */
  slot: LoginAttempt | null;
}

export type Outbox = ReturnType<typeof createOutbox>;

/** Returns to whom an email is sent, and in which language, where it is not the default one. */
export const addressed = (to: string, locale: string | null | undefined): Addressed => ({
  to,
  ...(locale && { locale }),
});

/** Returns whether an address has a mailbox: the made-up addresses of external accounts have none. */
export const hasMailbox = (address: string) => !address.endsWith('@oauth.invalid');

interface MailDeliveryParts {
  mailer: Pick<Mailer, 'send'>;
  messages: Messages;
  logger: Logger;
  /** Releases a slot of the cap of an address. */
  release(slot: LoginAttempt): Promise<void>;
}

/** Returns how emails are delivered; of a recipient the log has only the domain. */
export function mailDelivery({ mailer, messages, logger, release }: MailDeliveryParts): Delivery<Letter> {
  async function write({ name, parameters }: Letter, ageMs: number): Promise<Mail> {
    const compose = messages[name] as (parameters: object) => Promise<Mail>;
    const { ttlSeconds } = parameters as { ttlSeconds?: number };
    try {
      if (ttlSeconds === undefined) return await compose(parameters);
      return await compose({ ...parameters, ttlSeconds: remaining(ttlSeconds, ageMs / 1000) });
    } catch (err) {
      // The error names the template and the line, and contains nothing of the email.
      logger.error({ kind: mailKindOf(name), err }, 'an email could not be rendered from its templates');
      const message = 'it could not be rendered from its templates';
      throw new DeliveryError(message, { code: 'template', cause: err });
    }
  }

  return {
    noun: 'email',
    send: async (letter, ageMs) => mailer.send(await write(letter, ageMs)),
    describe: describeMail,
    onUndelivered: async ({ slot }) => {
      if (slot) await release(slot);
    },
  };
}

/** The format of stored emails: their times are texts in JSON. */
export const letterFormat: MessageFormat<Letter> = {
  kind: 'mail',
  mask: ({ to }) => masked(to),
  read(stored) {
    const { slot, parameters, ...letter } = stored as Letter & { parameters: { act?: { at: string } } };
    const { act } = parameters;
    return {
      ...letter,
      parameters: { ...parameters, ...(act && { act: { ...act, at: new Date(act.at) } }) },
      slot: slot && { ...slot, when: new Date(slot.when) },
    };
  },
};

/**
 * The outbox accepts emails from services. An email is queued, and rendered when it is sent, so that no response waits for
 * either.
 */
export function createOutbox({ queue }: { queue: MessageQueue<Letter> }) {
  return {
    /**
     * Queues an email, and resolves when it is queued (stored, with stored deliveries). An email with a link is given up when
     * the link has expired. An undelivered email releases its `slot` of the address's cap. The email replaces the stored
     * `task` that made it.
     * @throws {GatehouseError} unavailable, when it could not be stored
     */
    async post<N extends MailName>(
      name: N,
      parameters: MailParameters<N> & Addressed,
      slot?: { row: Letter['slot'] },
      task?: ClaimedTask,
    ): Promise<void> {
      const { to } = parameters;
      if (!hasMailbox(to)) return;
      const { ttlSeconds } = parameters as { ttlSeconds?: number };
      const lifetimeMs = ttlSeconds && ttlSeconds * 1000;
      const letter = { to, name, parameters, slot: slot?.row ?? null };
      await queue.enqueue(mailKindOf(name), letter, { lifetimeMs, replaces: task });
    },

    /**
     * Accepts no further emails and waits up to the timeout, in milliseconds, for those in the queue. Returns how many
     * were not delivered.
     */
    drain: (timeoutMs: number) => queue.drain(timeoutMs),
  };
}

/**
 * Returns how many seconds the link of an email that was queued some seconds ago is still valid, rounded down to whole
 * hours from two hours on. A delay of less than a minute is ignored.
 */
function remaining(ttlSeconds: number, elapsedSeconds: number): number {
  if (elapsedSeconds < 60) return ttlSeconds;
  const left = Math.max(1, Math.floor(ttlSeconds - elapsedSeconds));
  return left >= 7200 ? left - (left % 3600) : left;
}
