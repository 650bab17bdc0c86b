import type { PendingRegistration } from '../../entities/pending-registration.ts';
import type { Backend } from '../backend.ts';
import { openTable, type Run } from './table.ts';
import type { Listing } from './users.ts';

export function createPending(backend: Backend, run: Run) {
  const { pending: entity } = backend.entities;
  const table = openTable<PendingRegistration>(backend, entity, run);
  /** Rows that will become users, as opposed to those that verify one. */
  const waiting = (search: string | null | undefined, now: Date) => {
    const texts = ['email', 'fullName'].map(
      property => search && backend.containing(entity, property, search),
    );
    return { userId: null, expiresAt: { $gt: now }, ...(search && { $or: texts }) };
  };

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
    list: ({ search, after, skip, limit }: Listing, now: Date) =>
      table.list(
        { ...waiting(search, now), ...(after && { email: { $gt: after } }) },
        { orderBy: { email: 'asc' }, limit, offset: skip },
      ),

    countWaiting: (now: Date, search?: string | null) => table.count(waiting(search, now)),

    /** Deletes rows that ended at or before this time and answers how many. */
    purge: (before: Date) => table.delete({ expiresAt: { $lte: before } }),
  };
}
