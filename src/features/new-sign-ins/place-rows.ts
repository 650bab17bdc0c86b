import type { Backend } from '../../storage/backend.ts';
import { openTable, type Run } from '../../storage/repositories/table.ts';
import { type SignInPlace, signInPlaces } from './place-table.ts';

export function createSignInPlaceRows(backend: Backend, run: Run) {
  const table = openTable(backend, signInPlaces, run);
  return {
    find: (id: string) => table.find({ id }),

    /** Stores a place. Returns false when the account has it already. */
    add: (place: SignInPlace) => table.insert(place),

    /** Changes a place as it was read (compare-and-set on its last use). Of several concurrent calls, one returns true. */
    change: ({ id, lastUsedAt }: SignInPlace, set: Pick<SignInPlace, 'lastUsedAt' | 'announcedAt'>) =>
      table.update({ id, lastUsedAt }, { set }),

    /** Moves the time of the last use of a place that the owner knows forward. */
    touch: (id: string, lastUsedAt: Date) =>
      table.update({ id, lastUsedAt: { $lt: lastUsedAt } }, { set: { lastUsedAt } }),

    /** Records that the owner was told. */
    announce: (id: string, announcedAt: Date) => table.update({ id }, { set: { announcedAt } }),

    remove: (id: string) => table.delete({ id }),

    removeAll: (userId: string) => table.delete({ userId }),
  };
}
