import type { NotMeLink, NotMeState } from '../../entities/not-me-link.ts';
import { type Backend, fromNow } from '../backend.ts';
import { openTable, type Run } from './table.ts';

/** The id of the row that locks an account while it is put back. */
const lockOf = (userId: string) => `account:${userId}`;

export function createNotMeLinks(backend: Backend, run: Run) {
  const table = openTable<NotMeLink>(backend, backend.entities.notMeLink, run);
  const createdNow = { createdAt: fromNow(0) } as unknown as Pick<NotMeLink, 'createdAt'>;

  return {
    /** Stores a link. Its time is that of the database. */
    async add(link: Pick<NotMeLink, 'id' | 'userId' | 'snapshot' | 'expiresAt'>): Promise<void> {
      await table.insert({ ...link, ...createdNow, state: 'open', failures: 0 });
    },

    find: (id: string) => table.find({ id }),

    /** Moves a link on from the state in which it was read. Of several concurrent calls, one returns true. */
    advance: ({ id, state }: NotMeLink, next: NotMeState) =>
      table.update({ id, state }, { set: { state: next } }),

    /** Counts a wrong password. */
    fail: (id: string) => table.update({ id }, { increment: { failures: 1 } }),

    /** Returns the links of an account, oldest first. */
    listByUser: async (userId: string): Promise<NotMeLink[]> =>
      (await table.findAll({ userId }))
        .filter(({ id }) => id !== lockOf(userId))
        .toSorted((a, b) => a.createdAt.getTime() - b.createdAt.getTime()),

    remove: (id: string) => table.delete({ id }),

    /** Locks an account for a link until a time. Returns false when it is locked. */
    lock: (userId: string, link: string, until: Date): Promise<boolean> =>
      // Without a time of the database: MongoDB would replace the row that is there.
      table.insert({
        ...{ id: lockOf(userId), userId, snapshot: link, state: 'open', failures: 0 },
        ...{ createdAt: until, expiresAt: until },
      }),

    /** Returns the lock of an account: the id of the link that has it, and until when. */
    async findLock(userId: string): Promise<{ link: string; until: Date } | null> {
      const row = await table.find({ id: lockOf(userId) });
      return row && { link: row.snapshot, until: row.expiresAt };
    },

    /** Removes a lock as it was read. */
    unlock: (userId: string, { link, until }: { link: string; until: Date }) =>
      table.delete({ id: lockOf(userId), snapshot: link, expiresAt: until }),

    removeAll: (userId: string) => table.delete({ userId }),

    /** Deletes links that ended at or before this time and returns how many. */
    purge: (before: Date) => table.delete({ expiresAt: { $lte: before } }),
  };
}
