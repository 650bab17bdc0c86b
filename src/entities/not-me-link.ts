import { defineEntity, type KeyColumn, p, type Stored } from './columns.ts';

/** `open`: nobody has used the link. `reported`: it has ended the sessions. `done`: it has put the account back. */
export type NotMeState = 'open' | 'reported' | 'done';

/** A link "this was not me" (CONTRACT §12.4). */
export function notMeLink(tableName: string, key: KeyColumn) {
  return defineEntity({
    name: 'NotMeLink',
    tableName,
    properties: {
      /** The SHA-256 of the token. `account:<user id>` is no link but the lock of an account that is being put back. */
      id: p.text().primary().fieldName(key('id')),
      userId: p.text().index(),
      /** The account just before what the email reports, encrypted for this row. Of a lock: the id of its link. */
      snapshot: p.text(),
      state: p.text().$type<NotMeState>(),
      /** Wrong passwords that were given with this link. */
      failures: p.integer(),
      /** By the clock of the database, so that the links of an account have one order. */
      createdAt: p.datetime(3),
      expiresAt: p.datetime(3).index(),
    },
  });
}

export type NotMeLink = Stored<ReturnType<typeof notMeLink>>;
