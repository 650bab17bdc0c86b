import { createHash } from 'node:crypto';
import type { Config } from '../config/schema.ts';
import type { UserViews } from '../contract/views/account.ts';
import type { PasswordFailures } from '../entities/password-failures.ts';
import type { User } from '../entities/user.ts';
import { GatehouseError } from '../errors.ts';
import type { EventHub } from '../events.ts';
import type { Trail } from '../observability/watch.ts';
import type { Repositories } from '../storage/repositories/index.ts';
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

/** How often a change of a contended row is tried before the request fails with 503. */
const mostTries = 10;

/**
 * Counts wrong passwords without a right one in between, however slowly they come (NIST SP 800-63B §5.2.2), across
 * processes and restarts. The count belongs to the password, not to the account: whatever replaces the password lifts the
 * block. Each guess is counted by one statement. A right one is accepted by one, too, and only below the limit; so of any
 * number of guesses at once, none is accepted after so many failures.
 */
export function createConsecutiveFailures({ config, repositories, notices, events, views }: Parts) {
  const { password_failures } = repositories;
  const most = config.maxConsecutiveFailures;
  const isOff = most === 0 || config.limitsDisabled;

  /** Adds a failure to the row as it was read. Returns the number of failures. */
  async function count(none: PasswordFailures, read: PasswordFailures | null): Promise<number> {
    let row = read;
    for (let tries = 0; tries < mostTries; tries++) {
      if (!row) {
        if (await password_failures.add({ ...none, failures: 1 })) return 1;
      } else {
        const isOther = row.password !== none.password;
        const changed = await (isOther
          ? password_failures.restart(row, none.password)
          : password_failures.increment(row));
        if (changed) return changed.failures;
      }
      row = await password_failures.find(none.subject);
    }
    throw new GatehouseError('unavailable', { retryAfterSeconds: 1 });
  }

  /** Ends the row of failures. Returns false when there are as many as block the password. */
  async function accept(none: PasswordFailures): Promise<boolean> {
    for (let tries = 0; tries < mostTries; tries++) {
      const row = await password_failures.find(none.subject);
      if (!row || row.password !== none.password || row.failures === 0) return true;
      if (row.failures >= most) return false;
      if (await password_failures.reset(row, most)) return true;
    }
    throw new GatehouseError('unavailable', { retryAfterSeconds: 1 });
  }

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
      const none = emptyRow(owner, email);
      const row = stored === undefined ? await password_failures.find(none.subject) : stored;
      return {
        isBlocked: owner !== null && isBlockedBy(row, none),
        async decide(isRight, trail) {
          if (isRight && (owner === null || (await accept(none)))) return true;
          const failures = await count(none, row);
          if (owner && failures === most) await notify(owner, trail);
          return false;
        },
      };
    },

    /** Returns whether so many failures have blocked the password of this account. */
    async isBlocked(user: User): Promise<boolean> {
      if (isOff || !user.hashedPassword) return false;
      const none = emptyRow(user, user.email);
      return isBlockedBy(await password_failures.find(none.subject), none);
    },

    /** Lifts the block, after an operator has unlocked the account, or removes the count of a deleted one. */
    async clear({ id }: Pick<User, 'id'>): Promise<void> {
      if (!isOff) await password_failures.remove(id);
    },
  };
}

const digestOf = (text: string) => createHash('sha256').update(text).digest();

const decoyOf = (email: string) => `decoy:${digestOf(email).readUInt32BE() % decoys}`;

/** Returns the row without failures of an account's password, or of an address without one. */
function emptyRow(owner: User | null, email: string): PasswordFailures {
  const hash = owner?.hashedPassword ?? '';
  const subject = owner?.id ?? decoyOf(email);
  return { subject, password: digestOf(hash).toString('base64url').slice(0, 22), failures: 0 };
}
