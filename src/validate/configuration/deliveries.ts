import type { Config } from '../../config/schema.ts';
import type { Logger } from '../../logger.ts';
import type { Transport } from '../../mail/mailer.ts';
import { openMailer } from '../../mail/open.ts';
import type { DeliveryError } from '../../outgoing/delivery-error.ts';
import { openSmsSender } from '../../sms/open.ts';
import type { SmsSender } from '../../sms/sender.ts';
import { type Finding, reasonOf } from './finding.ts';

/** Checks whether emails can be sent; with an address, by sending one to it. */
export async function checkMail(config: Config, logger: Logger, testRecipient?: string): Promise<Finding[]> {
  let mailer: Transport | undefined;
  try {
    mailer = await openMailer(config.email, logger);
    const finding = await findingOf(mailer);
    if (testRecipient === undefined) return [finding];
    return [finding, await sendTest(mailer, config, testRecipient)];
  } catch (error) {
    return [['fail', explained(error)]];
  } finally {
    await mailer?.close?.();
  }
}

async function findingOf(sender: Pick<Transport | SmsSender, 'check'>): Promise<Finding> {
  const checked = (await sender.check?.()) ?? '';
  return typeof checked === 'string' ? ['ok', checked] : ['warn', checked.warning];
}

async function sendTest(mailer: Transport, { appName, email }: Config, to: string): Promise<Finding> {
  const text = `This is the test email of svc validate. ${appName} can send emails.`;
  try {
    await mailer.send({
      to,
      subject: `Test email from ${appName}`,
      text: `${text}\n`,
      html: `<p>${escaped(text)}</p>`,
    });
    if (email.backend === 'console') return ['warn', 'the test email was printed, not sent'];
    return ['ok', `a test email to ${to} was accepted for delivery; check that it arrives, and not as spam`];
  } catch (error) {
    return ['fail', `the test email was not accepted: ${explained(error)}`];
  }
}

/** Checks whether text messages can be sent. */
export async function checkTextMessages(config: Config, logger: Logger): Promise<Finding> {
  if (!config.enableSms2fa) return ['skip', 'the second factor is off (enable_sms_2fa)'];
  try {
    return await findingOf(await openSmsSender(config.sms, logger));
  } catch (error) {
    return ['fail', explained(error)];
  }
}

/** Returns the error with the message of the other side, which is for the person who sets it up and not for logs. */
function explained(error: unknown): string {
  const { reply } = error as DeliveryError;
  return reply ? `${reasonOf(error)}: ${reply}` : reasonOf(error);
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
const escaped = (text: string) => text.replace(/[&<>]/g, character => entities[character]!);
