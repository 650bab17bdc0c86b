import { defineEntity, type KeyColumn, p, type Stored } from './columns.ts';

/**
 * What the owner of a session can see of it (CONTRACT §10). It authenticates nothing: the session check reads the user and
 * the blacklist.
 */
export function sessionRecord(tableName: string, key: KeyColumn) {
  return defineEntity({
    name: 'SessionRecord',
    tableName,
    properties: {
      /** The `jti` of the session token. */
      id: p.text().primary().fieldName(key('id')),
      userId: p.text().index(),
      /** The `iat` of the token. */
      createdAt: p.datetime(3),
      lastSeenAt: p.datetime(3),
      expiresAt: p.datetime(3).index(),
      ip: p.text().nullable(),
      userAgent: p.text().nullable(),
      /** The short form of the user agent: "Firefox on Linux". */
      device: p.text().nullable(),
      /** How the session began: `password`, `mfa`, `oauth`, `passkey`, or a word of the host. */
      method: p.text(),
    },
  });
}

export type SessionRecord = Stored<ReturnType<typeof sessionRecord>>;
