import type { Config } from '../config/schema.ts';
import type { UserViews } from '../contract/views/account.ts';
import type { EventHub } from '../events.ts';
import type { Trail } from '../observability/watch.ts';
import type { Repositories } from '../storage/repositories/index.ts';
import type { PasswordFailures } from '../tables/password-failures.ts';
import type { User } from '../tables/user.ts';
import { createFailureRows, digestOf, emptyRow } from './failure-rows.ts';
import type { Notices } from './notices.ts';

export type ConsecutiveFailures = ReturnType<typeof createConsecutiveFailures>;

interface Parts {
  config: Pick<Config, 'maxConsecutiveFailures' | 'limitsDisabled'>;
  repositories: Pick<Repositories, 'password_failures'>;
  notices: Notices;
  events: EventHub;
  views: UserViews;
}

/** A guess at the password of an account, before it is decided. */
export interface CountedGuess {
  /** Whether the password of the account no longer signs in: then the guess is wrong, whatever it is, and is not compared. */
  isBlocked: boolean;
  /**
   * Counts a wrong guess, or ends the row of failures after a right one. Returns whether the guess is right: not when the
   * password was blocked since the guess was opened, which makes it one more failure. The owner is notified of the failure
   * that blocks the password.
   */
  decide(isRight: boolean, trail: Trail): Promise<boolean>;
}

/**
 * How many rows take the failures of addresses without a password, so that a guess at one costs the same statements as a
 * guess at an account's (timing attack, CONTRACT §4.2), and unknown addresses cannot fill the database.
 */
const decoys = 1024;

/**
 * Counts wrong passwords without a right one in between (NIST SP 800-63B-4 §3.2.2). The count belongs to the password, not to
 * the account: whatever replaces the password lifts the block.
 */
export function createConsecutiveFailures({ config, repositories, notices, events, views }: Parts) {
  const rows = createFailureRows(repositories);
  const most = config.maxConsecutiveFailures;
  const isOff = most === 0 || config.limitsDisabled;

  async function notify(user: User, trail: Trail): Promise<void> {
    await notices.notify('passwordBlocked', user, trail, {});
    await events.emit('password_blocked', { user: views.toUserPublic(user) });
  }

  const isBlockedBy = (row: PasswordFailures | null, { password }: PasswordFailures) =>
    row?.password === password && row.failures >= most;

  return {
    /**
     * Returns the subject of the row that takes the failures of an address without a password; null while none are counted.
     */
    decoyOf: (email: string) => (isOff ? null : decoyOf(email)),

    /**
     * Opens a guess at the password of an account; null where the address has none.
     * @param stored the row of failures, where it has just been read; null where there is none
     */
    async open(user: User | null, email: string, stored?: PasswordFailures | null): Promise<CountedGuess> {
      if (isOff) return { isBlocked: false, decide: async isRight => isRight };
      const owner = user?.hashedPassword ? user : null;
      const none = emptyRow(owner?.id ?? decoyOf(email), owner?.hashedPassword ?? '');
      const row = stored === undefined ? await rows.find(none.subject) : stored;
      return {
        isBlocked: owner !== null && isBlockedBy(row, none),
        async decide(isRight, trail) {
          if (isRight && (owner === null || (await rows.accept(none, most)))) return true;
          const failures = await rows.count(none, row);
          if (owner && failures === most) await notify(owner, trail);
          return false;
        },
      };
    },

    /** Returns whether so many failures have blocked the password of this account. */
    async isBlocked(user: User): Promise<boolean> {
      if (isOff || !user.hashedPassword) return false;
      const none = emptyRow(user.id, user.hashedPassword);
      return isBlockedBy(await rows.find(none.subject), none);
    },

    /** Lifts the block, after an operator has unlocked the account, or removes the count of a deleted one. */
    async clear({ id }: Pick<User, 'id'>): Promise<void> {
      if (!isOff) await rows.remove(id);
    },
  };
}

const decoyOf = (email: string) => `decoy:${digestOf(email).readUInt32BE() % decoys}`;
