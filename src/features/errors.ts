/** The error codes of features: one line for each feature that has some. */
export { errors as accessTokens } from './access-tokens/errors.ts';
export { errors as apiKeys } from './api-keys/errors.ts';
