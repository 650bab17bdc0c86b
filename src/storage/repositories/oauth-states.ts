import { type OAuthState, oauthStates } from '../../tables/oauth-state.ts';
import type { Backend } from '../backend.ts';
import { openTable, type Run } from './table.ts';

export function createOAuthStates(backend: Backend, run: Run) {
  const table = openTable(backend, oauthStates, run);
  return {
    add: async (state: OAuthState) => {
      await table.insert(state);
    },

    /** Ids are URL-safe; no other text can be one, and not every database accepts every text. */
    find: async (id: string) => (/^[\w-]{1,100}$/.test(id) ? table.find({ id }) : null),

    /** Deletes the row. Of several concurrent calls, one returns true and may use what it read. */
    consume: async (id: string) => (await table.delete({ id })) > 0,

    /**
     * Deletes flows that ended at or before `before`, and results that ended at or before `resultsBefore`. Returns how
     * many there were.
     */
    async purge(before: Date, resultsBefore = before): Promise<number> {
      // Every result sorts after the empty text; a flow in progress has none.
      const results = await table.purge({ expiresAt: { $lte: resultsBefore }, resultToken: { $gt: '' } });
      return results + (await table.purge({ expiresAt: { $lte: before } }));
    },
  };
}
