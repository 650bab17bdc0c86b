import type { Clock } from '../clock.ts';
import type { UserViews } from '../contract/views/account.ts';
import { GatehouseError } from '../errors.ts';
import type { EventHub } from '../events.ts';
import type { Trail } from '../observability/watch.ts';
import type { Repositories } from '../storage/repositories/index.ts';
import type { UserCondition } from '../storage/repositories/users.ts';
import type { User } from '../tables/user.ts';
import type { Authenticators } from './authenticators.ts';
import type { Factors } from './factors.ts';
import type { Notices } from './notices.ts';

export type SecondFactor = ReturnType<typeof createSecondFactor>;

interface Parts {
  clock: Clock;
  repositories: Repositories;
  notices: Notices;
  events: EventHub;
  factors: Factors;
  authenticators: Authenticators;
  views: UserViews;
}

/** The values of a user who has no phone as the second factor. */
export const withoutSecondFactor = {
  phoneNumber: null,
  phoneConfirmedAt: null,
  isMfaEnabled: false,
} as const;

/** Removes second factors of an account, for its owner, an administrator or an operator. */
export function createSecondFactor(parts: Parts) {
  const { clock, repositories, notices, events, factors, authenticators, views } = parts;
  const { users, mfa_codes } = repositories;

  /**
   * Removes the phone and its codes, and notifies the owner. The second step stays on while the account has an
   * authenticator app. Returns null when the conditions no longer hold.
   * @throws {GatehouseError} last_factor, for an owner whose account must have a factor and would have none
   */
  async function removePhone(user: User, trail: Trail, only: UserCondition = {}): Promise<User | null> {
    const { phoneNumber, phoneConfirmedAt } = user;
    const without = { ...user, phoneNumber: null, phoneConfirmedAt: null };
    const isFactor =
      trail.actor === user.id && factors.isNamed(user) && (await factors.of(user)).phoneNumber !== null;
    const isRefused = async () => isFactor && !factors.hasAny(await factors.of(without));
    if (await isRefused()) throw new GatehouseError('last_factor');
    const set = { phoneNumber: null, phoneConfirmedAt: null, updatedAt: clock.now() };
    if (!(await users.change(user.id, { set }, only))) return null;
    // Checked again, because parallel requests may remove the last two factors. In an account that was taken over meanwhile
    // the conditions hold no longer, and the phone stays away.
    if (await isRefused()) {
      await users.change(
        user.id,
        { set: { phoneNumber, phoneConfirmedAt, isMfaEnabled: true } },
        { ...only, phoneNumber: null },
      );
      throw new GatehouseError('last_factor');
    }
    await mfa_codes.removeAll(user.id);
    const after = (await authenticators.switchOffIfNoneIsLeft(user.id)) ?? {
      ...without,
      isMfaEnabled: false,
    };
    if (phoneNumber !== null) {
      await notices.notify('phoneRemoved', user, trail, {});
      if (user.isMfaEnabled && !after.isMfaEnabled)
        await events.emit('mfa_disabled', { user: views.toUserPublic(after) });
    }
    return after;
  }

  return {
    removePhone,

    /**
     * Removes every second factor: the phone, authenticator apps, passkeys and recovery codes.
     * @throws {GatehouseError} last_factor, of administrators who must have one, on their own account
     */
    async removeAll(user: User, trail: Trail): Promise<User | null> {
      if (trail.actor === user.id && factors.isNamed(user)) throw new GatehouseError('last_factor');
      const without = await removePhone(user, trail);
      const isMfaEnabled = without?.isMfaEnabled ?? user.isMfaEnabled;
      return authenticators.removeAll({ ...user, isMfaEnabled }, trail);
    },
  };
}
