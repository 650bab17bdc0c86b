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

/** Bounds how often a secret can be guessed (SPEC §5.5, CONTRACT §4.4). */
export function createLockout(counts: SlidingCounts, config: Config) {
  const windowSeconds = config.loginLockoutWindowSeconds;
  // Twice what one code allows: signing in again gives a new code, and must not give new guesses for ever.
  const ofCodes: Bound = { limit: 2 * config.smsCodeMaxAttempts, windowSeconds };
  const ofPasswords: Bound = { limit: config.loginLockoutThreshold, windowSeconds };
  const boundOf = (guess: Guess) => ('code' in guess ? ofCodes : ofPasswords);
  const isOff = config.rateLimitDisabled;

  async function refuse(subject: string, bound: Bound): Promise<never> {
    const retryAfterSeconds = (await counts.secondsUntilRoom(subject, bound)) || 1;
    throw new GatehouseError('account_locked', { retryAfterSeconds });
  }

  return {
    /**
     * Asked before a secret is checked, and again once it proved right: a right guess that comes when the limit has
     * been reached by others is refused like a wrong one. @throws {GatehouseError} account_locked
     */
    async assertOpen(guess: Guess): Promise<void> {
      if (isOff) return;
      const retryAfterSeconds = await counts.secondsUntilRoom(subjectOf(guess), boundOf(guess));
      if (retryAfterSeconds > 0) throw new GatehouseError('account_locked', { retryAfterSeconds });
    },

    /**
     * Records a wrong guess and decides in one step whether its answer may say that it was wrong. A guess that is
     * refused is not recorded, so refusals don't prolong the lock. @throws {GatehouseError} account_locked
     */
    async recordFailure(guess: Guess, ip: string | null): Promise<void> {
      if (isOff) return;
      const subject = subjectOf(guess);
      const bound = boundOf(guess);
      if (!(await counts.take(subject, bound, ip))) await refuse(subject, bound);
    },

    /** Forgets every count of this user: a session was issued, or an operator unlocked the account. */
    async clearUser({ id, email }: Pick<User, 'id' | 'email'>): Promise<void> {
      const guesses: Guess[] = [{ login: email }, { currentPassword: id }, { code: id }];
      await Promise.all(guesses.map(guess => counts.clear(subjectOf(guess))));
    },
  };
}
