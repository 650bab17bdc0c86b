import { type PasswordFailures, passwordFailures } from '../../tables/password-failures.ts';
import type { Backend } from '../backend.ts';
import { openTable, type Run } from './table.ts';

export function createPasswordFailures(backend: Backend, run: Run) {
  const table = openTable(backend, passwordFailures, run);
  return {
    find: (subject: string) => table.find({ subject }),

    /** Stores the first failure. Returns false when the subject has a row. */
    add: (row: PasswordFailures) => table.insert(row),

    /** Adds one failure of this password. Returns the row as changed, or null when it is not about this password. */
    increment: ({ subject, password }: PasswordFailures) =>
      table.change({ subject, password }, { increment: { failures: 1 } }),

    /** Makes the row, as it was read, that of another password with one failure (compare-and-set). */
    restart: ({ subject, password }: PasswordFailures, other: string) =>
      table.change({ subject, password }, { set: { password: other, failures: 1 } }),

    /** Begins at 0 again, unless there are as many failures as `most`. Returns false when there are, or no such row. */
    reset: ({ subject, password }: PasswordFailures, most: number) =>
      table.update({ subject, password, failures: { $lt: most } }, { set: { failures: 0 } }),

    remove: (subject: string) => table.delete({ subject }),
  };
}
