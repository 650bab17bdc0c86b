import { DeliveryError } from '../outgoing/delivery-error.ts';
import type { SmsSender } from './sender.ts';

interface TwilioOptions {
  accountSid: string;
  authToken: string;
  from: string;
  /** The base URL of the API; another one in tests. */
  baseUrl?: string;
}

/** Codes of Twilio about a number: it is none, it receives no text messages, its owner wants none. */
const ofRecipient = new Set([21211, 21217, 21610, 21614]);

/** The timeout of the API, in milliseconds. */
const timeoutMs = 10_000;

/** Returns a sender for Twilio, by its HTTP API (Programmable Messaging, Create a Message). */
export function twilioSender(options: TwilioOptions): SmsSender {
  const { accountSid, authToken, from, baseUrl = 'https://api.twilio.com' } = options;
  const account = `${baseUrl}/2010-04-01/Accounts/${encodeURIComponent(accountSid)}`;
  const authorization = `Basic ${Buffer.from(`${accountSid}:${authToken}`).toString('base64')}`;

  async function ask(url: string, request: RequestInit = {}): Promise<void> {
    const response = await fetch(url, {
      ...request,
      headers: { Authorization: authorization },
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    }).catch(cause => {
      throw new DeliveryError('Twilio is unreachable', { code: 'unreachable', cause });
    });
    if (response.ok) {
      await response.body?.cancel();
      return;
    }
    const refusal = await response.json().catch(() => null);
    const permanent = response.status >= 400 && response.status < 500 && response.status !== 429;
    throw new DeliveryError(`Twilio responded with status ${response.status}`, {
      code: `HTTP_${response.status}`,
      permanent,
      isOfRecipient: ofRecipient.has(refusal?.code),
    });
  }

  return {
    async send({ to, text }) {
      const body = new URLSearchParams({ To: to, From: from, Body: text });
      await ask(`${account}/Messages.json`, { method: 'POST', body });
    },
    async check() {
      await ask(`${account}.json`);
      return `Twilio accepts the account and its token; messages come from ${from}`;
    },
  };
}
