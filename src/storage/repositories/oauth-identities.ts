import type { OAuthIdentity } from '../../entities/oauth-identity.ts';
import type { Backend } from '../backend.ts';
import { openTable, type Run } from './table.ts';

export function createOAuthIdentities(backend: Backend, run: Run) {
  const table = openTable<OAuthIdentity>(backend, backend.entities.oauthIdentity, run);
  return {
    /** Links; false when the subject has a user already, or the user a subject of this provider. */
    add: (identity: OAuthIdentity) => table.insert(identity),

    findBySubject: (provider: string, subjectId: string) => table.find({ provider, subjectId }),

    listByUser: (userId: string) =>
      table.list({ where: { userId } }, { orderBy: 'linkedAt', direction: 'asc' }),

    /** Notes a sign-in; false when the identity was unlinked meanwhile. */
    touch: (id: string, lastUsedAt: Date) => table.update({ id }, { set: { lastUsedAt } }),

    remove: async (id: string) => (await table.delete({ id })) > 0,

    removeAll: (userId: string) => table.delete({ userId }),
  };
}
