import type { PendingRegistration } from '../../entities/pending-registration.ts';
import type { Backend } from '../backend.ts';
import { openTable, type Run } from './table.ts';

export function createPending(backend: Backend, run: Run) {
  const table = openTable<PendingRegistration>(backend, backend.entities.pending, run);
  return {
    /** Stores the row in place of an earlier one of its address, whose link is dead from then on. */
    replace: (record: PendingRegistration) => table.replace(record),

    find: (email: string) => table.find({ email }),

    findByTokenHash: (tokenHash: string) => table.find({ tokenHash }),

    /** Deletes the row as it was read; false when somebody was faster, or when a new link has replaced it. */
    take: async ({ email, tokenHash }: PendingRegistration) => (await table.delete({ email, tokenHash })) > 0,

    /** Deletes what waits for this address; false when nothing did. */
    remove: async (email: string) => (await table.delete({ email })) > 0,

    /** Deletes rows that ended at or before this time and answers how many. */
    purge: (before: Date) => table.delete({ expiresAt: { $lte: before } }),
  };
}
