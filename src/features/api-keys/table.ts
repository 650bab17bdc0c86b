import { defineTable, json, type RowOf, text, time } from '../../tables/define.ts';

/** How long an expired key is listed, in days. */
export const keptDays = 30;

/**
 * A key with which a script acts for a person (CONTRACT §17). The key itself is stored nowhere. The unique `slot` bounds how
 * many an account can have, without a transaction.
 */
export const apiKeys = defineTable({
  name: 'ApiKey',
  setting: 'api_key_collection',
  usualName: 'api_keys',
  description: '… of API keys, while `enable_api_keys` is on',
  columns: {
    id: text().key(),
    /** Whose the key is: `user`, a person. */
    ownerKind: text<'user'>(),
    ownerId: text(),
    /** The SHA-256 of the key. */
    hash: text().unique(),
    /** The last four characters, by which its owner tells it from others. */
    hint: text(),
    name: text(),
    scopes: json<string[]>(),
    createdAt: time(),
    /** Null for a key without end. */
    expiresAt: time().nullable(),
    lastUsedAt: time().nullable(),
    lastUsedIp: text().nullable(),
    /** When its owner was told that it ends soon. */
    warnedAt: time().nullable(),
    /** `<owner_id>:<number>`, with a number below `api_keys_per_user`. */
    slot: text().unique(),
  },
  indexes: [['ownerKind', 'ownerId']],
  owner: 'ownerId',
  addedAt: 'createdAt',
});

export type ApiKeyRow = RowOf<typeof apiKeys>;
