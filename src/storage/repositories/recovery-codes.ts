import { type RecoveryCodes, recoveryCodes } from '../../tables/recovery-codes.ts';
import type { Backend } from '../backend.ts';
import { openTable, type Run } from './table.ts';

export function createRecoveryCodes(backend: Backend, run: Run) {
  const table = openTable(backend, recoveryCodes, run);
  return {
    find: (userId: string) => table.find({ userId }),

    /** Stores the codes of an account that has none. Returns false when it has some. */
    add: (codes: RecoveryCodes) => table.insert(codes),

    /** Stores the codes of an account and replaces its former ones as a whole. */
    replace: (codes: RecoveryCodes) => table.replace(codes),

    /** Replaces the hashes as they were read (compare-and-set). Of several concurrent calls, one returns true. */
    change: ({ userId, version }: RecoveryCodes, fresh: Pick<RecoveryCodes, 'hashes' | 'version'>) =>
      table.update({ userId, version }, { set: fresh }),

    /** Removes the codes if they are still as they were read. Returns whether they were. */
    removeRead: async ({ userId, version }: RecoveryCodes) => (await table.delete({ userId, version })) > 0,
  };
}
