import type { Backend, OwnedRow } from '../../storage/backend.ts';
import { openTable, type Run } from '../../storage/repositories/table.ts';
import { type ApiKeyRow, apiKeys } from './table.ts';

export type ApiKeyRows = ReturnType<typeof createApiKeyRows>;

const isLive = ({ expiresAt }: ApiKeyRow, now: Date) => expiresAt === null || expiresAt > now;

export function createApiKeyRows(backend: Backend, run: Run) {
  const table = openTable(backend, apiKeys, run);

  const listByUser = async (ownerId: string): Promise<ApiKeyRow[]> =>
    (await table.findAll({ ownerKind: 'user', ownerId })).toSorted((a, b) => (a.id < b.id ? 1 : -1));

  return {
    /** Returns the keys of an account, newest first. */
    listByUser,

    /** Returns a key by its hash, with its owner, by one read. */
    findByHash: (hash: string): Promise<OwnedRow<ApiKeyRow> | null> =>
      table.findOwned({ property: 'hash', value: hash }),

    /** Returns the key of an access token, with its owner, by one read; null where the token was ended. */
    findOfToken: (id: string, tokenJti: string): Promise<OwnedRow<ApiKeyRow> | null> =>
      table.findOwned({ property: 'id', value: id, tokenJti }),

    /**
     * Adds a key in a free slot of its account, at the cost of the oldest expired one where none is free. The unique slot
     * decides, so parallel calls never exceed the limit. Returns false when so many keys that have not expired are there.
     */
    async add(row: Omit<ApiKeyRow, 'slot'>, most: number): Promise<boolean> {
      const { ownerId, createdAt: now } = row;
      const slots = Array.from({ length: most }, (_, number) => `${ownerId}:${number}`);
      for (;;) {
        const rows = await listByUser(ownerId);
        if (rows.filter(each => isLive(each, now)).length >= most) return false;
        const used = new Set(rows.map(({ slot }) => slot));
        const free = slots.filter(each => !used.has(each));
        // At random, so that parallel calls seldom want the same one.
        const slot = free[Math.floor(Math.random() * free.length)];
        if (slot !== undefined) {
          if (await table.insert({ ...row, slot })) return true;
          continue;
        }
        const expired = rows.filter(each => slots.includes(each.slot) && !isLive(each, now));
        // The keys in these slots, and some beyond a former, higher limit.
        if (expired.length === 0) return false;
        await table.delete({ id: expired.at(-1)!.id });
      }
    },

    /** Changes the name. Returns the key as changed, or null when the account has none with this id. */
    rename: (ownerId: string, id: string, name: string): Promise<ApiKeyRow | null> =>
      table.change({ id, ownerId }, { set: { name } }),

    /** Records a use, unless another process has stored one after `notAfter`, or the first one of all. */
    async see(
      { id, lastUsedAt }: ApiKeyRow,
      use: Pick<ApiKeyRow, 'lastUsedAt' | 'lastUsedIp'>,
      notAfter: Date,
    ): Promise<void> {
      const where = lastUsedAt === null ? { id, lastUsedAt } : { id, lastUsedAt: { $lte: notAfter } };
      await table.update(where, { set: use });
    },

    /** Returns the keys that end in this time and without a warning so far. */
    listEnding: (from: Date, to: Date): Promise<ApiKeyRow[]> =>
      table.findAll({ warnedAt: null, expiresAt: { $gt: from, $lte: to } }),

    /** Records that the owner is warned. Of several concurrent calls, one returns true. */
    warn: (id: string, warnedAt: Date): Promise<boolean> =>
      table.update({ id, warnedAt: null }, { set: { warnedAt } }),

    /** Takes the record of a warning back that could not be sent. */
    async unwarn(id: string, warnedAt: Date): Promise<void> {
      await table.update({ id, warnedAt }, { set: { warnedAt: null } });
    },

    /** Deletes one. Of several concurrent calls, one returns true. */
    remove: async (ownerId: string, id: string): Promise<boolean> =>
      (await table.delete({ id, ownerId })) > 0,

    /** Deletes the keys that had expired by this time, and returns how many. */
    purge: (expiredBy: Date): Promise<number> => table.purge({ expiresAt: { $lte: expiredBy } }),
  };
}
