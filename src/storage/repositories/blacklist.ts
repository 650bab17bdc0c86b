import { type BlacklistEntry, blacklist } from '../../tables/blacklist-entry.ts';
import type { Backend } from '../backend.ts';
import { openTable, type Run } from './table.ts';

export function createBlacklist(backend: Backend, run: Run) {
  const table = openTable(backend, blacklist, run);
  return {
    /** Revokes this token from now on. Of several calls for one token, exactly one returns true. */
    add: (entry: BlacklistEntry): Promise<boolean> => table.insert(entry),

    /** Revokes these tokens from now on, those that are not revoked yet. */
    addMany: (entries: BlacklistEntry[]) => table.insertMany(entries),

    has: async (jti: string) => (await table.find({ jti })) !== null,
  };
}
