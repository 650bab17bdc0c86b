import { inject } from 'vitest';

/**
 * How often a race is run whose outcome differs from run to run, or how many take part in it: so many in `npm run test:all`, and
 * a quarter of them in `npm test`, which runs more often.
 */
export const repetitions = (count: number): number =>
  inject('tier') === 'all' ? count : Math.ceil(count / 4);

/** For which of many a rule is repeated: for each in `npm run test:all`, and for these few in `npm test`. */
export const fewOf = <T>(all: readonly T[], ...few: T[]): readonly T[] =>
  inject('tier') === 'all' ? all : few;
