import type { User } from '../tables/user.ts';
import type { Dependencies } from './dependencies.ts';
import { endReport } from './trust.ts';

/** Unlocks accounts, for an administrator or an operator. */
export function createUnlocking({ repositories, limits }: Pick<Dependencies, 'repositories' | 'limits'>) {
  const { lockout, consecutiveFailures, stepFailures, mailCap } = limits;
  return {
    /** Clears the failed attempts of this user, lifts the caps on emails to the address, and ends a report. */
    async unlock(user: User): Promise<void> {
      await Promise.all([
        lockout.clearUser(user),
        consecutiveFailures.clear(user),
        stepFailures.unblock(user),
        mailCap.clear(user.email),
        endReport(repositories, user),
      ]);
    },
  };
}
