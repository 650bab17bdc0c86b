import { type Authenticator, authenticators } from '../../tables/authenticator.ts';
import type { Backend } from '../backend.ts';
import { openTable, type Run } from './table.ts';

/** The most authenticators of all kinds that one account can have (CONTRACT §9.1). */
export const mostAuthenticators = 10;

export function createAuthenticators(backend: Backend, run: Run) {
  const table = openTable(backend, authenticators, run);

  const listByUser = async (userId: string): Promise<Authenticator[]> =>
    (await table.findAll({ userId })).toSorted((a, b) => (a.id < b.id ? -1 : 1));

  return {
    /** Returns the authenticators of an account, oldest first. */
    listByUser,

    /** Returns the passkey with this credential id. */
    findByCredential: (credentialId: string) => table.find({ credentialId }),

    /**
     * Adds an authenticator in a free slot of its account. The unique slot decides, so parallel calls never exceed the
     * limit. Returns `full` when no slot is free, `taken` when the credential is registered already, and `other_handle`
     * when the passkeys of the account have another user handle.
     */
    async add(
      authenticator: Omit<Authenticator, 'slot'>,
    ): Promise<'added' | 'full' | 'taken' | 'other_handle'> {
      const { userId, credentialId, userHandle } = authenticator;
      for (;;) {
        const rows = await table.findAll({ userId });
        const handle = rows.find(row => row.userHandle !== null)?.userHandle;
        if (userHandle !== null && handle !== undefined && handle !== userHandle) return 'other_handle';
        const used = new Set(rows.map(({ slot }) => slot));
        const slot = Array.from({ length: mostAuthenticators }, (_, n) => `${userId}:${n}`).find(
          name => !used.has(name),
        );
        if (slot === undefined) return 'full';
        if (await table.insert({ ...authenticator, slot })) return 'added';
        if (await table.find({ credentialId })) return 'taken';
      }
    },

    /** Changes the name. Returns false when the authenticator is gone. */
    rename: (id: string, name: string) => table.update({ id }, { set: { name } }),

    /** Accepts the code of a time step, once: returns false when this step or a later one was accepted before. */
    acceptStep: (id: string, lastStep: number, lastUsedAt: Date) =>
      table.update({ id, lastStep: { $lt: lastStep } }, { set: { lastStep, lastUsedAt } }),

    /** Replaces the encrypted secret, after the encryption key was rotated. */
    reencrypt: ({ id, secret }: Authenticator, fresh: string) =>
      table.update({ id, secret }, { set: { secret: fresh } }),

    /**
     * Records the use of a passkey as it was read (compare-and-set on the counter). Returns false when it was used or
     * removed meanwhile.
     */
    recordUse: (
      { id, signCount }: Authenticator,
      use: Pick<Authenticator, 'signCount' | 'isSynced' | 'lastUsedAt'>,
    ) => table.update({ id, signCount }, { set: use }),

    /** Deletes one. Of several concurrent calls, one returns true. */
    remove: async (userId: string, id: string) => (await table.delete({ id, userId })) > 0,
  };
}
