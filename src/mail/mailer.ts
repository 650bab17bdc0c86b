import type { Logger } from '../logger.ts';
import { OutgoingQueue } from '../outgoing/queue.ts';

/** One mail to one person, in both forms; the subject is a single line. */
export interface Mail {
  to: string;
  subject: string;
  text: string;
  html: string;
}

/** Takes mails to a mail server; a host may bring its own. */
export interface Mailer {
  /** Resolves once the mail server has taken the mail over. @throws {DeliveryError} from the bundled transports */
  send(mail: Mail): Promise<void>;
  /** Whether mails could be sent, found out without sending one; in words. @throws {DeliveryError} saying why not */
  check?(): Promise<string>;
  /** Gives up its connections. Nothing is sent afterwards. */
  close?(): Promise<void>;
}

/** Whom the mails come from. */
export interface Sender {
  name: string;
  address: string;
}

/** A mail that is written from its templates when it is sent, so that templates that can't be read are tried again. */
export interface Letter {
  to: string;
  write(): Promise<Mail>;
}

/** The queue that mails leave by; its log knows a recipient's domain and no more. */
export function mailQueue(mailer: Mailer, logger: Logger): OutgoingQueue<Letter> {
  const send = async ({ write }: Letter) => mailer.send(await write());
  return new OutgoingQueue({ noun: 'mail', send, describe: describeMail, logger });
}

export const describeMail = ({ to }: Pick<Mail, 'to'>) => ({ domain: to.slice(to.lastIndexOf('@') + 1) });
