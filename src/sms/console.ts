import type { Logger } from '../logger.ts';
import type { SmsSender } from './sender.ts';

interface ConsoleSenderOptions {
  logger: Logger;
  /** Whether to print codes to everyone who reads the output. */
  logBodies: boolean;
  /** Receives the messages as plain lines in place of the logger: `process.stdout.write` in `svc serve`. */
  write?: ((text: string) => void) | undefined;
}

/**
 * Returns a sender that prints every message and sends none. The text is printed only when `logBodies` is set, else
 * logged at DEBUG.
 */
export function consoleSender({ logger, logBodies, write }: ConsoleSenderOptions): SmsSender {
  return {
    async send({ to, text }) {
      const shown = logBodies ? `text message to ${to}: ${text}` : `text message to ${to}`;
      if (write) write(`${shown}\n`);
      else logger.info({ to }, shown);
      if (!logBodies) logger.debug({ to, body: text }, `body of the text message to ${to}`);
    },
    check: async () => ({ warning: 'text messages are printed, not sent (sms.backend = "console")' }),
  };
}
