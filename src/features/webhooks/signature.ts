import { createHmac } from 'node:crypto';

/** The prefix of a secret (Standard Webhooks). */
const secretPrefix = 'whsec_';

/** Returns the bytes of a secret, which is written as `whsec_` and base64. */
const keyOf = (secret: string) => Buffer.from(secret.slice(secretPrefix.length), 'base64');

/** The headers of a delivery that its receiver checks. */
export interface Signed {
  'webhook-id': string;
  'webhook-timestamp': string;
  'webhook-signature': string;
}

/**
 * Returns the headers of a delivery (Standard Webhooks, "Signature scheme"): an HMAC-SHA256 of its id, the time of this
 * attempt in seconds, and the body, with each secret.
 */
export function sign(secrets: readonly string[], id: string, at: Date, body: string): Signed {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const signatures = secrets.map(secret => {
    const digest = createHmac('sha256', keyOf(secret)).update(`${id}.${timestamp}.${body}`).digest('base64');
    return `v1,${digest}`;
  });
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  };
}
