import type { OAuthState } from '../../entities/oauth-state.ts';
import type { Backend } from '../backend.ts';
import { openTable, type Run } from './table.ts';

export function createOAuthStates(backend: Backend, run: Run) {
  const table = openTable<OAuthState>(backend, backend.entities.oauthState, run);
  return {
    add: async (state: OAuthState) => {
      await table.insert(state);
    },

    /** Ids are URL-safe; anything else is nobody's, and not for every database to look at. */
    find: async (id: string) => (/^[\w-]{1,100}$/.test(id) ? table.find({ id }) : null),

    /** Deletes the row; of several that take it at once, one is told true and may use what it read. */
    take: async (id: string) => (await table.delete({ id })) > 0,

    /** Deletes rows that ended at or before this time and answers how many. */
    purge: (before: Date) => table.delete({ expiresAt: { $lte: before } }),
  };
}
