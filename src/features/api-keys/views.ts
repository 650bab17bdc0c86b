import { z } from 'zod';
import { isDistrusted as distrusted, id, time } from '../../contract/views/fields.ts';
import type { InNode } from '../../in-node.ts';
import type { ApiKeyRow } from './table.ts';

export const ApiKeyView = z
  .object({
    id: id.describe('Identifies the key.'),
    name: z.string().describe('As its owner named it.'),
    hint: z.string().describe('The last four characters of the key.'),
    scopes: z.array(z.string()).describe('What it opens, as far as the configuration still gives it.'),
    created_at: time.describe('When it was made.'),
    expires_at: time.nullable().describe('When it ends; null for a key without end.'),
    last_used_at: time
      .nullable()
      .describe('When it was last used, to about a minute; null before the first time.'),
    last_used_ip: z.string().nullable().describe('The address from which it was last used.'),
    is_expired: z.boolean().describe('Whether it has ended.'),
    is_distrusted: distrusted,
  })
  .meta({
    id: 'ApiKey',
    description: 'A key with which a script acts for a person. It is never shown again.',
  });
export type ApiKeyView = z.infer<typeof ApiKeyView>;
/** A key in Node. */
export type ApiKey = InNode<typeof ApiKeyView>;

export const toApiKeyView = (row: ApiKeyRow, now: Date, isDistrusted: boolean): ApiKeyView => ({
  ...{ id: row.id, name: row.name, hint: row.hint, scopes: row.scopes },
  created_at: row.createdAt.toISOString(),
  expires_at: row.expiresAt?.toISOString() ?? null,
  last_used_at: row.lastUsedAt?.toISOString() ?? null,
  last_used_ip: row.lastUsedIp,
  is_expired: row.expiresAt !== null && row.expiresAt <= now,
  ...(isDistrusted && { is_distrusted: true }),
});

export const ScopeView = z
  .object({
    name: z.string().describe('The name of the scope.'),
    description: z.string().describe('For people.'),
    resource: z
      .string()
      .nullable()
      .describe(
        'The identifier of the API that it belongs to; null for `profile`, which opens the profile here.',
      ),
  })
  .meta({ id: 'Scope', description: 'Something that a key may open.' });
export type ScopeView = z.infer<typeof ScopeView>;

export const ApiKeyList = z
  .object({
    items: z.array(ApiKeyView).describe('Newest first.'),
    scopes: z.array(ScopeView).describe('What a new key may open.'),
  })
  .meta({ id: 'ApiKeyList', description: 'The API keys of the account.' });
export type ApiKeyList = z.infer<typeof ApiKeyList>;

export const ApiKeyCreated = z
  .object({
    api_key: ApiKeyView,
    key: z
      .string()
      .meta({ examples: [`svc_key_${'0'.repeat(43)}2tMhkQ`] })
      .describe('The key. It is shown only now.'),
  })
  .meta({ id: 'ApiKeyCreated', description: 'An API key that was made.' });
export type ApiKeyCreated = z.infer<typeof ApiKeyCreated>;

export const UserApiKeys = z
  .object({ items: z.array(ApiKeyView).describe('Newest first.') })
  .meta({ id: 'UserApiKeys', isList: true, description: 'The API keys of an account.' });
export type UserApiKeys = z.infer<typeof UserApiKeys>;
