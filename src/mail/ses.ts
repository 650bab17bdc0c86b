import { createTransport } from 'nodemailer';
import { importOptional } from '../optional.ts';
import { DeliveryError } from '../outgoing/delivery-error.ts';
import { compose } from './compose.ts';
import type { Sender, Transport } from './mailer.ts';

/** Errors of SES about the email or the account itself; throttling, outages and missing rights are temporary. */
const permanentErrors = new Set([
  'AccountSuspendedException',
  'BadRequestException',
  'MailFromDomainNotVerifiedException',
  'MessageRejected',
  'NotFoundException',
]);

interface SesMailerOptions {
  /** The AWS region; the SDK's own (`AWS_REGION`, the profile) when absent. */
  region?: string | undefined;
  profile?: string | undefined;
  accessKeyId?: string | undefined;
  secretAccessKey?: string | undefined;
  from: Sender;
}

/**
 * Returns a mailer for Amazon SES, with the given keys or profile, else with the credentials that the SDK finds.
 * @throws {MissingPackageError} naming the SDK when it is not installed
 */
export async function sesMailer(
  options: SesMailerOptions,
  importSdk = () => import('@aws-sdk/client-sesv2'),
): Promise<Transport> {
  const { SESv2Client, SendEmailCommand } = await importOptional(
    '@aws-sdk/client-sesv2',
    'email.backend = "ses"',
    importSdk,
  );
  const { region, profile, accessKeyId, secretAccessKey, from } = options;
  const client = new SESv2Client({
    ...(region && { region }),
    ...(profile && { profile }),
    ...(accessKeyId && secretAccessKey && { credentials: { accessKeyId, secretAccessKey } }),
    // One attempt: the queue retries.
    maxAttempts: 1,
    requestHandler: { connectionTimeout: 10_000, requestTimeout: 20_000, throwOnRequestTimeout: true },
  });
  const transport = createTransport({ SES: { sesClient: client, SendEmailCommand } });
  return {
    async send(mail) {
      try {
        await transport.sendMail(compose(mail, from));
      } catch (error) {
        throw sesError(error);
      }
    },
    async check() {
      try {
        const [inRegion, { accessKeyId: key }] = await Promise.all([
          client.config.region(),
          client.config.credentials(),
        ]);
        return `Amazon SES in ${inRegion}, with the key …${key.slice(-4)}; only a test email shows whether it may send`;
      } catch (error) {
        throw sesError(error);
      }
    },
    async close() {
      client.destroy();
    },
  };
}

function sesError(cause: unknown): DeliveryError {
  const { name, message } = cause instanceof Error ? cause : new Error(String(cause));
  return new DeliveryError(inWords(name, message), {
    code: name,
    permanent: permanentErrors.has(name),
    reply: message,
    cause,
  });
}

function inWords(name: string, message: string): string {
  if (name === 'CredentialsProviderError')
    return 'no AWS credentials found: set email.ses_profile or the two email.ses_…_key settings';
  if (message === 'Region is missing') return 'no AWS region found: set email.ses_region or AWS_REGION';
  if (name === 'TimeoutError') return 'Amazon SES did not respond in time';
  return `Amazon SES did not accept the email (${name})`;
}
