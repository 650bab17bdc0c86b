import { expect, test } from 'vitest';
import { readAssets } from '../../src/pages/assets.ts';

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
