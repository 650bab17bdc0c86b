import { importOptional } from '../optional.ts';
import { DeliveryError } from '../outgoing/delivery-error.ts';
import type { SmsSender } from './sender.ts';

/**
 * Returns a sender for Amazon SNS, with the credentials that the SDK finds; `AWS_ENDPOINT_URL` selects another endpoint.
 * @throws {MissingPackageError} naming the package to install when it is missing
 */
export async function snsSender({ region }: { region?: string | undefined }): Promise<SmsSender> {
  const { SNSClient, PublishCommand } = await importOptional(
    '@aws-sdk/client-sns',
    'The sns backend',
    () => import('@aws-sdk/client-sns'),
  );
  const client = new SNSClient({
    ...(region && { region }),
    // One attempt: the queue retries. An endpoint that hangs must not hold a connection for ever.
    maxAttempts: 1,
    requestHandler: { connectionTimeout: 10_000, requestTimeout: 20_000, throwOnRequestTimeout: true },
  });
  return {
    async send({ to, text }) {
      const attributes = { 'AWS.SNS.SMS.SMSType': { DataType: 'String', StringValue: 'Transactional' } };
      try {
        await client.send(
          new PublishCommand({ PhoneNumber: to, Message: text, MessageAttributes: attributes }),
        );
      } catch (cause) {
        const { name = 'unknown', $fault } = cause as { name?: string; $fault?: string };
        const permanent = $fault === 'client' && !/throttl/i.test(name);
        throw new DeliveryError('Amazon SNS did not accept the message', {
          code: name,
          permanent,
          // The number is the one parameter that may be wrong.
          isOfRecipient: name === 'InvalidParameterException',
          cause,
        });
      }
    },
    async check() {
      try {
        const [inRegion, { accessKeyId: key }] = await Promise.all([
          client.config.region(),
          client.config.credentials(),
        ]);
        return `Amazon SNS in ${inRegion}, with the key …${key.slice(-4)}; only a message shows whether it may send`;
      } catch (cause) {
        const { name: code = 'unknown' } = cause as { name?: string };
        const message =
          code === 'CredentialsProviderError'
            ? 'no AWS credentials found for text messages'
            : 'no AWS region found: set sms.sns_region or AWS_REGION';
        throw new DeliveryError(message, { code, permanent: true, cause });
      }
    },
  };
}
