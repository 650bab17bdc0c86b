import { defineEntity, type KeyColumn, p, type Stored } from './columns.ts';

/**
 * What became of the deliveries to an endpoint (CONTRACT §12.2), for every process on the database. There is no row for an
 * endpoint that has always taken everything. Its times are those of the database's clock.
 */
export function webhookEndpoint(tableName: string, key: KeyColumn) {
  return defineEntity({
    name: 'WebhookEndpoint',
    tableName,
    properties: {
      /** The name in the configuration. */
      id: p.text().primary().fieldName(key('id')),
      /** Since when it has taken nothing; null after a delivery that it took. */
      failingSince: p.datetime(3).nullable(),
      /** When it was switched off; null while it is on. */
      offAt: p.datetime(3).nullable(),
      /** Why it was switched off. */
      offReason: p.text().nullable(),
    },
  });
}

export type WebhookEndpoint = Stored<ReturnType<typeof webhookEndpoint>>;
