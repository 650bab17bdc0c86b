import { type LoginAttempt, loginAttempts } from '../../tables/login-attempt.ts';
import type { Backend } from '../backend.ts';
import { openTable, padded, type Run } from './table.ts';

export function createAttempts(backend: Backend, run: Run) {
  const table = openTable(backend, loginAttempts, run);
  return {
    /** Stores the row. Returns false when its id already exists. */
    add: (attempt: LoginAttempt) => table.insert(attempt),

    /** Sets a new time in the row as it was read (compare-and-set). Of several concurrent calls, one returns true. */
    renew: ({ id, when }: LoginAttempt, fresh: Pick<LoginAttempt, 'when' | 'ip' | 'settled'>) =>
      table.update({ id, when }, { set: fresh }),

    /** Deletes the row as it was read. */
    remove: ({ id, when, settled }: LoginAttempt) => table.delete({ id, when, settled }),

    find: (id: string) => table.find({ id }),

    /** Returns every row of this subject, including those older than any window. */
    list: (subject: string) => table.findAll({ subject }),

    /** Returns every row of these subjects, of which there is at least one. */
    listOf: (subjects: readonly string[]) => table.findAll({ subject: { $in: padded(subjects) } }),

    /** Returns the subjects of logins that have so many settled rows later than a time, those of the newest row first. */
    listFull: (after: Date, { least, prefix, limit }: { least: number; prefix: string; limit: number }) =>
      table.listShared(
        { when: { $gt: after }, settled: true },
        { ...{ property: 'subject', latest: 'when', without: ':' }, least, prefix, limit },
      ),

    /** Returns the rows of this subject that are later than a time, oldest first. */
    listAfter: (subject: string, after: Date, limit?: number) =>
      table.list(
        { where: { subject, when: { $gt: after } } },
        { orderBy: ['when'], direction: 'asc', limit },
      ),

    /** Returns how many rows of this subject are later than a time. */
    countAfter: (subject: string, after: Date) => table.count({ where: { subject, when: { $gt: after } } }),

    /** Deletes every row of these subjects and returns how many there were. */
    clear: (...subjects: string[]) => table.delete({ subject: { $in: subjects } }),
  };
}
