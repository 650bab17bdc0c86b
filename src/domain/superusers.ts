import { GatehouseError, storageReason } from '../errors.ts';
import type { Repositories } from '../storage/repositories/index.ts';
import type { UserChange, UserCondition } from '../storage/repositories/users.ts';
import type { User } from '../tables/user.ts';
import { say } from '../words/said.ts';
import { concurrentChangeError } from './changed-meanwhile.ts';

export type Superusers = ReturnType<typeof createSuperusers>;

/** Among how many others one is looked for who stays. */
const mostOthers = 50;

/**
 * Keeps at least one active superuser (CONTRACT §4.5): note, look for another one without a note, act. Of superusers that remove
 * each other at the same time, the last to be noted finds no other, and stays. Nothing is done before that is certain,
 * so a stop in between leaves a note alone, which ends by itself.
 *
 * A former version writes, counts and undoes, and knows no notes: while it runs beside this one, two removals at the same moment
 * may leave none, which `svc create-admin` repairs.
 */
export function createSuperusers({ users, challenges }: Pick<Repositories, 'users' | 'challenges'>) {
  /** Returns whether there is another active superuser whom nobody is removing. */
  async function isAnotherLeft(id: string): Promise<boolean> {
    const active = await users.list({ kind: { isActive: true, isSuperuser: true }, limit: mostOthers + 1 });
    const others = active.map(other => other.id).filter(other => other !== id);
    if (others.length === 0) return false;
    const noted = await challenges.listRemovals(others);
    // Read once more, because a removal may have ended, with its note, since the first read.
    const staying = await users.findByIds(others.filter(other => !noted.has(other)));
    return staying.some(({ isActive, isSuperuser }) => isActive && isSuperuser);
  }

  /**
   * Disables, demotes or deletes an active superuser, unless it is the last one.
   * @throws {GatehouseError} last_superuser, unavailable
   */
  async function removeKeepingOne<T>({ id }: User, remove: () => Promise<T>): Promise<T> {
    const note = await challenges.noteRemoval(id);
    if (!note) throw concurrentChangeError();
    const end = () => challenges.endRemoval(note).catch(() => {});
    try {
      if (!(await isAnotherLeft(id))) throw new GatehouseError('last_superuser');
    } catch (error) {
      // A request does not wait a second time for a database that is away; the note ends by itself.
      if (storageReason(error) === null) await end();
      throw error;
    }
    // Where this fails the note stays for its time, because the database may carry it out late.
    const removed = await remove();
    await end();
    return removed;
  }

  return {
    removeKeepingOne,

    /**
     * Makes a change that may remove a superuser. Returns the changed user, or null when its conditions no longer
     * hold.
     * @throws {GatehouseError} last_superuser, unavailable
     */
    changeKeepingOne(user: User, change: UserChange, only: UserCondition = {}): Promise<User | null> {
      const { isActive = user.isActive, isSuperuser = user.isSuperuser } = change.set ?? {};
      const removesOne = !(isActive && isSuperuser) && user.isActive && user.isSuperuser;
      // Compare-and-set on the flags that were read: a user promoted, demoted or disabled meanwhile is decided on again.
      const asRead = { ...only, isActive: user.isActive, isSuperuser: user.isSuperuser };
      const act = () => users.change(user.id, change, asRead);
      return removesOne ? removeKeepingOne(user, act) : act();
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
