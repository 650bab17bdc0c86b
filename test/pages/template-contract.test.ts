import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

// docs/page-scripts.md lists the attributes that scripts need, for people who write templates of their own.

const root = join(import.meta.dirname, '../..');
const read = (pattern: string) =>
  globSync(pattern, { cwd: root })
    .map(path => readFileSync(join(root, path), 'utf8'))
    .join('\n');
const attributes = (text: string, pattern: RegExp) =>
  [...new Set([...text.matchAll(pattern)].map(([, name]) => name!))].sort();

const templates = read('views/pages/*.liquid');
const section = /## What the scripts need\n([\s\S]*)/.exec(read('docs/page-scripts.md'))![1]!;
const documented = attributes(section, /`(data-[a-z-]+)`/g);

test('every attribute of the templates is documented, and every documented one is there', () => {
  // The length of a password is rated as it is typed.
  expect(attributes(templates, /\s(data-[a-z-]*[a-z])(?=[\s=>{])/g)).toEqual(documented);
});

test('scripts look for no attribute that is not documented', () => {
  const scripts = read('static/*.js').replaceAll('`data-', '');
  const sought = attributes(scripts, /\[(data-[a-z-]+)[\]=]/g);
  expect(sought.filter(name => !documented.includes(name))).toEqual([]);
});

test('every id that a script looks for is in a template', () => {
  const sought = attributes(read('static/*.js'), /(?:part|formOf|buttonOf|partsOf)\('#([a-z-]+)'/g);
  expect(
    sought.filter(id => !templates.includes(`id="${id}"`) && !templates.includes(`id: '${id}'`)),
  ).toEqual([]);
});
