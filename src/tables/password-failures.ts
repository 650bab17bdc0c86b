import { defineTable, integer, type RowOf, text } from './define.ts';

/** The consecutive failures of one password (CONTRACT §11.1). */
export const passwordFailures = defineTable({
  name: 'PasswordFailures',
  setting: 'password_failure_collection',
  usualName: 'password_failures',
  description: '… of consecutive wrong passwords, while `max_consecutive_failures` is set',
  columns: {
    /** The id of the user; for addresses without a password, one of a fixed number of ids that are no user's. */
    subject: text().key(),
    /** Says which password is meant: a digest of its stored hash. Another password begins at 0. */
    password: text(),
    failures: integer(),
  },
});

export type PasswordFailures = RowOf<typeof passwordFailures>;
