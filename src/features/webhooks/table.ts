import { defineTable, type RowOf, text, time } from '../../tables/define.ts';

/**
 * The state of the deliveries to an endpoint (CONTRACT §12.2), for every process on the database. There is no row for an
 * endpoint that has always taken everything. Its times are those of the database's clock.
 */
export const webhookEndpoints = defineTable({
  name: 'WebhookEndpoint',
  setting: 'webhook_collection',
  usualName: 'webhook_endpoints',
  description: '… of the state of `[webhooks.NAME]`',
  columns: {
    /** The name in the configuration. */
    id: text().key(),
    /** Since when it has taken nothing; null after a delivery that it took. */
    failingSince: time().nullable(),
    /** When it was switched off; null while it is on. */
    offAt: time().nullable(),
    /** Why it was switched off. */
    offReason: text().nullable(),
  },
});

export type WebhookEndpoint = RowOf<typeof webhookEndpoints>;
