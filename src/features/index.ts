/** Every optional capability: one folder and one line each. */
export { accessTokens } from './access-tokens/index.ts';
export { apiKeys } from './api-keys/index.ts';
export { auditStore } from './audit-store/index.ts';
export { authenticatorApps } from './authenticator-apps/index.ts';
export { breachedPasswords } from './breached-passwords/index.ts';
export { browserSessions } from './browser-sessions/index.ts';
export { durableHandlers } from './durable-handlers/index.ts';
export { federation } from './federation/index.ts';
export { forwardAuth } from './forward-auth/index.ts';
export { importExport } from './import-export/index.ts';
export { newSignIns } from './new-sign-ins/index.ts';
export { passkeys } from './passkeys/index.ts';
export { trustedDocuments } from './trusted-documents/index.ts';
export { webhooks } from './webhooks/index.ts';
