import { defineEntity, type KeyColumn, p, type Stored } from './columns.ts';

/**
 * The recovery codes of one account. They are one row, so that replacing them as a whole and using one of them are each
 * one conditional write.
 */
export function recoveryCodes(tableName: string, key: KeyColumn) {
  return defineEntity({
    name: 'RecoveryCodes',
    tableName,
    properties: {
      userId: p.text().primary().fieldName(key('user_id')),
      /** JSON: the hash of each code at its index, or null once it was used. */
      hashes: p.text(),
      /** Changes with every write (optimistic locking). */
      version: p.text(),
      createdAt: p.datetime(3),
    },
  });
}

export type RecoveryCodes = Stored<ReturnType<typeof recoveryCodes>>;
