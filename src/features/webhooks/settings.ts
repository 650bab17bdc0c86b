import { z } from 'zod';
import { list, outsideOfTests, secret, secureUrl } from '../../config/schema/fields.ts';
import { retiredEventNames, storedEventNames } from '../../event-names.ts';

/** The fewest and the most bytes of a secret (Standard Webhooks, "Signature scheme"). */
const [leastBytes, mostBytes] = [24, 64];
const howToMake = 'make one with `echo whsec_$(openssl rand -base64 32)`';

/** Returns whether a text is `whsec_` and the base64 of a key of the right size, in the one spelling that it has. */
function isSecret(text: string): boolean {
  const written = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(text)?.[1];
  if (written === undefined) return false;
  const key = Buffer.from(written, 'base64');
  return key.length >= leastBytes && key.length <= mostBytes && key.toString('base64') === written;
}

const signingSecret = () =>
  secret(
    z
      .string('must be a string')
      .refine(isSecret, `must be whsec_ and ${leastBytes} to ${mostBytes} bytes in base64: ${howToMake}`),
  ).meta({ isKeptOutOfFiles: true });

const eventName = z.enum(
  [...storedEventNames, ...retiredEventNames],
  'is no event that webhooks deliver: docs/embedding.md lists them',
);

/** A `[webhooks.NAME]` table: an endpoint that is told of events (CONTRACT §12.2). */
const webhook = z.strictObject(
  outsideOfTests({
    url: secureUrl()
      .refine(text => {
        const { username, password } = URL.canParse(text) ? new URL(text) : { username: '', password: '' };
        return username === '' && password === '';
      }, "can't contain a user or a password: the signature proves who sends")
      .describe('Where events are sent: https; http only for loopback'),
    events: list(eventName).describe('The events that it gets; every one when empty'),
    secret: signingSecret().optional().describe('Signs what is sent; `whsec_` and base64'),
    secret_previous: signingSecret().optional().describe('While it is set, it signs, too: for a rotation'),
  }),
);

export const settings = { webhooks: z.record(z.string(), webhook).default({}) };

/** The part of the configuration that is about webhooks. */
export interface WebhookSettings {
  webhooks: Readonly<Record<string, Pick<z.output<typeof webhook>, 'events'>>>;
}
