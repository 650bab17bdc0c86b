import { defineEntity, type KeyColumn, p, type Stored } from './columns.ts';

/** A logged-out token, until it would have expired anyway. */
export function blacklistEntry(tableName: string, key: KeyColumn) {
  return defineEntity({
    name: 'BlacklistEntry',
    tableName,
    properties: {
      jti: p.text().primary().fieldName(key('jti')),
      exp: p.datetime(3).index(),
    },
  });
}

export type BlacklistEntry = Stored<ReturnType<typeof blacklistEntry>>;
