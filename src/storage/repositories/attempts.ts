import type { LoginAttempt } from '../../entities/login-attempt.ts';
import type { Backend } from '../backend.ts';
import { openTable, type Run } from './table.ts';

export function createAttempts(backend: Backend, run: Run) {
  const table = openTable<LoginAttempt>(backend, backend.entities.loginAttempt, run);
  return {
    add: async (attempt: LoginAttempt) => {
      await table.insert(attempt);
    },

    /** How many failures of this address are later than the given time. */
    countSince: (email: string, since: Date) => table.count({ email, when: { $gt: since } }),

    /** The earliest failures of this address that are later than the given time, oldest first. */
    listSince: (email: string, since: Date, limit: number) =>
      table.list({ email, when: { $gt: since } }, { orderBy: { when: 'asc' }, limit }),

    /** Forgets every failure of this address and answers how many there were. */
    clear: (email: string) => table.delete({ email }),

    /** Deletes failures at or before this time and answers how many. */
    purge: (before: Date) => table.delete({ when: { $lte: before } }),
  };
}
