import type { Clock } from '../clock.ts';
import type { UserViews } from '../contract/views/account.ts';
import { type AuthenticatorAddedView, toAuthenticatorView } from '../contract/views/authenticators.ts';
import type { SessionView } from '../contract/views/sign-in.ts';
import type { AuthenticationMethod } from '../crypto/claims.ts';
import { GatehouseError } from '../errors.ts';
import type { EventHub } from '../events.ts';
import type { Trail } from '../observability/watch.ts';
import { mostAuthenticators } from '../storage/repositories/authenticators.ts';
import type { Repositories } from '../storage/repositories/index.ts';
import type { Authenticator } from '../tables/authenticator.ts';
import type { User } from '../tables/user.ts';
import { findUserOfSession, notRevokedSince } from './authentication.ts';
import type { Background } from './background.ts';
import type { Caller } from './caller.ts';
import type { Factors } from './factors.ts';
import type { Issuing } from './issuing.ts';
import type { Notices } from './notices.ts';
import { sessionEndedError } from './reauthentication.ts';
import type { Issued, RecoveryCodes } from './recovery-codes.ts';
import { hasTwoFactors, type Session } from './session.ts';
import type { SessionList } from './session-list.ts';
import { endIdleDistrust } from './trust.ts';

export type Authenticators = ReturnType<typeof createAuthenticators>;

interface Parts {
  clock: Clock;
  background: Background;
  repositories: Repositories;
  notices: Notices;
  events: EventHub;
  factors: Factors;
  recoveryCodes: RecoveryCodes;
  issuing: Issuing;
  sessionList: SessionList | undefined;
  views: UserViews;
}

/** How a set-up was confirmed. */
interface Confirmation {
  /** The proof of the new authenticator. */
  proved: AuthenticationMethod;
  caller: Caller;
  /** Whether the other sessions of the account end. */
  endsOthers: boolean;
}

/** Adds and removes authenticators, and keeps `is_mfa_enabled` in accordance with them. */
export function createAuthenticators(parts: Parts) {
  const { clock, background, repositories, notices, events } = parts;
  const { factors, recoveryCodes, issuing, sessionList } = parts;
  const { users, authenticators, recovery_codes } = repositories;
  const { toUserPublic } = parts.views;

  /** Returns a time later than that of the last change, so that a comparison with it detects every change. */
  const changeTimeAfter = ({ updatedAt }: User) =>
    new Date(Math.max(clock.now().getTime(), updatedAt.getTime() + 1));

  /** Switches the second step on for a user as it was read. Returns false when it was revoked or disabled since. */
  async function switchOn(user: User): Promise<boolean> {
    const set = { isMfaEnabled: true, updatedAt: changeTimeAfter(user) };
    return (await users.change(user.id, { set }, notRevokedSince(user))) !== null;
  }

  /** Returns a user as its factors count when the last app is gone: an unconfirmed phone does not count. */
  const withoutPhone = (user: User, unconfirmed: string | null): User =>
    user.phoneConfirmedAt === null && user.phoneNumber === unconfirmed
      ? { ...user, phoneNumber: null }
      : user;

  /**
   * Switches the second step off when the account has neither phone nor an authenticator that keeps it on any more. A set-up that ends at
   * the same time writes the user's row, so the conditional write fails and the factors are read again.
   * @param unconfirmed the phone number that was no second step before, and does not become one now
   */
  async function switchOffIfNoneIsLeft(
    userId: string,
    unconfirmed: string | null = null,
  ): Promise<User | null> {
    for (;;) {
      const user = await users.find(userId);
      if (!user?.isMfaEnabled || withoutPhone(user, unconfirmed).phoneNumber !== null) return user;
      const rows = await authenticators.listByUser(userId);
      if (rows.some(factors.keepsStep)) return user;
      const set = { isMfaEnabled: false, updatedAt: changeTimeAfter(user) };
      const { updatedAt, phoneNumber, phoneConfirmedAt } = user;
      // The phone is compared too: one that is set up in the same millisecond has the same time of change.
      const only = { updatedAt, isMfaEnabled: true, phoneNumber, phoneConfirmedAt };
      const changed = await users.change(userId, { set }, only);
      if (changed) return changed;
    }
  }

  /** Stores an authenticator again that must not be removed; a removal at the same time may have switched the step off. */
  async function restore(row: Authenticator): Promise<void> {
    await authenticators.add(row);
    const user = factors.keepsStep(row) ? await users.find(row.userId) : null;
    if (user) {
      await users.change(user.id, { set: { isMfaEnabled: true, updatedAt: changeTimeAfter(user) } });
    }
  }

  /**
   * Removes what only accounts with an authenticator have. The codes are read before the authenticators, and only these are
   * removed: those that another request has issued since belong to an authenticator that it has just added.
   */
  async function removeCodesIfNoneIsLeft(userId: string): Promise<void> {
    for (;;) {
      const codes = await recovery_codes.find(userId);
      if (!codes || (await authenticators.listByUser(userId)).length > 0) return;
      if (await recovery_codes.removeRead(codes)) return;
    }
  }

  /**
   * Returns the session with which the caller of a confirmed set-up goes on, or null where the present one is as good: a
   * session that was made with one factor gets another beside it. With `endsOthers` the others end; where they are not
   * listed only a cutoff can end them, which ends the present one, too. A session that was ended meanwhile gets none.
   */
  async function sessionAfter(
    { user, claims }: Session,
    { proved, caller, endsOthers }: Confirmation,
  ): Promise<SessionView | null> {
    if (endsOthers && !sessionList) {
      const after = await users.change(user.id, { cutOffAt: clock.now() }, notRevokedSince(user));
      const session = after && (await issuing.continueSession(after, claims, proved, caller));
      if (!session) throw sessionEndedError();
      return session;
    }
    if (endsOthers) await sessionList!.endOthers(user, claims.jti);
    if (hasTwoFactors(claims)) return null;
    for (;;) {
      const present = await findUserOfSession(repositories, claims, caller);
      if (!present) return null;
      const session = await issuing.continueSession(present, claims, proved, caller);
      if (session) return session;
    }
  }

  return {
    removeCodesIfNoneIsLeft,
    switchOffIfNoneIsLeft,

    /** Checks before a set-up begins whether another authenticator fits. @throws {GatehouseError} authenticator_limit */
    async assertRoom(userId: string): Promise<void> {
      const rows = await authenticators.listByUser(userId);
      if (rows.length >= mostAuthenticators) throw new GatehouseError('authenticator_limit');
    },

    /**
     * Adds a confirmed authenticator to the account of a session, and issues recovery codes with the first one. The
     * session is checked again after storing: of a set-up and a revocation at the same time, one sees the other.
     * @throws {GatehouseError} authenticator_limit, passkey_invalid (the credential is registered), unauthenticated
     */
    async add(
      { user, claims }: Session,
      row: Omit<Authenticator, 'slot' | 'userId'>,
      trail: Trail,
      confirmation: Confirmation,
    ): Promise<AuthenticatorAddedView> {
      const isStep = factors.keepsStep(row);
      const unconfirmed = factors.unconfirmedPhoneOf(user, await authenticators.listByUser(user.id));
      let standing: User | null;
      let issued: Issued | null = null;
      const undo = async () => {
        await authenticators.remove(user.id, row.id);
        // The codes of this set-up were shown to nobody.
        if (issued) await recovery_codes.removeRead(issued.row);
        // A removal that saw the authenticator has left the former codes in place.
        await removeCodesIfNoneIsLeft(user.id);
        if (isStep) await switchOffIfNoneIsLeft(user.id, unconfirmed);
      };
      try {
        // Before the row, so that one that makes a second step due is never stored without the step being on; and after it,
        // because a removal may have switched the step off in between.
        if (isStep && !(await switchOn(user))) throw sessionEndedError();
        const added = await authenticators.add({ ...row, userId: user.id });
        if (added !== 'added')
          throw new GatehouseError(added === 'full' ? 'authenticator_limit' : 'passkey_invalid');
        standing = await findUserOfSession(repositories, claims, confirmation.caller);
        if (!standing || (isStep && !(await switchOn(standing)))) throw sessionEndedError();
        const isOnly = async () => (await authenticators.listByUser(user.id)).length === 1;
        issued = await recoveryCodes.issueFirst(user.id, isOnly);
        // The account may have been taken over meanwhile.
        await removeCodesIfNoneIsLeft(user.id);
        await notices.notify('authenticatorAdded', user, trail, { kind: row.kind }, 'authenticator');
      } catch (error) {
        // Otherwise a factor would be asked for of which the owner knows nothing, and for which there are no recovery codes. It may
        // be stored even where storing it has failed.
        await background.undo('takeBackAuthenticator', confirmation.caller.requestId, error, undo);
        throw error;
      }
      const authenticator = toAuthenticatorView({ ...row, userId: user.id, slot: '' });
      const view = toUserPublic({ ...standing, isMfaEnabled: standing.isMfaEnabled || isStep });
      await events.emit('authenticator_added', { user: view, authenticator });
      if (isStep && !user.isMfaEnabled) await events.emit('mfa_enabled', { user: view });
      const session = await sessionAfter({ user: standing, claims }, confirmation);
      return {
        authenticator,
        ...(issued && { recovery_codes: issued.codes }),
        ...(session && { session }),
      };
    },

    /**
     * Removes one authenticator at the request of its owner. While the policy requires a factor, the last one is refused;
     * the check is repeated after the removal, which is then undone, because parallel requests may remove the last two. So
     * may somebody who takes the account over: what was restored in a session that has ended meanwhile is removed again.
     * @throws {GatehouseError} not_found, last_factor, unauthenticated
     */
    async remove({ user, claims }: Session, id: string, caller: Caller, trail: Trail): Promise<void> {
      const rows = await authenticators.listByUser(user.id);
      const row = rows.find(each => each.id === id && factors.isOn(each.kind));
      if (!row) throw new GatehouseError('not_found');
      const unconfirmed = factors.unconfirmedPhoneOf(user, rows);
      const isRefused = (present: User, others: Authenticator[]) =>
        factors.isNamed(present) && !factors.hasAny(factors.from(withoutPhone(present, unconfirmed), others));
      if (
        isRefused(
          user,
          rows.filter(each => each !== row),
        )
      )
        throw new GatehouseError('last_factor');
      if (!(await authenticators.remove(user.id, id))) throw new GatehouseError('not_found');
      const left = await authenticators.listByUser(user.id);
      if (isRefused((await users.find(user.id)) ?? user, left)) {
        await restore(row);
        if (await findUserOfSession(repositories, claims, caller)) throw new GatehouseError('last_factor');
        await authenticators.remove(user.id, id);
        await switchOffIfNoneIsLeft(user.id, unconfirmed);
        throw sessionEndedError();
      }
      const after = await endIdleDistrust(
        repositories,
        (await switchOffIfNoneIsLeft(user.id, unconfirmed)) ?? user,
      );
      if (left.length === 0) await removeCodesIfNoneIsLeft(user.id);
      const view = toUserPublic(after);
      await notices.notify('authenticatorRemoved', user, trail, { kind: row.kind });
      const authenticator = toAuthenticatorView(row);
      await events.emit('authenticator_removed', { user: view, authenticator, by: trail.by });
      if (user.isMfaEnabled && !after.isMfaEnabled) await events.emit('mfa_disabled', { user: view });
    },

    /**
     * Removes every authenticator and all recovery codes of an account, for administration and for a take-over, except for
     * what is added meanwhile. Returns the user afterwards, or null when it is gone.
     */
    async removeAll(user: User, trail: Trail): Promise<User | null> {
      const codes = await recovery_codes.find(user.id);
      const rows = await authenticators.listByUser(user.id);
      for (const row of rows) await authenticators.remove(user.id, row.id);
      if (codes) await recovery_codes.removeRead(codes);
      await removeCodesIfNoneIsLeft(user.id);
      const after = await switchOffIfNoneIsLeft(user.id, factors.unconfirmedPhoneOf(user, rows));
      if (after) await endIdleDistrust(repositories, after);
      for (const row of rows) {
        const authenticator = toAuthenticatorView(row);
        const view = toUserPublic(after ?? user);
        await notices.notify('authenticatorRemoved', user, trail, { kind: row.kind });
        await events.emit('authenticator_removed', { user: view, authenticator, by: trail.by });
      }
      const hadStep = rows.some(factors.keepsStep);
      if (hadStep && user.isMfaEnabled && after && !after.isMfaEnabled) {
        await events.emit('mfa_disabled', { user: toUserPublic(after) });
      }
      return after;
    },
  };
}
