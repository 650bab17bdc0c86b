import type { PendingRegistration } from '../../entities/pending-registration.ts';
import type { Backend } from '../backend.ts';
import { openTable, type Run } from './table.ts';
import type { Listing } from './users.ts';

export function createPending(backend: Backend, run: Run) {
  const table = openTable<PendingRegistration>(backend, backend.entities.pending, run);
  /** Rows that will become users, as opposed to those that verify one. */
  const waiting = (now: Date, text?: string | null) => ({
    where: { userId: null, expiresAt: { $gt: now } },
    search: text ? { text, properties: ['email', 'fullName'] as const } : undefined,
  });

  return {
    /** Stores the row in place of an earlier one of its address, whose link is dead from then on. */
    replace: (record: PendingRegistration) => table.replace(record),

    find: (email: string) => table.find({ email }),

    findByTokenHash: (tokenHash: string) => table.find({ tokenHash }),

    /** Deletes the row as it was read; false when somebody was faster, or when a new link has replaced it. */
    take: async ({ email, tokenHash }: PendingRegistration) => (await table.delete({ email, tokenHash })) > 0,

    /** Gives the row as it was read another link; false when it was taken or replaced since. */
    renew: (
      { email, tokenHash }: PendingRegistration,
      fresh: Pick<PendingRegistration, 'tokenHash' | 'expiresAt'>,
    ) => table.update({ email, tokenHash }, { set: fresh }),

    /** Deletes what waits for this address; false when nothing did. */
    remove: async (email: string) => (await table.delete({ email })) > 0,

    /** Registrations that have not ended, in the order of their addresses. */
    list({ search: text, after, skip, limit }: Listing, now: Date) {
      const { where, search } = waiting(now, text);
      return table.list(
        { where: { ...where, ...(after && { email: { $gt: after } }) }, search },
        { orderBy: 'email', direction: 'asc', limit, offset: skip },
      );
    },

    /** How many there are of which `list` gives parts, or `most` where there are as many or more. */
    count: (now: Date, search?: string | null, most?: number) => table.count(waiting(now, search), most),

    /** Deletes rows that ended at or before this time and answers how many. */
    purge: (before: Date) => table.delete({ expiresAt: { $lte: before } }),
  };
}
