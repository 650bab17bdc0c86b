import { type Backend, fromNow } from '../../storage/backend.ts';
import { openTable, type Run } from '../../storage/repositories/table.ts';
import { retiredMs, type SigningKeysRow, type StoredKey, signingKeys } from './table.ts';

export type SigningKeyRows = ReturnType<typeof createSigningKeyRows>;

export function createSigningKeyRows(backend: Backend, run: Run) {
  const table = openTable(backend, signingKeys, run);

  const list = (): Promise<SigningKeysRow[]> =>
    table.list({ where: {} }, { orderBy: ['id'], direction: 'asc' });

  /** Changes a ring as it was read. Returns false when it was changed meanwhile. */
  const change = (
    { id, version }: Pick<SigningKeysRow, 'id' | 'version'>,
    keys: StoredKey[],
  ): Promise<boolean> =>
    table.update({ id, version }, { set: { keys, updatedAt: fromNow(0) }, increment: { version: 1 } });

  return {
    /** Returns the ring of every algorithm that has one. */
    list,

    find: (algorithm: string): Promise<SigningKeysRow | null> => table.find({ id: algorithm }),

    /** Stores the first keys of an algorithm. Returns false when it has a ring already. */
    add: (algorithm: string, keys: StoredKey[], updatedAt: Date): Promise<boolean> =>
      table.insert({ id: algorithm, version: 1, keys, updatedAt }),

    change,

    /** Removes retired keys whose time was over at this moment. Returns how many. */
    async purge(now: Date): Promise<number> {
      let count = 0;
      for (const row of await list()) {
        const kept = row.keys.filter(key => key.state !== 'retired' || key.since + retiredMs > now.getTime());
        const gone = row.keys.length - kept.length;
        if (gone > 0 && (await change(row, kept))) count += gone;
      }
      return count;
    },
  };
}
