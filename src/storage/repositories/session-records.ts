import type { SessionRecord } from '../../entities/session-record.ts';
import type { Backend } from '../backend.ts';
import { openTable, type Run } from './table.ts';

export function createSessionRecords(backend: Backend, run: Run) {
  const table = openTable<SessionRecord>(backend, backend.entities.session, run);
  return {
    add: async (record: SessionRecord) => {
      await table.insert(record);
    },

    find: (id: string) => table.find({ id }),

    /** Returns every record of an account, including those of ended sessions. */
    listByUser: (userId: string) => table.findAll({ userId }),

    /** Moves the time of the last use forward. Returns false when it is later already, or the record is gone. */
    touch: (id: string, lastSeenAt: Date, notAfter: Date) =>
      table.update({ id, lastSeenAt: { $lte: notAfter } }, { set: { lastSeenAt } }),

    remove: (id: string) => table.delete({ id }),

    removeMany: (ids: string[]) => table.delete({ id: { $in: ids } }),

    removeAll: (userId: string) => table.delete({ userId }),

    /** Deletes records of sessions that expired at or before this time and returns how many. */
    purge: (before: Date) => table.delete({ expiresAt: { $lte: before } }),
  };
}
