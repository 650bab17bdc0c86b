import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { createMessages } from '../../src/mail/messages.ts';
import { sampleMails } from '../../src/mail/samples.ts';
import { createMailTemplates } from '../../src/mail/templates.ts';
import { createWords, shipped } from '../../src/words/words.ts';
import { jwtSecret } from '../support/app.ts';

const root = join(import.meta.dirname, '../..');

/** Properties and values that name a side, which is the wrong one in a script from right to left. */
const sides = [
  /(?<![\w-])(?:left|right)\s*:/,
  /(?<![\w-])(?:margin|padding|border|scroll-margin|scroll-padding)-(?:left|right)\b/,
  /(?<![\w-])border-(?:top|bottom)-(?:left|right)-radius\b/,
  /(?<![\w-])(?:text-align|float|clear|justify-\w+)\s*:\s*(?:left|right)\b/,
  /\salign="(?:left|right)"/,
];

/** Shorthands of four sides whose second and last one differ. */
const uneven = (style: string) =>
  [...style.matchAll(/(?<![\w-])(?:margin|padding|inset|border-(?:width|style|color))\s*:\s*([^;{}"]+)/g)]
    .map(([whole, value]) => ({ whole, values: value!.trim().split(/\s+(?![^(]*\))/) }))
    .filter(({ values }) => values.length === 4 && values[1] !== values[3])
    .map(({ whole }) => whole);

function physical(source: string): string[] {
  const style = source.replace(/\/\*.*?\*\//gs, '');
  const lines = style.split('\n').filter(line => sides.some(side => side.test(line)));
  return [...lines, ...uneven(style)];
}

test.each(globSync(['static/*.css', 'views/pages/*.liquid'], { cwd: root }))('%s names no side', file => {
  expect(physical(readFileSync(join(root, file), 'utf8'))).toEqual([]);
});

test('a side that is named is found', () => {
  const found = ['left: 1rem', 'margin-right: 0', 'text-align: right', 'padding: 0 1rem 0 2rem'];
  for (const style of found) expect(physical(style), style).toEqual([style]);
  for (const style of [
    'inset-inline-start: 0',
    'padding: 0 1rem 2rem',
    'text-align: start',
    'margin: 0 0 1px',
  ])
    expect(physical(style), style).toEqual([]);
});

test('mails are mirrored in a language from right to left, and begin on the right', async () => {
  const { config } = loadConfig({
    arguments: { jwtSecret, baseUrl: 'https://app.example' },
    env: {},
    cwd: import.meta.dirname,
  });
  const words = createWords([shipped('ar'), shipped('en')]);
  const messages = createMessages({ templates: createMailTemplates(config), config, words });
  for (const { write } of sampleMails(messages)) {
    const { html } = await write();
    expect(html).toMatch(/<html lang="ar" dir="rtl">.*<table role="presentation" dir="rtl"/s);
    expect(html.match(/text-align: \w+/g)).toEqual(['text-align: right']);
    expect(physical(html)).toEqual([expect.stringContaining('text-align: right')]);
  }
});
