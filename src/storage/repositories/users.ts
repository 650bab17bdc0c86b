import { type User, users } from '../../tables/user.ts';
import type { Backend, Page, Patch, SessionKey, SessionRow, SignInRows, TokenKey } from '../backend.ts';
import { ForeignKeyViolation, UniqueViolation } from '../errors.ts';
import { gatherReads } from '../gathered-reads.ts';
import type { Listing } from './listing.ts';
import { complete } from './pending.ts';
import { openTable, padded, type Run } from './table.ts';

type Settable = Omit<
  User,
  'id' | 'email' | 'createdAt' | 'tokensInvalidatedAfter' | 'lastIssuedAt' | 'fields' | 'roles'
>;

/** A change to a user, made in one statement, so that it happens as a whole or not at all. */
export interface UserChange {
  set?: Partial<Settable>;
  /** A token with this `iat` is about to be issued to the user: no later cutoff will be below it. */
  issuedAt?: Date;
  /** Revokes every token issued so far, with a cutoff at this time or later. */
  cutOffAt?: Date;
  /** Own fields with their new values; null clears one. The others stay as they are. */
  fields?: Readonly<Record<string, unknown>>;
  /** Which of the known roles the user then has. The others stay as they are. */
  roles?: { known: readonly string[]; given: readonly string[] };
}

/** The conditions that still hold when the change is made (compare-and-set); the values are those read before. */
export type UserCondition = Partial<
  Pick<
    User,
    | ('tokensInvalidatedAfter' | 'email' | 'isActive' | 'isVerified' | 'isSuperuser' | 'isMfaEnabled')
    | ('phoneNumber' | 'phoneConfirmedAt' | 'hashedPassword' | 'reportedAt' | 'distrustedSince')
    | ('updatedAt' | 'lastLogin')
  >
>;

/** Selects users by status; an absent property is not compared. */
export type UserKind = Partial<Pick<User, 'isActive' | 'isVerified' | 'isSuperuser' | 'isMfaEnabled'>> & {
  isReported?: boolean;
};

/** Addresses that a selection is among, or outside of; there is at least one. */
export interface Among {
  emails: readonly string[];
  isOutside: boolean;
}

/** Selects users: a part of address or name, their status, and a role. */
export interface UserSearch {
  search?: string | null;
  kind?: UserKind;
  role?: string | null;
  among?: Among | undefined;
}

/** The properties that a search of users compares; each database has an index for them. */
const searchedOfUsers = ['email', 'fullName'] as const;

/** Where a user is in the list of users. */
export type UserPlace = Pick<User, 'createdAt' | 'id'>;

type Nullable<T, K extends keyof T> = Omit<T, K> & { [P in K]: T[P] | null };

/** Returns the time at which a UUIDv7 was made; the earliest for any other text. */
const timeOfId = (id: string) => new Date(Number.parseInt(id.replace('-', '').slice(0, 12), 16) || 0);

/** Newest first. */
const pageOf = ({ after, skip, limit }: Listing<UserPlace>): Page<'createdAt' | 'id'> => ({
  orderBy: ['createdAt', 'id'],
  direction: 'desc',
  after: after && [after.createdAt, after.id],
  limit,
  offset: skip,
});

const patchOf = ({ set, issuedAt, cutOffAt, fields, roles }: UserChange): Patch => ({
  ...(set && { set }),
  ...(fields && { merge: { fields } }),
  ...(roles && { choose: { roles } }),
  ...(issuedAt && { raise: { lastIssuedAt: issuedAt } }),
  ...(cutOffAt && { cutOffAt }),
});

export function createUsers(backend: Backend, run: Run) {
  const table = openTable(backend, users, run);
  const matching = ({ search, kind: { isReported, ...flags } = {}, role, among }: UserSearch) => ({
    where: {
      ...flags,
      ...(isReported !== undefined && { reportedAt: isReported ? { $gt: new Date(0) } : null }),
      ...(among && {
        email: among.isOutside ? { $nin: padded(among.emails) } : { $in: padded(among.emails) },
      }),
      ...(role != null && { roles: { $has: role } }),
    },
    search: search ? { text: search, properties: searchedOfUsers } : undefined,
  });

  const findSession = gatherReads<SessionKey, SessionRow>(keys => run(() => backend.findSessions(keys)));
  const findToken = gatherReads<TokenKey, SessionRow>(keys => run(() => backend.findTokens(keys)));

  return {
    find: (id: string) => table.find({ id }),

    findByEmail: (email: string) => table.find({ email }),

    /** Returns the user of a session token and whether that token was logged out, by a read that starts after the call. */
    findSession: (id: string, jti: string): Promise<SessionRow | null> => findSession({ userId: id, jti }),

    /** As `findSession`, of an access token of that session, which ends with it. */
    findToken: (id: string, jti: string, tokenJti: string): Promise<SessionRow | null> =>
      findToken({ userId: id, jti, tokenJti }),

    /**
     * Returns what a sign-in with this address and a password starts from, by as few statements as the database allows. The
     * failures are those of the subject `decoy` where the address has no password, and are not read where it is null.
     */
    findForSignIn: async (email: string, decoy: string | null): Promise<SignInRows> => {
      const found = await run(() => backend.findForSignIn({ email, decoy }));
      return { ...found, pending: found.pending && complete(found.pending) };
    },

    /** Resolves when what was read of a session is certain to survive a crash of the database. */
    awaitDurability: () => run(() => backend.awaitDurability()),

    /** Returns the users of these addresses, in no order. */
    findByEmails: async (emails: string[]): Promise<User[]> =>
      emails.length > 0 ? table.findAll({ email: { $in: emails } }) : [],

    /** Returns the users of these ids, in no order. */
    findByIds: async (ids: readonly string[]): Promise<User[]> =>
      ids.length > 0 ? table.findAll({ id: { $in: padded(ids) } }) : [],

    /** Inserts those users whose address has none. Returns their ids. */
    addMany: (users: readonly User[]) => table.insertMany(users),

    /** Inserts the user. Returns false when the address already has one. */
    add: (user: User) => table.insert(user),

    /**
     * Changes one user if the conditions hold at that moment. Returns the changed user, or null when they do not hold or
     * the user is gone.
     */
    change: (id: string, change: UserChange, only: UserCondition = {}): Promise<User | null> =>
      table.change({ id, ...only }, patchOf(change)),

    /** As `change`, with a new address. Returns `'email_taken'` when it belongs to another account. */
    async changeEmail(
      id: string,
      email: string,
      change: UserChange = {},
      only: UserCondition = {},
    ): Promise<User | null | 'email_taken'> {
      const { set, ...patch } = patchOf(change);
      try {
        return await table.change({ id, ...only }, { ...patch, set: { ...set, email } });
      } catch (error) {
        if (error instanceof UniqueViolation) return 'email_taken';
        throw error;
      }
    },

    /** Returns the place of a cursor. One of the former version has no time: its user's counts, or else that of its id. */
    async placeOf({ id, createdAt }: Nullable<UserPlace, 'createdAt'>): Promise<UserPlace> {
      if (createdAt) return { id, createdAt };
      const user = await table.find({ id });
      return { id, createdAt: user?.createdAt ?? timeOfId(id) };
    },

    /** Returns a page of users, newest first. */
    list: (listing: Listing<UserPlace> & UserSearch) => table.list(matching(listing), pageOf(listing)),

    /** Like `list`, with the total of all pages. */
    listAndCount: (listing: Listing<UserPlace> & UserSearch, most: number) =>
      table.listAndCount(matching(listing), pageOf(listing), most),

    /** Returns the total of what `list` returns in pages, or `most` if there are as many or more. */
    count: (who: UserSearch, most?: number) => table.count(matching(who), most),

    countActiveSuperusers: () => table.count({ where: { isSuperuser: true, isActive: true } }),

    /**
     * Deletes one user if the conditions hold at that moment. Returns false when they do not, or when the user is gone;
     * `'in_use'` when a foreign key of the host application forbids it.
     */
    async remove(id: string, only: UserCondition = {}): Promise<boolean | 'in_use'> {
      try {
        return (await table.delete({ id, ...only })) > 0;
      } catch (error) {
        if (error instanceof ForeignKeyViolation) return 'in_use';
        throw error;
      }
    },
  };
}
