import { type OAuthIdentity, oauthIdentities } from '../../tables/oauth-identity.ts';
import type { Backend } from '../backend.ts';
import { UniqueViolation } from '../errors.ts';
import { openTable, type Run } from './table.ts';

/** An identity provider: its name in the configuration, and its issuer. */
export interface IdentityIssuer {
  name: string;
  issuer: string;
}

type NewIdentity = Omit<OAuthIdentity, 'unlinking' | 'acr' | 'amr'> &
  Partial<Pick<OAuthIdentity, 'unlinking' | 'acr' | 'amr'>>;

/** The columns that a new identity may be without. */
const usual = { acr: null, amr: null, unlinking: null };

function ignoreUniqueViolation(error: unknown): false {
  if (error instanceof UniqueViolation) return false;
  throw error;
}

/** The issuer in rows that a version without issuers stored: the default on SQL, missing on MongoDB. */
const noIssuer = ['', null];

export function createOAuthIdentities(backend: Backend, run: Run) {
  const table = openTable(backend, oauthIdentities, run);
  const read = (row: OAuthIdentity): OAuthIdentity => ({ ...row, issuer: row.issuer ?? '' });

  /** Sets the issuer of a row that has none. Returns false when another process has set it first. */
  const setIssuer = ({ id }: OAuthIdentity, issuer: string): Promise<boolean> =>
    table.update({ id, issuer: { $in: noIssuer } }, { set: { issuer } }).catch(ignoreUniqueViolation);

  return {
    /**
     * Links an identity; one with a mark of unlinking signs in, but does not count as a way in. Returns false when the subject
     * already has a user, or the user already has a subject of this provider.
     */
    add: (identity: NewIdentity) => table.insert({ ...usual, ...identity }),

    /** Links several identities. Returns the ids of those that were linked. */
    addMany: (identities: readonly NewIdentity[]) =>
      table.insertMany(identities.map(identity => ({ ...usual, ...identity }))),

    /** Returns the identity of a subject. One that the former version stored without an issuer gets the present one. */
    async findBySubject({ name, issuer }: IdentityIssuer, subjectId: string): Promise<OAuthIdentity | null> {
      const rows = await table.findAll({ subjectId, issuer: { $in: [issuer, ...noIssuer] } });
      const known = rows.find(row => row.issuer === issuer);
      if (known) return known;
      const former = rows.find(row => row.provider === name);
      if (!former) return null;
      return (await setIssuer(former, issuer)) ? { ...former, issuer } : table.find({ issuer, subjectId });
    },

    /** Returns the identity if it still exists. */
    async find(id: string): Promise<OAuthIdentity | null> {
      const row = await table.find({ id });
      return row && read(row);
    },

    listByUser: async (userId: string): Promise<OAuthIdentity[]> =>
      (await table.list({ where: { userId } }, { orderBy: ['linkedAt'], direction: 'asc' })).map(read),

    /** Returns the identities of several users, in no order. */
    listByUsers: async (userIds: string[]): Promise<OAuthIdentity[]> =>
      (await table.findAll({ userId: { $in: userIds } })).map(read),

    /**
     * Records a sign-in, and how it was made at the provider; this also cancels an attempt to unlink. Returns false when
     * the identity was unlinked meanwhile.
     */
    touch: (id: string, lastUsedAt: Date, how: Partial<Pick<OAuthIdentity, 'acr' | 'amr'>> = {}) =>
      table.update({ id }, { set: { lastUsedAt, ...how, unlinking: null } }),

    /** Stores another name of its provider, unless the account has an identity under that name. */
    async rename(id: string, provider: string): Promise<void> {
      await table.update({ id }, { set: { provider } }).catch(ignoreUniqueViolation);
    },

    /** Marks the identity as about to be removed, and replaces an earlier mark. Returns false when the identity is gone. */
    mark: (id: string, unlinking: string) => table.update({ id }, { set: { unlinking } }),

    /** Removes this mark. */
    unmark: (id: string, unlinking: string) => table.update({ id, unlinking }, { set: { unlinking: null } }),

    /** Deletes the identity if it still has this mark (compare-and-set). */
    removeMarked: async (id: string, unlinking: string) => (await table.delete({ id, unlinking })) > 0,

    remove: async (id: string) => (await table.delete({ id })) > 0,

    removeAll: (userId: string) => table.delete({ userId }),
  };
}
