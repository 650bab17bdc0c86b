import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { shippedFile } from '../../scripts/words.ts';
import { english } from '../../src/words/words.ts';
import { hasWords, literalsIn } from './literals.ts';

const recording = join(import.meta.dirname, 'texts.txt');

/** Names of events, classes and places in storage. */
const isTechnical = (text: string) =>
  /^(?:svc\.|button |badge |small soft|panel |details|tr, li|input\.|http|#|\.\/)/.test(text);

/** Returns a message of the catalogue as a template of a script would have it. */
const asLiteral = (source: string) => source.replace(/<\/?[a-z_]+>/g, '').replace(/\{[a-z_]+\}/g, '{}');

/** Whether a text has the parts of another in their order: a sentence may have become a choice or a plural of a message. */
function holds(text: string, other: string): boolean {
  let from = 0;
  for (const part of other.split('{}').map(each => each.trim().replace(/^Enter t$/, 'Enter'))) {
    const at = text.indexOf(part, from);
    if (at === -1) return false;
    from = at + part.length;
  }
  return true;
}

/** Returns the texts for people in scripts and in the catalogue, and those that operations answer. */
function currentTexts(): string[] {
  const scripts = literalsIn('static/!(gatehouse-)*.js');
  const answers = literalsIn(
    'src/{services,domain,features,http,passwords,contract,graphql,rest,server-api}/**/*.ts',
  ).filter(({ property }) => property === 'detail' || property === 'message');
  const texts = [...scripts, ...answers]
    .filter(({ text }) => hasWords(text) && !isTechnical(text))
    .map(({ text }) => text.replace(/\s+/g, ' '));
  const messages = Object.values(shippedFile('en').sources).map(asLiteral);
  return [...new Set([...texts, ...messages])].toSorted();
}

// `UPDATE_TEXTS=1 npx vitest run test/golden/texts.test.ts` records them anew, after a text was changed with intent.
if (process.env.UPDATE_TEXTS) writeFileSync(recording, `${currentTexts().join('\n')}\n`);

test('no text of a script or an answer is lost or changed', () => {
  const present = currentTexts();
  const recorded = readFileSync(recording, 'utf8').trimEnd().split('\n');
  expect(recorded.filter(text => !present.some(each => holds(each, text)))).toEqual([]);
});

test('the text messages are in English what they were', () => {
  const values = { app_name: 'Acme', code: '123456' };
  expect(english.t('sms_login', values)).toBe('Your Acme sign-in code: 123456');
  expect(english.t('sms_phone_setup', values)).toBe('Your Acme verification code: 123456');
});
