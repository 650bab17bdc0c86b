import { defineTable, type RowOf, text, time } from './define.ts';

/**
 * The part of a session that its owner can see (CONTRACT §10). It authenticates nothing: the session check reads the user and
 * the blacklist.
 */
export const sessionRecords = defineTable({
  name: 'SessionRecord',
  setting: 'session_collection',
  usualName: 'user_sessions',
  description: '… of sessions, while `enable_session_list` is on',
  columns: {
    /** The `jti` of the session token. */
    id: text().key(),
    userId: text().indexed(),
    /** The `iat` of the token. */
    createdAt: time(),
    lastSeenAt: time(),
    expiresAt: time().indexed(),
    ip: text().nullable(),
    userAgent: text().nullable(),
    /** The short form of the user agent: "Firefox on Linux". */
    device: text().nullable(),
    /** How the session began: `password`, `mfa`, `oauth`, `passkey`, or a word of the host. */
    method: text(),
  },
  owner: 'userId',
  isKeptByTakeOver: true,
  ends: { by: 'expiresAt' },
});

export type SessionRecord = RowOf<typeof sessionRecords>;
