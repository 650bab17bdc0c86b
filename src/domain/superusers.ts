import type { Clock } from '../clock.ts';
import { GatehouseError } from '../errors.ts';
import type { Repositories } from '../storage/repositories/index.ts';
import type { UserChange, UserCondition } from '../storage/repositories/users.ts';
import type { User } from '../tables/user.ts';
import { say } from '../words/said.ts';
import { concurrentChangeError } from './changed-meanwhile.ts';

export type Superusers = ReturnType<typeof createSuperusers>;

interface SuperuserParts {
  clock: Clock;
  repositories: Pick<Repositories, 'users' | 'challenges'>;
}

/**
 * Keeps at least one active superuser (CONTRACT §4.5): write, count, undo. Two superusers that remove each other at the
 * same time both count none and both undo. A stop between write and undo is repaired by `svc create-admin`.
 *
 * Until the count has decided, the row looks like that of somebody who is no superuser. A note says so, and nothing else
 * changes the account meanwhile: an account that was deleted as a plain one could not be given its rights back.
 */
export function createSuperusers({ clock, repositories: { users, challenges } }: SuperuserParts) {
  /** Makes a change that removes a superuser, unless it was the last active one. */
  async function removeOne(user: User, change: UserChange, only: UserCondition): Promise<User | null> {
    // Counted first, so that a refusal does not end the sessions of the last superuser. The count after the write
    // decides.
    if ((await users.countActiveSuperusers()) === 1) throw new GatehouseError('last_superuser');
    if (!(await challenges.noteDemotion(user.id, clock.now()))) throw concurrentChangeError();
    try {
      const changed = await users.change(user.id, change, only);
      if (!changed || (await users.countActiveSuperusers()) > 0) return changed;
      const { set, ...former } = formerValues(user, change);
      await users.change(user.id, { ...former, set: { ...set, isActive: true, isSuperuser: true } });
      throw new GatehouseError('last_superuser');
    } finally {
      // A note that cannot be removed ends by itself.
      await challenges.removeDemotion(user.id).catch(() => {});
    }
  }

  /**
   * Rejects an act on an account, as it was read, whose rights another request is removing.
   * @throws {GatehouseError} unavailable
   */
  async function assertDecided(user: User): Promise<void> {
    if (await challenges.hasDemotion(user.id, clock.now())) throw concurrentChangeError();
  }

  return {
    assertDecided,

    /**
     * Makes a change that may remove a superuser. Returns the changed user, or null when its conditions no longer
     * hold.
     * @throws {GatehouseError} last_superuser, unavailable
     */
    async changeKeepingOne(user: User, change: UserChange, only: UserCondition = {}): Promise<User | null> {
      const { isActive = user.isActive, isSuperuser = user.isSuperuser } = change.set ?? {};
      // Compare-and-set on the flags that were read: a user promoted, demoted or disabled meanwhile is decided on again.
      const asRead = { ...only, isActive: user.isActive, isSuperuser: user.isSuperuser };
      if (!(isActive && isSuperuser) && user.isActive && user.isSuperuser)
        return removeOne(user, change, asRead);
      await assertDecided(user);
      return users.change(user.id, change, asRead);
    },
  };
}

/**
 * Rejects making a superuser of an account whose address is not verified, because anybody may have registered it.
 * @throws {GatehouseError} email_not_verified
 */
export function assertPromotable(isVerified: boolean, evenUnverified: boolean | null | undefined): void {
  if (isVerified || evenUnverified) return;
  throw new GatehouseError('email_not_verified', { detail: say('error_even_unverified') });
}

/**
 * Returns a change back to the values that the change has overwritten, and to no others. A revocation cutoff is not
 * undone: the tokens that it ended stay revoked.
 */
function formerValues(user: User, { set = {}, fields, roles }: UserChange): UserChange {
  const stored = new Map(Object.entries(user.fields ?? {}));
  const held = user.roles ?? [];
  return {
    set: Object.fromEntries(Object.keys(set).map(name => [name, user[name as keyof User]])),
    ...(fields && {
      fields: Object.fromEntries(Object.keys(fields).map(name => [name, stored.get(name) ?? null])),
    }),
    ...(roles && { roles: { known: roles.known, given: roles.known.filter(role => held.includes(role)) } }),
  };
}
