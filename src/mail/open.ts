import type { Config } from '../config/schema.ts';
import type { Logger } from '../logger.ts';
import { consoleMailer } from './console.ts';
import type { Mailer } from './mailer.ts';
import { sesMailer } from './ses.ts';
import { smtpMailer } from './smtp.ts';

/**
 * The transport that the configuration names, without connecting to anything; `write` is for the console's.
 * @throws {Error} when the transport's package is not installed
 */
export async function openMailer(
  email: Config['email'],
  logger: Logger,
  write?: (text: string) => void,
): Promise<Mailer> {
  const from = { name: email.fromName, address: email.fromAddress };
  switch (email.backend) {
    case 'console':
      return consoleMailer({ logger, logBodies: email.logBodies, write });
    case 'smtp':
      return smtpMailer({
        host: email.smtpHost ?? 'localhost',
        port: email.smtpPort,
        startTls: email.smtpStarttls,
        username: email.smtpUsername,
        password: email.smtpPassword?.reveal(),
        from,
      });
    case 'ses':
      return sesMailer({
        region: email.sesRegion,
        profile: email.sesProfile,
        accessKeyId: email.sesAccessKeyId?.reveal(),
        secretAccessKey: email.sesSecretAccessKey?.reveal(),
        from,
      });
  }
}
