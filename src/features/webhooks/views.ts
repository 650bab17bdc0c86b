import { z } from 'zod';
import { count, time } from '../../contract/views/fields.ts';

export const WebhookView = z
  .object({
    name: z.string().describe('The name in the configuration.'),
    origin: z.string().describe('Where events are sent: scheme, host and port.'),
    events: z.array(z.string()).describe('The events that it gets; every one when empty.'),
    is_off: z.boolean().describe('Whether it was switched off, until somebody enables it.'),
    off_at: time.nullable().describe('When it was switched off, by the clock of the database.'),
    off_reason: z.string().nullable().describe('Why it was switched off.'),
    failing_since: time.nullable().describe('Since when it has taken nothing; null when it took the latest.'),
    waiting: count.describe('How many deliveries wait; counted up to 10,000.'),
    dead: count.describe('How many were given up, and wait to be replayed; counted up to 10,000.'),
  })
  .meta({ id: 'Webhook', description: 'An endpoint that is told of events.' });
export type WebhookView = z.infer<typeof WebhookView>;

export const WebhookList = z
  .object({ items: z.array(WebhookView).describe('Every webhook of the configuration.') })
  .meta({ id: 'WebhookList', description: 'The webhooks of the configuration.' });
export type WebhookList = z.infer<typeof WebhookList>;

export const WebhookTestView = z
  .object({
    is_taken: z.boolean().describe('Whether the endpoint has taken the test.'),
    problem: z.string().nullable().describe('The problem in one line; null if there was none.'),
    milliseconds: count.describe('How long the endpoint took.'),
  })
  .meta({ id: 'WebhookTest', description: 'How a test delivery to a webhook ended.' });
export type WebhookTestView = z.infer<typeof WebhookTestView>;

export const WebhookReplayView = z
  .object({
    message: z.string().describe('For people.'),
    replayed: count.describe('How many deliveries will be tried again.'),
  })
  .meta({ id: 'WebhookReplay', description: 'The deliveries to a webhook that will be tried again.' });
export type WebhookReplayView = z.infer<typeof WebhookReplayView>;
