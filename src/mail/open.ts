import type { Config } from '../config/schema.ts';
import type { Logger } from '../logger.ts';
import { consoleMailer } from './console.ts';
import type { Transport } from './mailer.ts';

/**
 * Returns the configured transport. Only its package is loaded, and nothing is connected; `write` is for the console
 * mailer.
 * @throws {MissingPackageError} when the transport's package is not installed
 */
export async function openMailer(
  email: Config['email'],
  logger: Logger,
  write?: (text: string) => void,
): Promise<Transport> {
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
