export * from '../src/pages/rules.ts';
