import type { Logger } from '../logger.ts';
import type { OutgoingQueue } from '../outgoing/queue.ts';
import type { Mail } from './mailer.ts';
import type { Messages } from './messages.ts';

type Kind = keyof Messages;

export type Outbox = ReturnType<typeof createOutbox>;

/** Where services put mails: written from their templates and queued, so that no answer waits for either. */
export function createOutbox({
  messages,
  queue,
  logger,
}: {
  messages: Messages;
  queue: OutgoingQueue<Mail>;
  logger: Logger;
}) {
  const composing = new Set<Promise<void>>();

  async function compose(kind: Kind, mail: Promise<Mail>): Promise<void> {
    try {
      queue.enqueue(kind, await mail);
    } catch (err) {
      logger.error({ kind, err }, 'a mail could not be written from its templates');
    }
  }

  return {
    post<K extends Kind>(kind: K, parameters: Parameters<Messages[K]>[0]): void {
      // The made-up addresses of external accounts have no mailbox.
      if (parameters.to.endsWith('@oauth.invalid')) return;
      const write = messages[kind] as (parameters: object) => Promise<Mail>;
      const done = compose(kind, write(parameters)).finally(() => composing.delete(done));
      composing.add(done);
    },

    /** Takes no more, waits up to the timeout for what is under way, and answers how many mails were lost. */
    async drain(timeoutMs: number): Promise<{ undelivered: number }> {
      await Promise.all(composing);
      return queue.drain(timeoutMs);
    },
  };
}
