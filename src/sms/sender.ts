import type { Logger } from '../logger.ts';
import { OutgoingQueue } from '../outgoing/queue.ts';

/** One text message to one phone; `to` as E.164. */
export interface TextMessage {
  to: string;
  text: string;
}

/** Takes text messages to a carrier; a host may bring its own. */
export interface SmsSender {
  /** Resolves once the carrier has taken the message over. */
  send(message: TextMessage): Promise<void>;
  /** Whether messages could be sent, found out without sending one; in words. @throws {DeliveryError} saying why not */
  check?(): Promise<string>;
}

/** The queue that text messages leave by; its log knows no part of a number. */
export function smsQueue(sender: SmsSender, logger: Logger): OutgoingQueue<TextMessage> {
  return new OutgoingQueue({ noun: 'text message', send: m => sender.send(m), describe: () => ({}), logger });
}
