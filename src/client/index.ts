export { administration } from './administration.ts';
export * from './core.ts';
