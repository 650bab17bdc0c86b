import type { MfaCode, MfaCodeKind } from '../../entities/mfa-code.ts';
import type { Backend } from '../backend.ts';
import { openTable, type Run } from './table.ts';

/** The id under which there is one code a user and kind. */
const idOf = (userId: string, kind: MfaCodeKind) => `${userId}:${kind}`;

export function createMfaCodes(backend: Backend, run: Run) {
  const table = openTable<MfaCode>(backend, backend.entities.mfaCode, run);
  return {
    /** Stores the code in place of an earlier one of its user and kind. */
    replace: (code: Omit<MfaCode, 'id'>) => table.replace({ id: idOf(code.userId, code.kind), ...code }),

    find: (userId: string, kind: MfaCodeKind) => table.find({ id: idOf(userId, kind) }),

    /**
     * Takes one of the guesses that this code allows, before it is compared; false when none is left or another code
     * has replaced it. However many guess at once, no more than `max` are told true.
     */
    claimGuess: ({ id, codeHash }: MfaCode, max: number) =>
      table.update({ id, codeHash, attempts: { $lt: max } }, { increment: { attempts: 1 } }),

    /** Deletes the code as it was read; of several at once, one is told true. */
    take: async ({ id, codeHash }: MfaCode) => (await table.delete({ id, codeHash })) > 0,

    removeAll: (userId: string) => table.delete({ userId }),

    /** Deletes codes that ended at or before this time and answers how many. */
    purge: (before: Date) => table.delete({ expiresAt: { $lte: before } }),
  };
}
