import { z } from 'zod';
import { UserIdInput } from '../contract/inputs/admin.ts';
import { email as emailField } from '../contract/inputs/fields.ts';
import { parse } from '../contract/inputs/parse.ts';
import type { UserPublic } from '../contract/views/account.ts';
import type { AuthenticatorView } from '../contract/views/authenticators.ts';
import type { SessionListItem } from '../contract/views/sessions.ts';
import { isStopped } from '../crypto/stopped-password.ts';
import { operatorCaller } from '../domain/caller.ts';
import type { Dependencies } from '../domain/dependencies.ts';
import type { Operation } from '../domain/operation.ts';
import { GatehouseError } from '../errors.ts';
import { everyFeature } from '../feature-parts.ts';
import type { User } from '../tables/user.ts';
import { createAdminActs } from './admin.ts';

/** Identifies an account: an operator knows its address or its id. */
export type Who = { email: string } | { id: string };

/** An account as an operator sees it. Each lockout is the time at which it ends, or null while there is none. */
export interface ShownUser extends UserPublic {
  locked_until: Record<'login' | 'current_password' | 'code', string | null>;
  /** While something can stop a password (wrong guesses, a link "this was not me"): whether it no longer signs in. */
  password_blocked?: boolean;
  /** When the password was set; absent without one, and where it is not known. */
  password_set_at?: string;
  /** When a link "this was not me" closed the account; absent while it is open. */
  reported_at?: string;
  /** While authenticators of any kind are switched on, as the next one. */
  authenticators?: AuthenticatorView[];
  recovery_codes_left?: number;
  /** While the session list is on. */
  sessions?: Omit<SessionListItem, 'is_current'>[];
}

/** An account that an operator makes. */
export interface NewAccount {
  email: string;
  full_name?: string;
  is_verified: boolean;
  invite: boolean;
  roles: readonly string[];
}

const EmailInput = z.strictObject({ email: emailField });

/**
 * The acts of an operator on one account at the command line: the operations of administration, called without a session.
 * So rules, emails, events and audit are those of the console. Each function returns the account as it was found.
 */
export function createOperatorUsers(parts: Dependencies) {
  const { config, clock, repositories } = parts;
  const { lockout, consecutiveFailures } = parts.limits;
  const { verification } = parts.mails;
  const { users } = repositories;
  const { toUserPublic } = parts.views;
  const admin = createAdminActs(parts);
  const { hasAuthenticators } = parts.strongSignIn.factors;
  const canStopPasswords =
    config.maxConsecutiveFailures > 0 ||
    everyFeature.some(feature => feature.stopsPasswords && feature.isOn(config));

  /** @throws {GatehouseError} not_found, with a detail that names the given address or id */
  async function find(who: Who): Promise<UserPublic> {
    if ('id' in who) {
      const { id } = parse(UserIdInput, who);
      const user = await users.find(id);
      if (user) return toUserPublic(user, 'host');
      throw new GatehouseError('not_found', { detail: `There is no account with the id ${id}.` });
    }
    const { email } = parse(EmailInput, who);
    const user = await users.findByEmail(email);
    if (user) return toUserPublic(user, 'host');
    const detail = (await verification.findPending(email))
      ? `The registration of ${email} is pending; there is no account until its link is used.`
      : `There is no account with the address ${email}.`;
    throw new GatehouseError('not_found', { detail });
  }

  /** @throws {GatehouseError} invalid_input, for a role that the configuration does not name */
  function assertRoles(names: readonly string[]): void {
    const unknown = names.find(name => !config.roles.includes(name));
    if (unknown === undefined) return;
    const known = config.roles.length > 0 ? config.roles.join(', ') : 'none';
    throw new GatehouseError('invalid_input', {
      detail: `"${unknown}" is not a role of this configuration (roles: ${known}).`,
    });
  }

  /** Returns an operation of administration as a function of the account. */
  const actOn =
    (operation: Operation) =>
    async (who: Who): Promise<UserPublic> => {
      const user = await find(who);
      await operation(operatorCaller, { id: user.id });
      return user;
    };

  /** As `actOn`, for an operation that emails a reset link. @throws {GatehouseError} not_found, also while the feature is off */
  const actByReset =
    (operation: Operation) =>
    async (who: Who): Promise<UserPublic> => {
      if (config.enablePasswordReset) return actOn(operation)(who);
      const detail = 'Password reset is off (enable_password_reset), so a link would not work.';
      throw new GatehouseError('not_found', { detail });
    };

  /** As `actOn`; where a registration of the address is pending, the other operation acts on that. */
  const actOnEither =
    (ofAccount: Operation, ofPending: Operation) =>
    async (who: Who): Promise<{ email: string }> => {
      const waiting = 'email' in who ? await verification.findPending(parse(EmailInput, who).email) : null;
      if (!waiting) return actOn(ofAccount)(who);
      await ofPending(operatorCaller, { email: waiting.email });
      return { email: waiting.email };
    };

  const isPasswordBlocked = async (user: User | null): Promise<boolean> =>
    user?.hashedPassword != null &&
    (isStopped(user.hashedPassword) || (await consecutiveFailures.isBlocked(user)));

  const timeAfter = (seconds: number) =>
    seconds > 0 ? new Date(clock.now().getTime() + seconds * 1000).toISOString() : null;

  return {
    find,

    async show(who: Who): Promise<ShownUser> {
      const { id } = await find(who);
      const user = await admin.readUser(operatorCaller, { id });
      const row = await users.find(id);
      const locked = await lockout.readLockedSeconds(user);
      const { login, currentPassword, code } = locked;
      const factors = hasAuthenticators ? await admin.userAuthenticators(operatorCaller, { id }) : undefined;
      const sessions = config.enableSessionList
        ? await admin.userSessions(operatorCaller, { id })
        : undefined;
      return {
        ...user,
        locked_until: {
          login: timeAfter(login),
          current_password: timeAfter(currentPassword),
          code: timeAfter(code),
        },
        ...(canStopPasswords && {
          password_blocked: await isPasswordBlocked(row),
        }),
        ...(row?.hashedPassword && row.passwordSetAt && { password_set_at: row.passwordSetAt.toISOString() }),
        ...(row?.reportedAt && { reported_at: row.reportedAt.toISOString() }),
        ...(factors && {
          authenticators: factors.items,
          recovery_codes_left: factors.recovery_codes_left,
        }),
        // No session is that of the command line.
        ...(sessions && { sessions: sessions.items.map(({ is_current: _, ...shown }) => shown) }),
      };
    },

    /** Clears failed attempts of an account; of a registration that is pending, lifts the cap on its emails. */
    unlock: actOnEither(admin.unlock, admin.unlockPending),
    revoke: actOn(admin.revokeSessions),
    /** Removes every second factor of a user who lost them: recovery codes too, while authenticators are switched on. */
    disableMfa: actOn(hasAuthenticators ? admin.removeAuthenticators : admin.disablePhone),
    remove: actOn(admin.deleteUser),
    /** Emails an invitation to choose a password. */
    invite: actOn(admin.inviteUser),

    /** Makes an account without a password. @throws {GatehouseError} email_taken, rate_limited, invalid_input */
    async create({ roles, ...account }: NewAccount): Promise<UserPublic> {
      assertRoles(roles);
      return admin.createUser(operatorCaller, { ...account, ...(roles.length > 0 && { roles }) });
    },

    /** Gives and takes roles. Returns those that the account then has. @throws {GatehouseError} not_found, invalid_input */
    async changeRoles(who: Who, { add, remove }: Record<'add' | 'remove', readonly string[]>) {
      assertRoles([...add, ...remove]);
      const { id, email } = await find(who);
      const changed = await admin.changeRoles(operatorCaller, { id, add, remove });
      return { email, roles: changed.roles ?? [] };
    },

    /** Disables or enables an account. Every session ends, and none from before becomes valid again. */
    async setActive({ isActive, ...who }: Who & { isActive: boolean }): Promise<UserPublic> {
      const user = await find(who as Who);
      await admin.updateUser(operatorCaller, { id: user.id, is_active: isActive });
      return user;
    },

    /** Emails a reset link. @throws {GatehouseError} not_found, also while the feature is off */
    sendReset: actByReset(admin.sendReset),

    /**
     * Stops the password, ends every session, and emails a link to choose another one.
     * @throws {GatehouseError} not_found (also while the feature is off), password_not_set, account_disabled, rate_limited
     */
    requireNewPassword: actByReset(admin.requireNewPassword),

    /** Moves an account to another address at once. Returns it as it is then. @throws {GatehouseError} not_found, email_taken */
    async changeEmail(
      who: Who,
      change: { email: string; is_verified?: boolean; require_new_password?: boolean },
    ) {
      const { id } = await find(who);
      return (await admin.changeEmail(operatorCaller, { id, ...change })) as UserPublic;
    },

    /** Emails another verification link, to an account or to a pending registration. Returns the address. */
    resendVerification: actOnEither(admin.resendVerification, admin.resendPending),
  };
}
