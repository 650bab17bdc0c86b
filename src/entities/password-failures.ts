import { defineEntity, type KeyColumn, p, type Stored } from './columns.ts';

/** The consecutive failures of one password (CONTRACT §11.1). */
export function passwordFailures(tableName: string, key: KeyColumn) {
  return defineEntity({
    name: 'PasswordFailures',
    tableName,
    properties: {
      /** The id of the user; for addresses without a password, one of a fixed number of ids that are no user's. */
      subject: p.text().primary().fieldName(key('subject')),
      /** Says which password is meant: a digest of its stored hash. Another password begins at 0. */
      password: p.text(),
      failures: p.integer(),
    },
  });
}

export type PasswordFailures = Stored<ReturnType<typeof passwordFailures>>;
