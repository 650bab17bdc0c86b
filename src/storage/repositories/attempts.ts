import type { LoginAttempt } from '../../entities/login-attempt.ts';
import type { Backend } from '../backend.ts';
import { openTable, type Run } from './table.ts';

export function createAttempts(backend: Backend, run: Run) {
  const table = openTable<LoginAttempt>(backend, backend.entities.loginAttempt, run);
  return {
    /** Stores the row; false when its id is there already. */
    add: (attempt: LoginAttempt) => table.insert(attempt),

    /** Gives the row as it was read a new time; of several that do so at once, one is told true. */
    renew: ({ id, when }: LoginAttempt, fresh: Pick<LoginAttempt, 'when' | 'ip' | 'settled'>) =>
      table.update({ id, when }, { set: fresh }),

    /** Deletes the row as it was read. */
    remove: ({ id, when }: LoginAttempt) => table.delete({ id, when, settled: false }),

    /** Every row of this subject, those beyond any window included. */
    list: (email: string) => table.all({ email }),

    /** Forgets every row of these subjects and answers how many there were. */
    clear: (...emails: string[]) => table.delete({ email: { $in: emails } }),

    /** Deletes rows of this time or earlier and answers how many. */
    purge: (before: Date) => table.delete({ when: { $lte: before } }),
  };
}
