import { expect, test } from 'vitest';
import { wrap } from '../../src/words/wrap.ts';

test('a paragraph is broken before column 78, at its spaces', () => {
  const words = Array.from({ length: 40 }, () => 'twelve chars').join(' ');
  const lines = wrap(words).split('\n');
  expect(Math.max(...lines.map(line => line.length))).toBeLessThanOrEqual(78);
  expect(lines.join(' ')).toBe(words);
  expect(wrap(`a ${'x'.repeat(100)} b`)).toBe(`a\n${'x'.repeat(100)}\nb`);
});

test('wide characters count twice and may be parted, but not from their punctuation', () => {
  const sentence = 'このリンクは一度だけ使えます。';
  const lines = wrap(sentence.repeat(8)).split('\n');
  for (const line of lines) {
    expect([...line].length).toBeLessThanOrEqual(39);
    expect(line).not.toMatch(/^[。、]/);
  }
  expect(lines.join('')).toBe(sentence.repeat(8));
  expect(wrap(`${sentence} ${sentence} Gatehouse です。`)).toBe(`${sentence}${sentence}Gatehouse です。`);
});

test('characters that set directions, and marks over others, take no column', () => {
  expect(wrap(`\u2068${'a'.repeat(76)}\u2069 b`)).toBe(`\u2068${'a'.repeat(76)}\u2069 b`);
});

test('a no-break space keeps a mark with its word', () => {
  expect(wrap(`${'a'.repeat(70)} b suivant\u00a0: c`)).toBe(`${'a'.repeat(70)} b\nsuivant\u00a0: c`);
});
