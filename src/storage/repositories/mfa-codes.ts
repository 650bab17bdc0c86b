import { type MfaCode, type MfaCodeKind, mfaCodes } from '../../tables/mfa-code.ts';
import type { Backend } from '../backend.ts';
import { openTable, type Run } from './table.ts';

/** Returns the id of the single code per user and kind. */
const idOf = (userId: string, kind: MfaCodeKind) => `${userId}:${kind}`;

export function createMfaCodes(backend: Backend, run: Run) {
  const table = openTable(backend, mfaCodes, run);
  return {
    /** Stores the code and replaces an earlier one of its user and kind. */
    replace: (code: Omit<MfaCode, 'id' | 'boundTo'> & Partial<Pick<MfaCode, 'boundTo'>>) =>
      table.replace({ id: idOf(code.userId, code.kind), boundTo: null, ...code }),

    find: (userId: string, kind: MfaCodeKind) => table.find({ id: idOf(userId, kind) }),

    /**
     * Claims one of the attempts that this code allows, before it is compared (brute force). Returns false when none is
     * left or when another code has replaced it. Of any number of concurrent calls, at most `max` return true.
     */
    claimGuess: ({ id, codeHash }: MfaCode, max: number) =>
      table.update({ id, codeHash, attempts: { $lt: max } }, { increment: { attempts: 1 } }),

    /** Deletes the code as it was read. Of several concurrent calls, one returns true. */
    consume: async ({ id, codeHash }: MfaCode) => (await table.delete({ id, codeHash })) > 0,

    removeAll: (userId: string) => table.delete({ userId }),
  };
}
