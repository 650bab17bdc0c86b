import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { levelNames } from '../../src/assurance/needs.ts';
import { requirements } from '../../src/assurance/requirements/index.ts';
import { fieldAt } from '../../src/config/names.ts';

const root = join(import.meta.dirname, '../..');
const readText = (path: string) => readFileSync(join(root, path), 'utf8');

/** Every id of the four chapters of ASVS 5.0.0 with its level, as the standard has them. */
const standard = readText('test/fixtures/asvs-5.0.0.txt')
  .trim()
  .split('\n')
  .map(line => line.split(' ') as [id: string, level: string]);

/** An id without what follows `#`, which is ours. */
const idOf = (id: string) => id.replace(/^asvs\/|#.*/g, '');

const shownBy = requirements.flatMap(({ id, verdict }) => {
  const shown = 'always' in verdict ? verdict.always : 'needs' in verdict ? verdict.shown : null;
  return shown ? [{ id, ...shown }] : [];
});

/** Whether a test is of a feature that this build of the project is without. */
const isWithout = (named: string) => {
  const feature = /^features\/([^/]+)\//.exec(named)?.[1];
  return feature !== undefined && !existsSync(join(root, 'src/features', feature));
};
const isWhole = !shownBy.some(({ tests }) => tests.some(isWithout));

describe('the table of requirements', () => {
  test('has an entry for every id of ASVS, of its level', () => {
    const ofAsvs = requirements.filter(({ id }) => id.startsWith('asvs/') && !id.includes('#'));
    const entries = ofAsvs.map(({ id, levels }) => [idOf(id), levels[0]!.slice(-1)]);
    expect(entries).toEqual(standard);
  });

  test('has each id once, with all levels above the first', () => {
    const ids = requirements.map(({ id }) => id);
    expect(ids).toEqual([...new Set(ids)]);
    for (const { id, levels } of requirements) {
      const ofStandard = levelNames.filter(level => level.startsWith(id.startsWith('asvs') ? 'asvs' : 'aal'));
      expect(levels, id).toEqual(ofStandard.slice(ofStandard.indexOf(levels[0]!)));
    }
  });

  test('says in at most ten words what is asked for', () => {
    expect(requirements.filter(({ words }) => words.split(' ').length > 10)).toEqual([]);
  });

  test.runIf(isWhole)('names settings that there are', () => {
    const keys = requirements.flatMap(({ verdict, arises = [], host }) => {
      const needs = 'needs' in verdict ? verdict.needs.flat() : [];
      const conditions = [
        ...needs,
        ...needs.flatMap(({ when }) => when ?? []),
        ...arises,
        ...(host ? [host] : []),
      ];
      return conditions.map(({ key }) => key);
    });
    const fields = keys.map(key => key.replaceAll('*', 'NAME').split('.'));
    expect(fields.filter(path => fieldAt(path) === undefined)).toEqual([]);
  });

  test('writes a setting alike wherever it is needed', () => {
    const written = new Map<string, Set<unknown>>();
    for (const { verdict } of requirements) {
      for (const { key, write } of 'needs' in verdict ? verdict.needs.flat() : [])
        written.set(key, (written.get(key) ?? new Set()).add(JSON.stringify(write)));
    }
    // The length of passwords is the one setting of which two requirements need different values, each in one of its ways.
    expect([...written].filter(([, values]) => values.size > 1).map(([key]) => key)).toEqual([
      'password_min_length',
    ]);
  });
});

describe('what shows a requirement', () => {
  test('is named for each that is met by a configuration', () => {
    expect(shownBy.filter(({ tests }) => tests.length === 0)).toEqual([]);
  });

  test('is a test that there is, under its title, which says so', () => {
    const missing = shownBy.flatMap(({ id, tests }) =>
      tests.filter(named => {
        if (isWithout(named)) return false;
        const [file = '', title = ''] = named.split(/: (.*)/s);
        const path = `test/${file}`;
        if (!existsSync(join(root, path))) return true;
        const lines = readText(path).split('\n');
        return !lines.some((line, i) => isTitled(line, title) && saysSo(lines, i).includes(id));
      }),
    );
    expect(missing).toEqual([]);
  });

  test('and no test says so that the table does not name', () => {
    const files = [...new Set(shownBy.flatMap(({ tests }) => tests.map(named => named.split(': ', 1)[0]!)))];
    const wrong = files
      .filter(file => !isWithout(file))
      .flatMap(file => {
        const lines = readText(`test/${file}`).split('\n');
        return lines.flatMap((line, i) =>
          (line.match(/^\s*\/\/ Shows (.*)\.$/)?.[1] ?? '')
            .split(', ')
            .filter(id => id !== '' && !isNamed(id, file, lines, i))
            .map(id => `${file}:${i + 1} ${id}`),
        );
      });
    expect(wrong).toEqual([]);
  });

  test('is a chapter that there is', () => {
    const missing = shownBy
      .flatMap(({ docs = [] }) => docs)
      .filter(doc => {
        const [file = '', anchor = ''] = doc.split('#');
        return !anchorsOf(readText(file)).includes(anchor);
      });
    expect(missing).toEqual([]);
  });
});

const quotes = ["'", '"', '`'];
const isTitled = (line: string, title: string) =>
  quotes.some(quote => line.includes(`${quote}${title}${quote}`));

/** The ids in the comment above a line. */
function saysSo(lines: readonly string[], at: number): string[] {
  const found: string[] = [];
  for (let i = at - 1; /^\s*\/\//.test(lines[i] ?? ''); i--)
    found.push(...(lines[i]!.match(/\/\/ Shows (.*)\.$/)?.[1]?.split(', ') ?? []));
  return found;
}

/** Whether the first line of code below a comment has the title of a test that an entry names. */
function isNamed(id: string, file: string, lines: readonly string[], at: number): boolean {
  const line = lines.slice(at + 1).find(each => !/^\s*\/\//.test(each)) ?? '';
  const { tests = [] } = shownBy.find(each => each.id === id) ?? {};
  return tests.some(named => named.startsWith(`${file}: `) && isTitled(line, named.slice(file.length + 2)));
}

/** The anchors of the headings of a document, as GitHub makes them. */
const anchorsOf = (text: string) =>
  [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s-]/gu, '')
      .replaceAll(' ', '-'),
  );
