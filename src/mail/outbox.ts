import type { Logger } from '../logger.ts';
import { DeliveryError } from '../outgoing/delivery-error.ts';
import type { OutgoingQueue } from '../outgoing/queue.ts';
import type { Letter, Mail } from './mailer.ts';
import type { Messages } from './messages.ts';

type Kind = keyof Messages;

export type Outbox = ReturnType<typeof createOutbox>;

/** Where services put mails: queued, and written from their templates there, so that no answer waits for either. */
export function createOutbox({
  messages,
  queue,
  logger,
}: {
  messages: Messages;
  queue: OutgoingQueue<Letter>;
  logger: Logger;
}) {
  return {
    post<K extends Kind>(kind: K, parameters: Parameters<Messages[K]>[0]): void {
      const { to } = parameters;
      // The made-up addresses of external accounts have no mailbox.
      if (to.endsWith('@oauth.invalid')) return;
      const compose = messages[kind] as (parameters: object) => Promise<Mail>;
      async function write(): Promise<Mail> {
        try {
          return await compose(parameters);
        } catch (err) {
          // It names the template and the line, and holds nothing of the mail.
          logger.error({ kind, err }, 'a mail could not be written from its templates');
          const message = 'it could not be written from its templates';
          throw new DeliveryError(message, { code: 'template', cause: err });
        }
      }
      queue.enqueue(kind, { to, write });
    },

    /** Takes no more, waits up to the timeout for what is under way, and answers how many mails were lost. */
    drain: (timeoutMs: number) => queue.drain(timeoutMs),
  };
}
