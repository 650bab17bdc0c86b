import { expect, test } from 'vitest';
import { readAssets, withoutComments } from '../../src/pages/assets.ts';

test.each([
  ['// of a line\ncode();\n', 'code();\n'],
  ['  // indented\n  code(); // behind code\n', '  code(); // behind code\n'],
  ['/** one line @type {string} */\ncode();\n', 'code();\n'],
  ['/**\n * Several lines.\n * @param {string} a\n */\nf(a);\n', 'f(a);\n'],
  // Code that begins behind a comment is code.
  [
    'f(\n  /** @returns {x is A} */ x => x,\n);\n/** more */\n',
    'f(\n  /** @returns {x is A} */ x => x,\n);\n',
  ],
  ["const url = 'https://example.org';\n", "const url = 'https://example.org';\n"],
])('comments with lines of their own are left out: %j', (source, served) => {
  expect(withoutComments(source)).toBe(served);
});

test('no script is served with its types, and each loads only what it runs', () => {
  const assets = readAssets();
  const scripts = [...assets.values()].filter(({ name }) => name.endsWith('.js'));
  expect(scripts.length).toBeGreaterThan(20);
  for (const { name, body } of scripts) {
    const text = body.toString();
    expect([name, /@param|@type \{\{|@import|types\.d\.ts/.exec(text)?.[0]]).toEqual([name, undefined]);
    const imports = [...text.matchAll(/'\.\/([\w-]+\.js)(\?v=[\w-]+)?'/g)];
    for (const [, module, hash] of imports)
      expect([name, assets.has(module!), hash]).toEqual([name, true, expect.any(String)]);
  }
});
