import type { Logger } from '../logger.ts';
import type { Mailer } from './mailer.ts';

interface ConsoleMailerOptions {
  logger: Logger;
  /** Show text bodies, and so one-time links, to everybody who reads the output. */
  logBodies: boolean;
  /**
   * Takes the mails as plain lines, ending with a newline, in place of the logger: JSON records would escape the
   * newlines of a body, and its link would no longer stand on a line of its own. `process.stdout.write` in `svc serve`.
   */
  write?: ((text: string) => void) | undefined;
}

/**
 * Sends nothing and shows every mail instead: `mail to <address>: <subject>` as one INFO record, followed by the text
 * body when `logBodies` is set. Otherwise the body is a record of its own at DEBUG, always through the logger, and after the
 * first mail one record says how to see them.
 */
export function consoleMailer({ logger, logBodies, write }: ConsoleMailerOptions): Mailer {
  let isHinted = logBodies;
  return {
    async send({ to, subject, text }) {
      const headline = `mail to ${to}: ${subject}`;
      const shown = logBodies ? `${headline}\n\n${text.trimEnd()}` : headline;
      if (write) write(logBodies ? `\n${shown}\n\n` : `${shown}\n`);
      else logger.info({ to, subject }, shown);
      if (!logBodies) logger.debug({ to, subject, body: text }, `body of the mail to ${to}`);
      if (!isHinted) logger.info({}, 'the bodies of mails are left out; email.log_bodies = true shows them');
      isHinted = true;
    },
    check: async () => 'mails are printed, not sent (email.backend = "console")',
  };
}
