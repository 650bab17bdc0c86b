import { defineTable, type RowOf, text, time } from './define.ts';

/** A logged-out token, until it would have expired anyway. */
export const blacklist = defineTable({
  name: 'BlacklistEntry',
  setting: 'blacklist_collection',
  usualName: 'token_blacklist',
  description: '… of logged-out tokens',
  columns: {
    jti: text().key(),
    exp: time().indexed(),
  },
  ends: { by: 'exp' },
});

export type BlacklistEntry = RowOf<typeof blacklist>;
