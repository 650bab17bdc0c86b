// Generated from the operations by `npm run docs`.

import type { Operation } from '../operation.ts';

// biome-ignore format: one operation a line
export const apiKeysTable: readonly Operation[] = [
  ["apiKeys","G","/api-keys","","items{id name hint scopes createdAt expiresAt lastUsedAt lastUsedIp isExpired isDistrusted}scopes{name description resource}"],
  ["createApiKey","P","/api-keys","","apiKey{id name hint scopes createdAt expiresAt lastUsedAt lastUsedIp isExpired isDistrusted}key"],
  ["removeApiKey","D","/api-keys/:id","","message"],
  ["renameApiKey","U","/api-keys/:id","","id name hint scopes createdAt expiresAt lastUsedAt lastUsedIp isExpired isDistrusted"],
];
