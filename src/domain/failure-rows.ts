import { createHash } from 'node:crypto';
import { contentionError } from '../errors.ts';
import type { Repositories } from '../storage/repositories/index.ts';
import type { PasswordFailures } from '../tables/password-failures.ts';
import { mostTries } from './contention.ts';

/** Returns the digest of a text. */
export const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Returns the row without failures of a subject; it belongs to the password of this hash, and another one restarts it. */
export const emptyRow = (subject: string, hash: string): PasswordFailures => ({
  subject,
  password: digestOf(hash).toString('base64url').slice(0, 22),
  failures: 0,
});

/**
 * Counts consecutive failures, over any time, restarts and processes. One statement counts a failure; one statement accepts
 * a success, only below the limit. So no parallel guess is accepted once the limit is reached.
 */
export function createFailureRows({ password_failures }: Pick<Repositories, 'password_failures'>) {
  return {
    find: (subject: string) => password_failures.find(subject),
    remove: (subject: string) => password_failures.remove(subject),

    /** Adds a failure to the row as it was read. Returns the number of failures. */
    async count(none: PasswordFailures, read: PasswordFailures | null): Promise<number> {
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
      throw contentionError();
    },

    /** Ends the row of failures. Returns false when there are as many as `most`. */
    async accept(none: PasswordFailures, most: number): Promise<boolean> {
      for (let tries = 0; tries < mostTries; tries++) {
        const row = await password_failures.find(none.subject);
        if (!row || row.password !== none.password || row.failures === 0) return true;
        if (row.failures >= most) return false;
        if (await password_failures.reset(row, most)) return true;
      }
      throw contentionError();
    },
  };
}
