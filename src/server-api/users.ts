import { AnyUser, type NodeUser } from '../contract/views/account.ts';
import { AnyUserPage } from '../contract/views/admin.ts';
import { GatehouseError } from '../errors.ts';
import type { InNode } from '../in-node.ts';
import type { Host } from '../services/host.ts';
import { call, orNull } from './call.ts';

/** The values of a new account. */
export interface NewUser {
  email: string;
  /** `password_min_length` to 128 characters, and not one that the rules for passwords refuse. Without a password and an invitation the account has none. */
  password?: string | null;
  fullName?: string | null;
  /** Whether you know that the address is theirs; false when absent. */
  isVerified?: boolean;
  /** Whether the account may use administration. The address must be verified. */
  isSuperuser?: boolean;
  /** Makes an account a superuser whose address is not verified. */
  evenUnverified?: boolean;
  /** Emails a link to choose a password, which also verifies the address. Not together with `password`. */
  invite?: boolean;
  /** The language in which to write to them, one of `locales`; only with several. */
  locale?: string | null;
  /** Own fields of the configuration, under their names there. */
  fields?: OwnValues;
  /** Roles that the configuration names. */
  roles?: readonly string[];
}

/** Values of own fields: text, number, boolean, or a date as `YYYY-MM-DD`; null clears one. */
type OwnValues = Record<string, string | number | boolean | null>;

/** The changes of an account; a member that is absent stays as it is. */
export interface UserChanges {
  /** Null clears it. */
  fullName?: string | null;
  isSuperuser?: boolean;
  /** Makes an account a superuser whose address is not verified. */
  evenUnverified?: boolean;
  /** The language in which to write to them, one of `locales`; only with several. Null is the default one. */
  locale?: string | null;
  /** A member that is absent stays as it is. */
  fields?: OwnValues;
  /** All that the account then has. */
  roles?: readonly string[];
}

/** The address that an account is to have. */
export interface EmailChange {
  email: string;
  /** Whether you vouch that the address is that of the owner; otherwise it is verified by an email. */
  isVerified?: boolean;
  /** Stops the password, too. The reset that follows removes what others may have left in the account. */
  requireNewPassword?: boolean;
}

/** A page of accounts. */
export type NodeUserPage = InNode<typeof AnyUserPage>;

/** Which accounts to list, newest first. */
export interface UserListing {
  /** How many to skip; none when absent. */
  skip?: number;
  /** At most 200; 50 when absent. */
  limit?: number;
  /** A part of the address or the name. */
  search?: string;
  isActive?: boolean;
  isVerified?: boolean;
  isSuperuser?: boolean;
  isMfaEnabled?: boolean;
  /** Whether a link "this was not me" has closed them. */
  isReported?: boolean;
  /** Whether wrong passwords have locked them: at most the 1,000 newest locks; `isCapped` of the page says when there may be more. */
  isLocked?: boolean;
  /** Accounts with this role only. */
  role?: string;
}

/**
 * Accounts, for the host's own program. The rules, emails, events and audit records are those of administration; access is
 * not checked, because a program that has the instance has access. Every method throws a `GatehouseError` with a `code` when it is
 * refused: `invalid_input` for an id that can be none, and `not_found` for a change of one that no account has.
 */
export interface Users {
  /**
   * Returns null for an id that no account has.
   * @throws {GatehouseError} invalid_input, for one that can be none
   * @example const ada = await gatehouse.users.find(id);
   */
  find(id: string): Promise<NodeUser | null>;
  /**
   * Returns null for an address that no account has.
   * @throws {GatehouseError} invalid_input
   * @example const ada = await gatehouse.users.findByEmail('ada@example.org');
   */
  findByEmail(email: string): Promise<NodeUser | null>;
  /**
   * Returns a page of accounts, as `GET /admin/users` does.
   * @throws {GatehouseError} invalid_input
   * @example const { items, hasMore } = await gatehouse.users.list({ search: 'ada', isVerified: true });
   */
  list(listing?: UserListing): Promise<NodeUserPage>;
  /**
   * @throws {GatehouseError} invalid_input, email_taken, email_not_verified (a superuser), rate_limited (the address has had many invitations)
   * @example const ada = await gatehouse.users.create({ email: 'ada@example.org', fullName: 'Ada', invite: true });
   */
  create(user: NewUser): Promise<NodeUser>;
  /**
   * Emails an invitation, again or to an account without a password.
   * @throws {GatehouseError} invalid_input (no email arrives at the address), not_found, already_verified (and there is a password),
   * account_disabled, account_reported, rate_limited
   * @example await gatehouse.users.invite(ada.id);
   */
  invite(id: string): Promise<NodeUser>;
  /**
   * @throws {GatehouseError} invalid_input, not_found, last_superuser, email_not_verified
   * @example await gatehouse.users.update(ada.id, { fullName: 'Ada King', roles: ['editor'] });
   */
  update(id: string, changes: UserChanges): Promise<NodeUser>;
  /**
   * Ends every session, and refuses every sign-in.
   * @throws {GatehouseError} not_found, last_superuser
   * @example await gatehouse.users.disable(ada.id);
   */
  disable(id: string): Promise<NodeUser>;
  /**
   * @throws {GatehouseError} not_found
   * @example await gatehouse.users.enable(ada.id);
   */
  enable(id: string): Promise<NodeUser>;
  /**
   * Deletes the account. Returns it as it was.
   * @throws {GatehouseError} not_found, last_superuser, refused_by_host, user_in_use (a foreign key forbids it, and nothing has changed)
   * @example await gatehouse.users.remove(ada.id);
   */
  remove(id: string): Promise<NodeUser>;
  /**
   * Moves the account to another address at once and ends every session; both addresses are told. The address that the
   * account has is taken, too. `requireNewPassword` is there while `enable_password_reset` is on.
   * @throws {GatehouseError} invalid_input, not_found, email_taken, password_not_set (with `requireNewPassword`)
   * @example await gatehouse.users.changeEmail(ada.id, { email: 'ada@example.net', isVerified: true });
   */
  changeEmail(id: string, change: EmailChange): Promise<NodeUser>;
  /**
   * Stops the password, ends every session, and emails a link to choose another one.
   * @throws {GatehouseError} invalid_input (no email arrives at the address), not_found (also while `enable_password_reset` is off),
   * password_not_set, account_disabled, account_reported, rate_limited
   * @example await gatehouse.users.requireNewPassword(ada.id);
   */
  requireNewPassword(id: string): Promise<NodeUser>;
  /**
   * Ends every session, and every emailed link.
   * @throws {GatehouseError} not_found
   * @example await gatehouse.users.endSessions(ada.id);
   */
  endSessions(id: string): Promise<NodeUser>;
}

/** Returns `gatehouse.users`. */
export function createUsers(host: Host): Users {
  return {
    find: id => orNull(call(AnyUser, host.readUser, { id })),
    findByEmail: email => orNull(call(AnyUser, host.readUserByEmail, { email })),
    list: (listing = {}) => call(AnyUserPage, host.listUsers, listing),
    create: user => call(AnyUser, host.createUser, user),
    invite: id => call(AnyUser, host.inviteUser, { id }),
    update: (id, changes) => call(AnyUser, host.updateUser, changes, { id }),
    disable: id => call(AnyUser, host.updateUser, { isActive: false }, { id }),
    enable: id => call(AnyUser, host.updateUser, { isActive: true }, { id }),
    remove: id => call(AnyUser, host.removeUser, { id }),
    changeEmail: (id, change) => call(AnyUser, host.changeEmail, change, { id }),
    requireNewPassword: id =>
      host.replacePassword ? call(AnyUser, host.replacePassword, {}, { id }) : absent(),
    endSessions: id => call(AnyUser, host.revokeSessions, { id }),
  };
}

/** Stands for an operation whose flag is off. @throws {GatehouseError} not_found */
const absent = async (): Promise<never> => {
  throw new GatehouseError('not_found', { detail: 'Password reset is off (enable_password_reset).' });
};
