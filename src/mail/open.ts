import type { Config } from '../config/schema.ts';
import type { Logger } from '../logger.ts';
import { consoleMailer } from './console.ts';
import type { Mailer } from './mailer.ts';

/**
 * The transport that the configuration names, loaded alone and without connecting to anything; `write` is for the console's.
 * @throws {MissingPackageError} when the transport's package is not installed
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
    case 'smtp': {
      const { smtpMailer } = await import('./smtp.ts');
      return smtpMailer({
        host: email.smtpHost ?? 'localhost',
        port: email.smtpPort,
        startTls: email.smtpStarttls,
        username: email.smtpUsername,
        password: email.smtpPassword?.reveal(),
        from,
      });
    }
    case 'ses': {
      const { sesMailer } = await import('./ses.ts');
      return sesMailer({
        region: email.sesRegion,
        profile: email.sesProfile,
        accessKeyId: email.sesAccessKeyId?.reveal(),
        secretAccessKey: email.sesSecretAccessKey?.reveal(),
        from,
      });
    }
  }
}
