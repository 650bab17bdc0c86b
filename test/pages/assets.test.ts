import { closeSync, existsSync, fstatSync, globSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writePagesScripts } from '../../scripts/pages-scripts.ts';
import { readAssets } from '../../src/pages/assets.ts';

test('a service that starts while they are made anew reads each file whole', async () => {
  const cwd = join(import.meta.dirname, '../..');
  const files = globSync('{static/built/*.js,locales/parsed/*.json}', { cwd }).map(file => join(cwd, file));
  const readers = files.map(file => openSync(file, 'r'));
  await writePagesScripts();
  // A process that has opened a file keeps it, and one that comes later finds another file.
  expect(readers.map(reader => fstatSync(reader).nlink)).toEqual(readers.map(() => 0));
  expect(files.filter(file => !existsSync(file))).toEqual([]);
  for (const reader of readers) closeSync(reader);
});

test('no script is served with its types, and each names the modules that it loads by their hashes', () => {
  const assets = readAssets();
  const scripts = [...assets.values()].filter(({ name }) => name.endsWith('.js'));
  expect(scripts.length).toBeGreaterThan(5);
  for (const { name, body } of scripts) {
    const text = body.toString();
    expect([name, /@param|@type \{|@import|types\.d\.ts/.exec(text)?.[0]]).toEqual([name, undefined]);
    const imports = [...text.matchAll(/(["'`])\.\/([\w-]+\.js)(\?v=[\w-]+)?\1/g)];
    for (const [, , module, hash] of imports)
      expect([name, assets.has(module!), hash]).toEqual([name, true, expect.any(String)]);
  }
});
