import type { Config } from '../config/schema.ts';
import type { Logger } from '../logger.ts';
import type { Mailer } from '../mail/mailer.ts';
import { openMailer } from '../mail/open.ts';
import type { DeliveryError } from '../outgoing/delivery-error.ts';
import { openSmsSender } from '../sms/open.ts';
import { type Finding, reasonOf } from './finding.ts';

/** Whether mails could be sent; with an address, by sending one there. */
export async function checkMail(config: Config, logger: Logger, testRecipient?: string): Promise<Finding[]> {
  let mailer: Mailer | undefined;
  try {
    mailer = await openMailer(config.email, logger);
    const detail = (await mailer.check?.()) ?? '';
    const finding: Finding = [config.email.backend === 'console' ? 'warn' : 'ok', detail];
    if (testRecipient === undefined) return [finding];
    return [finding, await sendTest(mailer, config, testRecipient)];
  } catch (error) {
    return [['fail', explained(error)]];
  } finally {
    await mailer?.close?.();
  }
}

async function sendTest(mailer: Mailer, { appName, email }: Config, to: string): Promise<Finding> {
  const text = `This is the test mail of svc validate. ${appName} can send mails.`;
  try {
    await mailer.send({
      to,
      subject: `Test mail from ${appName}`,
      text: `${text}\n`,
      html: `<p>${escaped(text)}</p>`,
    });
    if (email.backend === 'console') return ['warn', 'the test mail was printed, not sent'];
    return ['ok', `a test mail to ${to} was taken; look whether it arrives, and not as spam`];
  } catch (error) {
    return ['fail', `the test mail was not taken: ${explained(error)}`];
  }
}

/** Whether text messages could be sent. */
export async function checkTextMessages(config: Config, logger: Logger): Promise<Finding> {
  if (!config.enableSms2fa) return ['skip', 'the second factor is off (enable_sms_2fa)'];
  try {
    const sender = await openSmsSender(config.sms, logger);
    return [config.sms.backend === 'console' ? 'warn' : 'ok', (await sender.check?.()) ?? ''];
  } catch (error) {
    return ['fail', explained(error)];
  }
}

/** With what the other side said, which is for the person who sets it up and not for logs. */
function explained(error: unknown): string {
  const { reply } = error as DeliveryError;
  return reply ? `${reasonOf(error)}: ${reply}` : reasonOf(error);
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
const escaped = (text: string) => text.replace(/[&<>]/g, character => entities[character]!);
