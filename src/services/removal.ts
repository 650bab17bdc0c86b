import type { User } from '../entities/user.ts';
import type { By, EventHub } from '../events.ts';
import type { Repositories } from '../storage/repositories/index.ts';
import type { UserCondition } from '../storage/repositories/users.ts';
import type { Superusers } from './superusers.ts';
import { toUserPublic } from './views.ts';

export type Removal = ReturnType<typeof createRemoval>;

interface RemovalParts {
  repositories: Repositories;
  superusers: Superusers;
  events: EventHub;
}

/** How an account ends, whoever ends it. */
export function createRemoval({ repositories, superusers, events }: RemovalParts) {
  const { users, pending, mfa_codes, oauth_identities } = repositories;
  return {
    /**
     * Deletes the user and what belongs to it; false when the conditions no longer hold. The account is switched off
     * first, so that a stop in between leaves nobody half deleted and signed in.
     * @throws {GatehouseError} last_superuser
     */
    async remove(user: User, by: By, only: UserCondition = {}): Promise<boolean> {
      if (!(await superusers.changeKeepingOne(user, { set: { isActive: false } }, only))) return false;
      if (!(await users.remove(user.id))) return false;
      await Promise.all([
        oauth_identities.removeAll(user.id),
        mfa_codes.removeAll(user.id),
        pending.remove(user.email),
      ]);
      events.emit('user_deleted', { user: toUserPublic(user), by });
      return true;
    },
  };
}
