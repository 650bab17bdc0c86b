import type { UserViews } from '../contract/views/account.ts';
import { GatehouseError } from '../errors.ts';
import type { By, EventHub } from '../events.ts';
import type { Lockout } from '../limits/lockout.ts';
import type { SmsCap } from '../limits/sms-cap.ts';
import type { Trail } from '../observability/watch.ts';
import type { Repositories } from '../storage/repositories/index.ts';
import type { UserCondition } from '../storage/repositories/users.ts';
import type { User } from '../tables/user.ts';
import type { ConsecutiveFailures } from './consecutive-failures.ts';
import type { HookRunner } from './hooks.ts';
import type { LifeCycle } from './life-cycle.ts';
import type { Notices } from './notices.ts';
import type { StepFailures } from './step-failures.ts';
import type { Superusers } from './superusers.ts';

export type Removal = ReturnType<typeof createRemoval>;

interface RemovalParts {
  repositories: Repositories;
  superusers: Superusers;
  lockout: Lockout;
  consecutiveFailures: ConsecutiveFailures;
  stepFailures: StepFailures;
  smsCap: SmsCap;
  notices: Notices;
  events: EventHub;
  hooks: HookRunner;
  views: UserViews;
}

/**
 * Removes everything with which an account can be signed in to, besides its password and its phone: of an account that is
 * deleted, or of one that its owner takes over and in which a stranger may have left it (pre-hijacking). Sends
 * no notice.
 */
export async function removeCredentials(
  { repositories, lifeCycle }: { repositories: Pick<Repositories, 'rows'>; lifeCycle: LifeCycle },
  user: User,
  by: By,
): Promise<void> {
  await lifeCycle.credentialsLeaving(user, by);
  await repositories.rows.removeOwned(user.id, { isTakeOver: true });
}

/** Deletes accounts, for the owner, an administrator or an operator. */
export function createRemoval(parts: RemovalParts) {
  const { repositories, superusers, lockout, consecutiveFailures, stepFailures, smsCap } = parts;
  const { notices, events, hooks } = parts;
  const { toUserPublic } = parts.views;
  const { users, pending } = repositories;

  /** Deletes the row of a user if it is still as it was read (compare-and-set). */
  function removeRow(user: User, only: UserCondition): Promise<boolean | 'in_use'> {
    const { isActive, isSuperuser } = user;
    // A user who was promoted meanwhile is decided on again.
    const remove = () => users.remove(user.id, { ...only, isActive, isSuperuser });
    return isActive && isSuperuser ? superusers.removeKeepingOne(user, remove) : remove();
  }

  return {
    /**
     * Deletes the user and everything that belongs to it. Returns false when the conditions no longer hold. The row of
     * the user is deleted first: when the host's own tables refer to it, nothing has changed. Whatever a stop in between
     * leaves of the other rows belongs to no account and gives no access. The caps of the address and the phone stay, so
     * that deleting an account and registering again gives no additional emails. The owner is told at the address that the
     * account had.
     *
     * A registration that was pending beside the account must not become valid when its address is free again.
     * @throws {GatehouseError} last_superuser, user_in_use, refused_by_host, unavailable
     */
    async remove(user: User, trail: Pick<Trail, 'by' | 'ip'>, only: UserCondition = {}): Promise<boolean> {
      const { by } = trail;
      await hooks.beforeDelete(user, by);
      const beside = await pending.find(user.email);
      const removed = await removeRow(user, only);
      if (removed === 'in_use') throw new GatehouseError('user_in_use');
      if (!removed) return false;
      // Together, so that an event that cannot be stored leaves nothing of the account behind.
      await Promise.all([
        events.emit('user_deleted', { user: toUserPublic(user), by }),
        repositories.rows.removeOwned(user.id, { isTakeOver: false }),
        pending.removeBeside(user, beside),
        lockout.clearUser(user),
        consecutiveFailures.clear(user),
        stepFailures.clear(user),
        smsCap.clearSetups(user.id),
      ]);
      // Last: an email that cannot be stored must leave nothing behind.
      await notices.notify('accountDeleted', user, trail, {});
      return true;
    },
  };
}
