import type { User } from '../entities/user.ts';
import { GatehouseError } from '../errors.ts';
import type { Repositories } from '../storage/repositories/index.ts';
import type { UserChange, UserCondition } from '../storage/repositories/users.ts';

export type Superusers = ReturnType<typeof createSuperusers>;

/**
 * Keeps at least one active superuser (CONTRACT §4.5): write, count, undo. Two that remove each other at once both
 * see nobody left and both undo; a stop between write and undo is what `svc create-admin` repairs.
 */
export function createSuperusers({ users }: Pick<Repositories, 'users'>) {
  return {
    /**
     * Makes a change that may take a superuser away; false when its conditions no longer hold.
     * @throws {GatehouseError} last_superuser
     */
    async changeKeepingOne(user: User, change: UserChange, only: UserCondition = {}): Promise<boolean> {
      const { isActive = user.isActive, isSuperuser = user.isSuperuser } = change.set ?? {};
      const mayTakeOne = !(isActive && isSuperuser);
      // Decided on the rights that were read: whoever was promoted meanwhile is decided on anew.
      const asRead = mayTakeOne ? { ...only, isActive: user.isActive, isSuperuser: user.isSuperuser } : only;
      const takesOne = mayTakeOne && user.isActive && user.isSuperuser;
      // Asked first, so that a refusal leaves the sessions of the last one alone; the count after the write decides.
      if (takesOne && (await users.countActiveSuperusers()) === 1) throw new GatehouseError('last_superuser');
      if ((await users.change(user.id, change, asRead)) !== true) return false;
      if (takesOne && (await users.countActiveSuperusers()) === 0) {
        await users.change(user.id, { set: { ...asWas(user, change), isActive: true, isSuperuser: true } });
        throw new GatehouseError('last_superuser');
      }
      return true;
    },
  };
}

/** What the change has overwritten. A cutoff is not taken back: tokens it has ended stay ended. */
function asWas(user: User, { set = {} }: UserChange): NonNullable<UserChange['set']> {
  return Object.fromEntries(Object.keys(set).map(name => [name, user[name as keyof User]]));
}
