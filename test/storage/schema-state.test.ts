import { expect, test } from 'vitest';
import { compareSteps } from '../../src/storage/schema-state.ts';

const known = ['1', '2', '3'].map(name => ({ name, compatibleFrom: '1' }));
const ran = (...steps: [name: string, compatibleFrom: string | null][]) =>
  steps.map(([name, compatibleFrom]) => ({ name, compatibleFrom }));
const all = ran(['1', '1'], ['2', null], ['3', '1']);

test.each([
  ['nothing has run', [], 'behind'],
  ['a step is missing', all.slice(0, 2), 'behind'],
  ['every step has run, whatever is stored with it', all, 'current'],
  ['later steps only add', [...all, ...ran(['4', '1'], ['5', '3'])], 'compatible'],
  ['a later step takes away what this version uses', [...all, ...ran(['4', '1'], ['5', '4'])], 'ahead'],
  ['a later step says nothing of that', [...all, ...ran(['4', null])], 'ahead'],
  ['a step of its own is missing beside later ones', [...all.slice(0, 2), ...ran(['4', '1'])], 'behind'],
  ['a step is missing beside one that it cannot run with', [...all.slice(0, 2), ...ran(['4', '4'])], 'ahead'],
])('where %s', (_, executed, state) => {
  expect(compareSteps(known, executed)).toBe(state);
});
