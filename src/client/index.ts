export { administration } from './administration.ts';
export * from './core.ts';
export { challengeOf, tokens } from './tokens.ts';
