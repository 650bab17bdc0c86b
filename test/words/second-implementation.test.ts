import { globSync } from 'node:fs';
import { basename, join } from 'node:path';
import core from '@messageformat/core';
import { expect, test } from 'vitest';
import { shippedFile } from '../../scripts/words.ts';
import { formatPlain } from '../../src/words/format.ts';
import type { Parsed, Tree, Values } from '../../src/words/message.ts';
import { namesIn } from '../../src/words/names.ts';

// Its types name what a module of the former kind exports.
const MessageFormat = core as unknown as typeof core.default;

// Another implementation of ICU MessageFormat says of every message what this one says.

const tags = globSync('locales/*.arb', { cwd: join(import.meta.dirname, '../..') }).map(file =>
  basename(file, '.arb'),
);

/** Returns numbers that have every plural category of a language: CLDR's samples of whole numbers. */
function samplesOf(tag: string): number[] {
  const rules = new Intl.PluralRules(tag);
  const seen = new Map<string, number[]>();
  for (let n = 0; n <= 200; n++) {
    const category = rules.select(n);
    const numbers = seen.get(category) ?? [];
    if (numbers.length < 4) seen.set(category, [...numbers, n]);
  }
  return [...new Set([0, 1, 2, 1234, ...[...seen.values()].flat()])];
}

/** Returns the choices of each value of a message. */
function choicesIn(message: Parsed): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  const visit = (tree: Tree): void => {
    for (const element of tree) {
      if ('children' in element) visit(element.children);
      if (!('options' in element)) continue;
      if (element.type === 5)
        found.set(
          element.value,
          new Set([...(found.get(element.value) ?? []), ...Object.keys(element.options)]),
        );
      for (const { value } of Object.values(element.options)) visit(value);
    }
  };
  if (typeof message !== 'string') visit(message);
  return found;
}

/** Returns values with each choice, and with each number. */
function valuesFor(message: Parsed, numbers: number[]): Values[] {
  const choices = choicesIn(message);
  let all: Values[] = [{}];
  for (const [name, type] of namesIn(message).values) {
    const options = choices.has(name)
      ? [...choices.get(name)!]
      : type === 'number'
        ? numbers
        : [`${name} {'`];
    all = all.flatMap(values => options.map(option => ({ ...values, [name]: option })));
  }
  return all;
}

test.each(tags)('the messages of %s', tag => {
  const { sources, messages } = shippedFile(tag);
  const theirs = new MessageFormat(tag);
  const numbers = samplesOf(tag);
  const different: string[] = [];
  for (const [id, source] of Object.entries(sources)) {
    const message = messages[id]!;
    const { tags: names } = namesIn(message);
    // It knows no tags.
    const format = theirs.compile(source.replace(/<\/?[a-z_0-9]+>/g, ''));
    for (const values of valuesFor(message, numbers)) {
      const [own, other] = [formatPlain(message, tag, values, names), format({ ...values })];
      if (own !== other) different.push(`${id}: ${own} | ${other}`);
    }
  }
  expect(different).toEqual([]);
});
