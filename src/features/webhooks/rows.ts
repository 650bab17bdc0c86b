import { type Backend, fromNow, type Patch } from '../../storage/backend.ts';
import { openTable, type Run } from '../../storage/repositories/table.ts';
import { type WebhookEndpoint, webhookEndpoints } from './table.ts';

export type WebhookEndpointRows = ReturnType<typeof createWebhookEndpointRows>;

export function createWebhookEndpointRows(backend: Backend, run: Run) {
  const table = openTable(backend, webhookEndpoints, run);
  const none = { failingSince: null, offAt: null, offReason: null };

  /** Changes a row as `table.update` does; an endpoint without a row gets one first. */
  async function change(where: { id: string } & Partial<typeof none>, patch: Patch): Promise<boolean> {
    if (await table.update(where, patch)) return true;
    const isNew = await table.insert({ ...none, id: where.id });
    return isNew && table.update(where, patch);
  }

  return {
    list: (): Promise<WebhookEndpoint[]> => table.list({ where: {} }, { orderBy: ['id'], direction: 'asc' }),

    /** Records that an endpoint has not taken a delivery; the first one since it last took one is what counts. */
    async failed(id: string): Promise<void> {
      await change({ id, failingSince: null }, { set: { failingSince: fromNow(0) } });
    },

    /** Records that an endpoint has taken a delivery. */
    async taken(id: string): Promise<void> {
      await table.update({ id }, { set: { failingSince: null } });
    },

    /** Switches an endpoint off. Returns false when it is off already. */
    switchOff: (id: string, offReason: string): Promise<boolean> =>
      change({ id, offAt: null }, { set: { offAt: fromNow(0), offReason } }),

    /** Switches an endpoint off that has taken nothing for this time, in milliseconds. Returns false for any other. */
    switchOffIfFailing: (id: string, forMs: number, offReason: string): Promise<boolean> =>
      table.update(
        { id, offAt: null, failingSince: { $lte: fromNow(-forMs) } },
        { set: { offAt: fromNow(0), offReason } },
      ),

    /** Switches an endpoint on again. Returns false when it was on. */
    async enable(id: string): Promise<boolean> {
      const { offAt } = (await table.find({ id })) ?? none;
      await table.update({ id }, { set: none });
      return offAt !== null;
    },
  };
}
