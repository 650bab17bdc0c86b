import { expect, inject, test } from 'vitest';
import { backends, describeEachBackend } from './support/backends.ts';
import { needed } from './support/needed.ts';
import {
  filesOf,
  type ProjectName,
  type ProjectOptions,
  projectOf,
  projects,
  type Tier,
  testFiles,
} from './support/projects.ts';

const all = Object.entries(projects) as [ProjectName, ProjectOptions][];

test('every test file is of exactly one project', () => {
  const assigned = all.flatMap(([name]) => filesOf(name, name === 'hosts' ? 'hosts' : 'test'));
  expect(assigned.toSorted()).toEqual(testFiles());
});

test('a file of no project is refused by its name', () => {
  expect(() => projectOf('unheard-of/a.test.ts')).toThrow(
    'test/unheard-of/a.test.ts belongs to no project: name it or its folder in one of test/support/projects.ts',
  );
});

test('the longest entry decides about a file', () => {
  expect(projectOf('load/query-plans.test.ts')).toBe('doors');
  expect(projectOf('load/workers.test.ts')).toBe('system');
});

test('every entry fits a test file, and none is named twice', () => {
  const entries = all.flatMap(([, { tests }]) => tests);
  expect(entries).toEqual([...new Set(entries)]);
  const named = [...entries, ...all.flatMap(([, { slow }]) => slow)].filter(entry => entry !== '.');
  const files = testFiles();
  const unused = named.filter(entry => !files.some(file => file === entry || file.startsWith(entry)));
  expect(unused).toEqual([]);
});

test('the fast part has files of every project but the system', () => {
  const names = all.map(([name]) => name).filter(name => filesOf(name, 'fast').length > 0);
  expect(names).toEqual(['unit', 'doors', 'storage']);
});

test('packages of others are installed by a run of its own', () => {
  const names = (tier: Tier) => all.map(([name]) => name).filter(name => filesOf(name, tier).length > 0);
  expect(names('hosts')).toEqual(['hosts']);
  expect(names('test')).toEqual(['unit', 'doors', 'storage', 'system']);
  expect(names('all')).toEqual(names('test'));
});

test('a project without servers has none, and no rules for each backend', () => {
  expect([inject('project'), inject('needs')]).toEqual(['unit', []]);
  expect(backends.map(({ name }) => name)).toEqual(['sqlite', 'sqlite-memory']);
  expect(() => needed('redis')).toThrow('redis is not among what the project unit needs');
  expect(() => describeEachBackend('a rule', () => {})).toThrow('a rule: a rule for each backend belongs to');
});
