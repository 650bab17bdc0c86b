import type { User } from '../../entities/user.ts';
import type { Backend, SessionRow } from '../backend.ts';
import { UniqueViolation } from '../errors.ts';
import { openTable, type Run } from './table.ts';

type Settable = Omit<User, 'id' | 'createdAt' | 'tokensInvalidatedAfter' | 'lastIssuedAt'>;

/** A change of a user: one statement, so that it happens as a whole or not at all. */
export interface UserChange {
  set?: Partial<Settable>;
  /** A token with this `iat` is about to be given to the user: no cutoff will be below it. */
  issuedAt?: Date;
  /** Revokes every token given so far, at this time or later. */
  cutOffAt?: Date;
}

/** What must still be so for a change to happen; the values are those read before. */
export interface UserCondition {
  tokensInvalidatedAfter?: Date | null;
  email?: string;
  isActive?: boolean;
  isVerified?: boolean;
  isSuperuser?: boolean;
  isMfaEnabled?: boolean;
  phoneNumber?: string | null;
  hashedPassword?: string | null;
}

/** Which users by what they are; what is absent counts for nothing. */
export type UserKind = Partial<Pick<User, 'isActive' | 'isVerified' | 'isSuperuser' | 'isMfaEnabled'>>;

/** Which part of a list. */
export interface Listing {
  search?: string | null;
  /** Only what comes behind this key. */
  after?: string | null;
  skip?: number;
  limit?: number;
}

/** Who is looked for: a part of address or name, and what they are. */
export interface UserSearch {
  search?: string | null;
  kind?: UserKind;
}

/** What a search of users looks through; each database has an index for it. */
const searchedOfUsers = ['email', 'fullName'] as const;

export function createUsers(backend: Backend, run: Run) {
  const { user: entity } = backend.entities;
  const table = openTable<User>(backend, entity, run);
  const matching = ({ search, kind }: UserSearch) => ({
    where: { ...kind },
    search: search ? { text: search, properties: searchedOfUsers } : undefined,
  });

  return {
    find: (id: string) => table.find({ id }),

    findByEmail: (email: string) => table.find({ email }),

    /** The user of a session token and whether that token was logged out, in one read. */
    findSession: (id: string, jti: string): Promise<SessionRow | null> =>
      run(() => backend.findSession(id, jti)),

    /** Resolves once what was read of a session is sure to outlast a crash of the database. */
    settle: () => run(() => backend.settle()),

    /** Inserts the user; false when the address has one already. */
    add: (user: User) => table.insert(user),

    /**
     * Changes one user if the conditions hold at that moment; false when they don't, or when the user is gone.
     * `'email_taken'` when the new address belongs to somebody else.
     */
    async change(id: string, change: UserChange, only: UserCondition = {}): Promise<boolean | 'email_taken'> {
      const { set, issuedAt, cutOffAt } = change;
      try {
        return await table.update(
          { id, ...only },
          { set, ...(issuedAt && { raise: { lastIssuedAt: issuedAt } }), ...(cutOffAt && { cutOffAt }) },
        );
      } catch (error) {
        if (error instanceof UniqueViolation) return 'email_taken';
        throw error;
      }
    },

    /** Newest first; the id is in the order of creation. */
    list({ after, skip, limit, ...who }: Listing & UserSearch) {
      const { where, search } = matching(who);
      return table.list(
        { where: { ...where, ...(after && { id: { $lt: after } }) }, search },
        { orderBy: 'id', direction: 'desc', limit, offset: skip },
      );
    },

    /** How many there are of whom `list` gives parts, or `most` where there are as many or more. */
    count: (who: UserSearch, most?: number) => table.count(matching(who), most),

    countActiveSuperusers: () => table.count({ where: { isSuperuser: true, isActive: true } }),

    /** Deletes the user; false when there is none. */
    remove: async (id: string) => (await table.delete({ id })) > 0,
  };
}
