import { latestEnd } from '../../clock.ts';
import { type PendingRegistration, pendingRegistrations } from '../../tables/pending-registration.ts';
import type { Backend } from '../backend.ts';
import type { Listing } from './listing.ts';
import { openTable, type Run } from './table.ts';

/** The fields of a registration that replaces another. */
type Replacement = Pick<
  PendingRegistration,
  'tokenHash' | 'fullName' | 'locale' | 'fields' | 'fieldsAt' | 'createdAt' | 'expiresAt'
>;

/**
 * Adds what is missing from MongoDB documents of an earlier version, and omits own fields that belong to a registration
 * which such a version has replaced.
 */
export const complete = (row: PendingRegistration): PendingRegistration => ({
  ...row,
  isContested: Boolean(row.isContested),
  fields: row.fieldsAt?.getTime() === row.createdAt.getTime() ? row.fields : null,
});

export function createPending(backend: Backend, run: Run, lifetimeSeconds: number) {
  const table = openTable(backend, pendingRegistrations, run);
  /** The condition for rows that will become users, as opposed to those that verify an existing one or have expired. */
  const pendingAt = (now: Date) => ({
    userId: null,
    expiresAt: { $gt: now, $lte: latestEnd(lifetimeSeconds, now) },
  });
  const selectUnexpired = (now: Date, text?: string | null) => ({
    where: pendingAt(now),
    search: text ? { text, properties: ['email', 'fullName'] as const } : undefined,
  });

  const find = async (where: { email: string } | { tokenHash: string }) => {
    const row = await table.find(where);
    return row && complete(row);
  };

  return {
    /** Stores the row. Returns false when its address already has one. */
    add: (record: PendingRegistration) => table.insert(record),

    /**
     * Marks the pending registration of this address as contested, and replaces the given fields. Returns false when there
     * is none, or when it is being made into a user.
     */
    contest: (email: string, now: Date, replacement: Partial<Replacement>) =>
      table.update(
        { email, claimedAt: null, ...pendingAt(now) },
        { set: { ...replacement, hashedPassword: null, isContested: true } },
      ),

    /** Replaces the row as it was read with the record. Returns false when that row was changed or taken since. */
    supersede: ({ email, tokenHash }: PendingRegistration, record: PendingRegistration) =>
      table.update({ email, tokenHash }, { set: { ...record } }),

    /**
     * Claims a registration as it was read, so that a user is made of it. Returns false when it was replaced, contested or
     * taken since. Several callers may claim the same one: the unique address of the user decides which of them creates
     * it.
     */
    claim: ({ email, tokenHash, hashedPassword }: PendingRegistration, now: Date) =>
      table.update({ email, tokenHash, hashedPassword, userId: null }, { set: { claimedAt: now } }),

    find: (email: string) => find({ email }),

    findByTokenHash: (tokenHash: string) => find({ tokenHash }),

    /**
     * Deletes the row as it was read. Returns false when a concurrent call was first, or when a new link has replaced it.
     */
    consume: async ({ email, tokenHash }: Pick<PendingRegistration, 'email' | 'tokenHash'>) =>
      (await table.delete({ email, tokenHash })) > 0,

    /** Sets another link in the row as it was read. Returns false when it was taken or replaced since. */
    renew: (
      { email, tokenHash }: PendingRegistration,
      fresh: Pick<PendingRegistration, 'tokenHash' | 'expiresAt'>,
    ) => table.update({ email, tokenHash }, { set: fresh }),

    /** Deletes the pending registration of this address. Returns false when there was none. */
    remove: async (email: string) => (await table.delete({ email })) > 0,

    /**
     * Deletes what was pending beside an account that has left this address: its own verification, and the registration as it
     * was read before. One that is found afterwards may be of somebody new.
     */
    async removeBeside(
      left: { id: string; email: string },
      before: PendingRegistration | null,
    ): Promise<void> {
      const { id: userId, email } = left;
      await Promise.all([
        table.delete({ email, userId }),
        before?.userId === null && table.delete({ email, tokenHash: before.tokenHash }),
      ]);
    },

    /** Deletes the pending registrations of these addresses. */
    removeAll: (emails: string[]) => table.delete({ email: { $in: emails } }),

    /** Returns a page of the unexpired registrations, ordered by address, and the total. */
    async listAndCount({ search, after, skip, limit }: Listing<string>, now: Date, most: number) {
      const { rows, total } = await table.listAndCount(
        selectUnexpired(now, search),
        { orderBy: ['email'], direction: 'asc', after: after == null ? null : [after], limit, offset: skip },
        most,
      );
      return { rows: rows.map(complete), total };
    },

    /** Returns how many unexpired registrations there are, or `most` if there are as many or more. */
    count: (now: Date, search?: string | null, most?: number) =>
      table.count(selectUnexpired(now, search), most),
  };
}
