import { type SessionRecord, sessionRecords } from '../../tables/session-record.ts';
import type { Backend } from '../backend.ts';
import { openTable, type Run } from './table.ts';

export function createSessionRecords(backend: Backend, run: Run) {
  const table = openTable(backend, sessionRecords, run);
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
  };
}
