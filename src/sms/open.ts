import type { Config } from '../config/schema.ts';
import type { Logger } from '../logger.ts';
import { consoleSender } from './console.ts';
import type { SmsSender } from './sender.ts';
import { snsSender } from './sns.ts';
import { twilioSender } from './twilio.ts';

/** Returns the configured sender, without connecting to anything; `write` is for the console sender. */
export async function openSmsSender(
  sms: Config['sms'],
  logger: Logger,
  write?: (text: string) => void,
): Promise<SmsSender> {
  switch (sms.backend) {
    case 'console':
      return consoleSender({ logger, logBodies: sms.logBodies, write });
    case 'sns':
      return snsSender({ region: sms.snsRegion });
    case 'twilio':
      // The configuration is rejected without these.
      return twilioSender({
        accountSid: sms.twilioAccountSid ?? '',
        authToken: sms.twilioAuthToken?.reveal() ?? '',
        from: sms.fromNumber ?? '',
      });
  }
}
