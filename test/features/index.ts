/** The operations of features, as tests call them: one line for each feature that has some. */
export * as accessTokens from './access-tokens/operations.ts';
export * as apiKeys from './api-keys/operations.ts';
export * as authenticatorApps from './authenticator-apps/operations.ts';
export * as browserSessions from './browser-sessions/operations.ts';
export * as federation from './federation/operations.ts';
export * as newSignIns from './new-sign-ins/operations.ts';
export * as passkeys from './passkeys/operations.ts';
export * as webhooks from './webhooks/operations.ts';
