import type { User } from '../entities/user.ts';
import type { Lockout } from '../limits/lockout.ts';
import type { MailCap } from '../limits/mail-cap.ts';
import type { ConsecutiveFailures } from './consecutive-failures.ts';

export type Unlocking = ReturnType<typeof createUnlocking>;

interface Parts {
  lockout: Lockout;
  consecutiveFailures: ConsecutiveFailures;
  mailCap: MailCap;
}

/** Unlocks accounts, for an administrator or an operator. */
export function createUnlocking({ lockout, consecutiveFailures, mailCap }: Parts) {
  return {
    /** Clears the failed attempts of this user, and lifts the caps on emails to the address. */
    async unlock(user: Pick<User, 'id' | 'email'>): Promise<void> {
      await Promise.all([
        lockout.clearUser(user),
        consecutiveFailures.clear(user),
        mailCap.clear(user.email),
      ]);
    },
  };
}
