import type { Checked } from '../outgoing/checked.ts';
import type { Delivery } from '../outgoing/message-queue.ts';
import type { MessageFormat } from '../outgoing/stored-message-queue.ts';

/** One text message to one phone; `to` in E.164. */
export interface TextMessage {
  to: string;
  text: string;
}

/** Delivers text messages to a carrier; a host may supply its own. */
export interface SmsSender {
  /** Resolves when the carrier has accepted the message. */
  send(message: TextMessage): Promise<void>;
  /**
   * Checks whether messages can be sent, without sending one. Returns the result in words.
   * @throws {DeliveryError} saying why not
   */
  check?(): Promise<Checked>;
}

/** Returns how text messages are delivered; the log has no part of a phone number. */
export const textDelivery = (sender: Pick<SmsSender, 'send'>): Delivery<TextMessage> => ({
  noun: 'text message',
  send: message => sender.send(message),
  describe: () => ({}),
});

/** The format of stored text messages. */
export const textFormat: MessageFormat<TextMessage> = {
  kind: 'text',
  mask: ({ to }) => `…${to.slice(-2)}`,
  read: stored => stored as TextMessage,
};
