import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { shippedFile } from '../../scripts/words.ts';
import { errorCodeNames } from '../../src/errors.ts';
import { shippedTags } from '../../src/words/tags.ts';
import { english } from '../../src/words/words.ts';
import { hasWords, literalsIn } from './literals.ts';

const root = join(import.meta.dirname, '../..');
const ids = Object.keys(shippedFile('en').sources);
const read = (pattern: string) =>
  globSync(pattern, { cwd: root }).map(file => readFileSync(join(root, file), 'utf8'));

test('every message that a template names is there', () => {
  const named = read('views/**/*.liquid').flatMap(text =>
    [...text.matchAll(/'(\w+)' \| (?:t|markup)\b/g)].map(([, id]) => id!),
  );
  expect(named.length).toBeGreaterThan(300);
  expect(named.filter(id => !ids.includes(id))).toEqual([]);
});

test('every message is used: only those of errors, acts, units and text messages are named by code', () => {
  const literals = literalsIn('{static/*.js,src/**/*.ts}').map(({ text }) => text);
  const inTemplates = read('views/**/*.liquid').flatMap(text =>
    [...text.matchAll(/'(\w+)'/g)].map(([, id]) => id!),
  );
  const fields = read('src/**/*.ts').flatMap(text =>
    [...text.matchAll(/\b(?:field|refused)\(\s*'(\w+)'/g)].map(([, name]) => `field_${name}`),
  );
  const errors = errorCodeNames.map(code => `error_${code.toLowerCase()}`);
  const used = new Set([...literals, ...inTemplates, ...fields, ...errors]);
  const made = /^(?:act|console_act|unit|sms)_/;
  expect(ids.filter(id => !used.has(id) && !made.test(id))).toEqual([]);
});

/** Texts that no page shows: names of classes, of places in storage, and selectors. */
const isTechnical = (text: string) =>
  /^(?:svc\.|button |badge |small soft|panel |details|tr, li|input\.|http|#|\.\.?\/|Escape$|recovery-codes\.txt$)/.test(
    text,
  );

/** Scripts whose words are no sentences, each with the reason. */
const exceptions: Record<string, string> = {
  'static/device-name.js': 'names of browsers and systems',
  'static/parts.js': 'an error for people who write templates',
  'static/admin.js': 'a command',
  'static/language.js': 'a cookie',
};

test('no script of the pages has a text of its own', () => {
  const own = literalsIn('static/*.js').filter(
    ({ file, text }) => !(file in exceptions) && hasWords(text) && !isTechnical(text),
  );
  expect(own.map(({ file, text }) => `${file}: ${text}`)).toEqual([]);
});

/** Modules whose answers are in English alone, each with the reason. */
const inEnglish: Record<string, string> = {
  'src/services/operator.ts': 'the command line',
  'src/features/import-export/inputs.ts': 'the command line',
  'src/features/breached-passwords/open.ts': 'problems of the configuration',
  'src/graphql/limits.ts': 'problems of a document, which programs have',
  'src/http/response.ts': 'the log',
  'src/mail/outbox.ts': 'the log',
  'src/sms/sns.ts': 'the log, and svc validate',
  'src/services/operator-users.ts': 'the command line',
  'src/server-api/users.ts': 'the server API',
  'src/domain/hooks.ts': 'problems of the configuration',
  'src/rest/openapi-examples.ts': 'an example of the documents',
};

test('no error and no answer of an operation has a text of its own', () => {
  const own = literalsIn(
    'src/{services,domain,http,passwords,contract/inputs,graphql,rest,server-api,sms,mail,features/*}/**/!(settings|problems|check|command|views).ts',
  ).filter(
    ({ file, text, property }) =>
      (property === 'detail' || property === 'message') && !(file in inEnglish) && hasWords(text),
  );
  expect(own.map(({ file, text }) => `${file}: ${text}`)).toEqual([]);
});

test('a text message fits one part, and its code is its only number', () => {
  const values = { app_name: 'x'.repeat(20), code: '0123456789' };
  for (const id of ['sms_login', 'sms_phone_setup'] as const) {
    const text = english.t(id, values);
    expect(text.length).toBeLessThanOrEqual(160);
    expect(text.match(/\d+/g)).toEqual([values.code]);
  }
  expect(english.t('sms_login', { app_name: 'Acme', code: '1' })).toBe('Your Acme sign-in code: 1');
});

/** Marks that a language does not have so: each with what is said of it. */
const wrongMarks: Record<string, RegExp> = {
  // A space before a mark and within quotation marks is one at which no line ends.
  fr: / [;:?!»]|«(?!\u00a0)|\p{L}[;?!»]|['"]/u,
  de: /["']|(?<=\p{L})…/u,
  es: /["“”]/,
  // Marks of the language, and no space beside its own letters.
  ja: /[\u3040-\u30ff\u4e00-\u9fff](?:[,.?!]| [A-Za-z])|：/u,
  ar: /[\u0621-\u064a][\u064b-\u0652]?[,;?]|["“”„]|[\u0660-\u0669]/u,
};

/** Returns a message without what its choices are called, which is no text. */
const textOf = (source: string) =>
  source.replace(/\{\w+, (?:plural|select),/g, '').replace(/ =?\w+ \{/g, '{');

test.each(Object.keys(wrongMarks))('the messages in %s have the marks of the language', tag => {
  const sources = Object.entries(shippedFile(tag).sources);
  expect(sources.filter(([, text]) => wrongMarks[tag]!.test(textOf(text)))).toEqual([]);
});

test.each(shippedTags())('the file of %s has each id once', tag => {
  const text = readFileSync(join(root, `locales/${tag}.arb`), 'utf8');
  const ids = [...text.matchAll(/^ {2}"([^"]+)":/gm)].map(([, id]) => id!);
  expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
});

/** Buttons with a name that says more than their label: somebody who speaks to a device says what they see (WCAG 2.5.3). */
const namedButtons = [
  ['page_connect', 'page_connect_name'],
  ['page_disconnect', 'page_disconnect_name'],
  ['page_hide', 'page_hide_password'],
  ['page_remove_short', 'page_remove_name'],
  ['page_rename_it', 'page_rename_name'],
  ['page_show', 'page_show_password'],
  ['page_sign_out', 'page_sign_out_2'],
] as const;

test.each(shippedTags())('the names of buttons in %s contain their labels', tag => {
  const { sources } = shippedFile(tag);
  const lower = (id: string) => sources[id]!.toLocaleLowerCase(tag);
  const wrong = namedButtons.filter(([label, name]) => !lower(name).includes(lower(label)));
  expect(wrong.map(([, name]) => sources[name])).toEqual([]);
});

test('a question and an exclamation in Spanish begin with their marks', () => {
  const counted = (text: string, mark: string) => text.split(mark).length;
  const wrong = Object.entries(shippedFile('es').sources).filter(
    ([, text]) => counted(text, '?') !== counted(text, '¿') || counted(text, '!') !== counted(text, '¡'),
  );
  expect(wrong).toEqual([]);
});
