import { type Backend, fromNow } from '../../storage/backend.ts';
import { openTable, type Run } from '../../storage/repositories/table.ts';
import { type SigningKeysRow, type StoredKey, signingKeys } from './table.ts';

export type SigningKeyRows = ReturnType<typeof createSigningKeyRows>;

export function createSigningKeyRows(backend: Backend, run: Run) {
  const table = openTable(backend, signingKeys, run);

  return {
    /** Returns the ring of every algorithm that has one. */
    list: (): Promise<SigningKeysRow[]> => table.list({ where: {} }, { orderBy: ['id'], direction: 'asc' }),

    find: (algorithm: string): Promise<SigningKeysRow | null> => table.find({ id: algorithm }),

    /** Stores the first keys of an algorithm. Returns false when it has a ring already. */
    add: (algorithm: string, keys: StoredKey[], updatedAt: Date): Promise<boolean> =>
      table.insert({ id: algorithm, version: 1, keys, updatedAt }),

    /** Changes a ring as it was read. Returns false when it was changed meanwhile. */
    change: ({ id, version }: Pick<SigningKeysRow, 'id' | 'version'>, keys: StoredKey[]): Promise<boolean> =>
      table.update({ id, version }, { set: { keys, updatedAt: fromNow(0) }, increment: { version: 1 } }),
  };
}
