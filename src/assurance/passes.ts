import type { Setting, Test } from './needs.ts';

/** Returns whether a value is enough. */
export function passes(test: Test, value: unknown): boolean {
  const number = typeof value === 'number' ? value : Number.NaN;
  if ('atLeast' in test) return number >= test.atLeast;
  if ('atMost' in test) return number <= test.atMost;
  if ('between' in test) return number >= test.between[0] && number <= test.between[1];
  if ('oneOf' in test) return test.oneOf.includes(value as Setting);
  if ('noneOf' in test) return value !== undefined && !test.noneOf.includes(value as Setting);
  if ('within' in test) return (value as readonly string[]).every(item => test.within.includes(item));
  return value !== undefined && value !== '';
}
