import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../config/schema.ts';
import type { User } from '../entities/user.ts';
import { GatehouseError } from '../errors.ts';
import type { Bound, SlidingCounts } from './sliding-count.ts';

export type Lockout = ReturnType<typeof createLockout>;

/** What is guessed at: each has a count of its own. */
export type Guess = { login: string } | { currentPassword: string } | { code: string };

/** An address holds no colon, so the subjects of users can't meet one. */
function subjectOf(guess: Guess): string {
  if ('login' in guess) return guess.login;
  return 'code' in guess ? `code:${guess.code}` : `password:${guess.currentPassword}`;
}

/**
 * How long a guess waits for others that were right, in milliseconds: a little longer than places count that a stopped
 * process has left behind.
 */
const patienceMs = 5000;

/** A guess at a secret that is not locked. */
export interface OpenGuess {
  /**
   * Decides the guess once it was checked, right or wrong, in one step: it takes one of the places, or is refused, so
   * that of many at once no more are answered than there are places. A wrong guess keeps its place; a right one gives
   * it back by the function that is answered. While places are only held by guesses that were right, others wait. A
   * guess that is refused is not recorded, so refusals don't prolong the lock.
   * @throws {GatehouseError} account_locked
   */
  decide(isRight: boolean, ip: string | null): Promise<() => Promise<void>>;
}

/** Bounds how often a secret can be guessed (SPEC §5.5, CONTRACT §4.4). */
export function createLockout(counts: SlidingCounts, config: Config) {
  const windowSeconds = config.loginLockoutWindowSeconds;
  // Twice what one code allows: signing in again gives a new code, and must not give new guesses for ever.
  const ofCodes: Bound = { limit: 2 * config.smsCodeMaxAttempts, windowSeconds };
  const ofPasswords: Bound = { limit: config.loginLockoutThreshold, windowSeconds };
  const boundOf = (guess: Guess) => ('code' in guess ? ofCodes : ofPasswords);
  const isOff = config.rateLimitDisabled;

  const refusals = { login: 0, current_password: 0, code: 0 };

  function locked(guess: Guess, retryAfterSeconds: number): GatehouseError {
    refusals['login' in guess ? 'login' : 'code' in guess ? 'code' : 'current_password']++;
    return new GatehouseError('account_locked', { retryAfterSeconds });
  }

  const look = (guess: Guess) => counts.look(subjectOf(guess), boundOf(guess));

  return {
    /** How many guesses a lock has refused, by what was guessed at. */
    refusals,

    /** Asked before a secret is checked; what was checked is decided by the answer. @throws {GatehouseError} account_locked */
    async open(guess: Guess): Promise<OpenGuess> {
      if (isOff) return { decide: async () => async () => {} };
      const room = await look(guess);
      if (room.secondsUntilRoom > 0) throw locked(guess, room.secondsUntilRoom);

      return {
        async decide(isRight, ip) {
          const until = performance.now() + patienceMs;
          for (let seen = room; ; seen = await look(guess)) {
            const taken = await seen.take({ ip, settled: !isRight });
            if (typeof taken === 'object') return isRight ? () => counts.release(taken) : async () => {};
            if (taken === 'full' || performance.now() > until) break;
            await sleep(5 + Math.random() * 20);
          }
          throw locked(guess, (await look(guess)).secondsUntilRoom || 1);
        },
      };
    },

    /** Forgets the guesses at this user's password, which was proved by other means. */
    async clearPassword({ id, email }: Pick<User, 'id' | 'email'>): Promise<void> {
      await clear([{ login: email }, { currentPassword: id }]);
    },

    /**
     * Forgets every count of this user, places that are held among them: a session was issued, or an operator unlocked
     * the account.
     */
    async clearUser({ id, email }: Pick<User, 'id' | 'email'>): Promise<void> {
      await clear([{ login: email }, { currentPassword: id }, { code: id }]);
    },
  };

  async function clear(guesses: Guess[]): Promise<void> {
    await counts.clear(...guesses.map(subjectOf));
  }
}
