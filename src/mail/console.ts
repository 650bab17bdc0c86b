import type { Logger } from '../logger.ts';
import type { Transport } from './mailer.ts';

interface ConsoleMailerOptions {
  logger: Logger;
  /** Whether to print text bodies, and so one-time links, to everyone who reads the output. */
  logBodies: boolean;
  /**
   * Receives the emails as plain lines, each ending with a newline, in place of the logger: JSON records would escape the
   * newlines of a body, and its link would not be on a line of its own. `process.stdout.write` in `svc serve`.
   */
  write?: ((text: string) => void) | undefined;
}

/**
 * Returns a mailer that prints every email and sends none: `mail to <address>: <subject>` as one INFO record, followed by
 * the text body when `logBodies` is set. Otherwise the body is a separate record at DEBUG, always through the logger, and
 * after the first email one record says how to see the bodies.
 * `mail to` stays as it is worded: `svc validate --url` of every version looks for it in the log.
 */
export function consoleMailer({ logger, logBodies, write }: ConsoleMailerOptions): Transport {
  let isHinted = logBodies;
  return {
    async send({ to, subject, text }) {
      const headline = `mail to ${to}: ${subject}`;
      const shown = logBodies ? `${headline}\n\n${text.trimEnd()}` : headline;
      if (write) write(logBodies ? `\n${shown}\n\n` : `${shown}\n`);
      else logger.info({ to, subject }, shown);
      if (!logBodies) logger.debug({ to, subject, body: text }, `body of the email to ${to}`);
      if (!isHinted) logger.info({}, 'email bodies are omitted; email.log_bodies = true shows them');
      isHinted = true;
    },
    check: async () => ({ warning: 'emails are printed, not sent (email.backend = "console")' }),
  };
}
