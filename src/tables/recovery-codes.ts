import { defineTable, type RowOf, text, time } from './define.ts';

/**
 * The recovery codes of one account. They are one row, so that replacing them as a whole and using one of them are each
 * one conditional write.
 */
export const recoveryCodes = defineTable({
  name: 'RecoveryCodes',
  setting: 'recovery_code_collection',
  usualName: 'recovery_codes',
  description: '… of recovery codes',
  columns: {
    userId: text().key(),
    /** JSON: the hash of each code at its index, or null once it was used. */
    hashes: text(),
    /** Changes with every write (optimistic locking). */
    version: text(),
    createdAt: time(),
  },
  owner: 'userId',
});

export type RecoveryCodes = RowOf<typeof recoveryCodes>;
