import { defineEntity, type KeyColumn, p, type Stored } from './columns.ts';

/** `open`: the link was not used. `reported`: the former version ended the sessions with it. `done`: it was used. */
type NotMeState = 'open' | 'reported' | 'done';

/** A link "this was not me" (CONTRACT §12.4). */
export function notMeLink(tableName: string, key: KeyColumn) {
  return defineEntity({
    name: 'NotMeLink',
    tableName,
    properties: {
      /** The SHA-256 of the token. */
      id: p.text().primary().fieldName(key('id')),
      userId: p.text().index(),
      /** The act that the email tells of, encrypted for this row. */
      snapshot: p.text(),
      state: p.text().$type<NotMeState>(),
      /** Always 0; the former version counts wrong passwords here. */
      failures: p.integer(),
      /** By the clock of the database. */
      createdAt: p.datetime(3),
      expiresAt: p.datetime(3).index(),
    },
  });
}

export type NotMeLink = Stored<ReturnType<typeof notMeLink>>;
