import type { User } from '../entities/user.ts';
import type { Limits } from './dependencies.ts';

/** Unlocks accounts, for an administrator or an operator. */
export function createUnlocking({ lockout, consecutiveFailures, stepFailures, mailCap }: Limits) {
  return {
    /** Clears the failed attempts of this user, and lifts the caps on emails to the address. */
    async unlock(user: Pick<User, 'id' | 'email'>): Promise<void> {
      await Promise.all([
        lockout.clearUser(user),
        consecutiveFailures.clear(user),
        stepFailures.unblock(user),
        mailCap.clear(user.email),
      ]);
    },
  };
}
