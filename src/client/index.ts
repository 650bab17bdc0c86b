export { administration } from './administration.ts';
export { apiKeys } from './api-keys.ts';
export * from './core.ts';
export { challengeOf, tokens } from './tokens.ts';
