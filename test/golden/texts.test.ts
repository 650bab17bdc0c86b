import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { hasWords, literalsIn } from './literals.ts';

const recording = join(import.meta.dirname, 'texts.txt');

/** Names of events, classes and places in storage. */
const isTechnical = (text: string) =>
  /^(?:svc\.|button |badge |small soft|panel |details|tr, li|input\.|http|#|\.\/)/.test(text);

/** Returns the texts for people in scripts, and those that operations answer. */
function currentTexts(): string[] {
  const scripts = literalsIn('static/!(gatehouse-)*.js');
  const answers = literalsIn(
    'src/{services,domain,features,http,passwords,contract,graphql,rest,server-api}/**/*.ts',
  ).filter(({ property }) => property === 'detail' || property === 'message');
  const texts = [...scripts, ...answers, ...literalsIn('src/domain/codes.ts')]
    .filter(({ text }) => hasWords(text) && !isTechnical(text))
    .map(({ text }) => text.replace(/\s+/g, ' '));
  return [...new Set(texts)].toSorted();
}

// `UPDATE_TEXTS=1 npx vitest run test/golden/texts.test.ts` records them anew, after a text was changed with intent.
if (process.env.UPDATE_TEXTS) writeFileSync(recording, `${currentTexts().join('\n')}\n`);

test('no text of a script or an answer is lost or changed', () => {
  const present = new Set(currentTexts());
  const recorded = readFileSync(recording, 'utf8').trimEnd().split('\n');
  expect(recorded.filter(text => !present.has(text))).toEqual([]);
});
