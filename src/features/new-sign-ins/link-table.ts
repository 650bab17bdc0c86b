import { defineTable, integer, type RowOf, text, time } from '../../tables/define.ts';

/** `open`: the link was not used. `reported`: the former version ended the sessions with it. `done`: it was used. */
type NotMeState = 'open' | 'reported' | 'done';

/** A link "this was not me" (CONTRACT §12.4). */
export const notMeLinks = defineTable({
  name: 'NotMeLink',
  setting: 'not_me_link_collection',
  usualName: 'not_me_links',
  description: '… of links "this was not me", while `notify_new_sign_in` is on',
  columns: {
    /** The SHA-256 of the token. */
    id: text().key(),
    userId: text().indexed(),
    /** The act that the email tells of, encrypted for this row. */
    snapshot: text(),
    state: text<NotMeState>(),
    /** Always 0; the former version counts wrong passwords here. */
    failures: integer(),
    /** By the clock of the database. */
    createdAt: time(),
    expiresAt: time().indexed(),
  },
  owner: 'userId',
  ends: { by: 'expiresAt' },
});

export type NotMeLink = RowOf<typeof notMeLinks>;
