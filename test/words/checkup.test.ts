import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { checkLanguage } from '../../src/words/checkup.ts';

const root = join(import.meta.dirname, '../..');
const check = (tag: string, messages: object, isPartial = true) =>
  checkLanguage(tag, JSON.stringify({ '@@locale': tag, '@@x-state': 'draft', ...messages }), {
    isPartial,
  }).findings.map(({ rule, id, breaks }) => `${breaks ? 'breaks' : 'notes'} ${rule} ${id}`);

test.each([
  ['fine', 'de', { page_sign_in: 'Anmelden' }, []],
  ['another name', 'de', { '@@locale': 'fr' }, ['breaks locale null']],
  ['no state', 'de', { '@@x-state': 'done' }, ['notes state null']],
  ['as in English', 'de', { page_sign_in: 'Sign in' }, ['notes untranslated page_sign_in']],
  ['a value that is not said', 'de', { unit_moment: '{day}' }, ['notes missing_value unit_moment']],
  [
    'a tag that is missing',
    'de',
    { page_new_here_create_an_account: 'Neu hier?' },
    ['breaks missing_tag page_new_here_create_an_account'],
  ],
  [
    'a category that is missing',
    'ar',
    { unit_days: '{n, plural, one {# x} other {# y}}' },
    ['notes category unit_days'],
  ],
  [
    'a category that there is not',
    'ja',
    { unit_days: '{n, plural, one {# x} other {# y}}' },
    ['notes category unit_days'],
  ],
  ['counts with their own choices', 'de', { unit_days: '{n, plural, =1 {ein Tag} other {# Tage}}' }, []],
  ['white space', 'de', { page_sign_in: 'Anmelden ' }, ['notes white_space page_sign_in']],
  ['an address', 'de', { page_sign_in: 'Siehe www.example.org' }, ['notes address page_sign_in']],
  [
    'a number in a text message',
    'de',
    { sms_login: '2 {app_name} {code}' },
    ['notes text_message sms_login'],
  ],
  [
    'a long text message in another script',
    'ja',
    { sms_login: `${'コ'.repeat(45)}{app_name}{code}` },
    ['notes text_message sms_login'],
  ],
  [
    'a long subject',
    'ja',
    { mail_authenticator_removed_subject: `{kind, select, other {${'件'.repeat(30)}{app_name}}}` },
    ['notes subject mail_authenticator_removed_subject'],
  ],
])('%s', (_, tag, messages, expected) => {
  expect(check(tag, messages)).toEqual(expected);
});

test('what breaks comes first, and what is still to be translated last', () => {
  const messages = { page_sign_in: 'Sign in', page_cancel: ' Abbrechen', page_save: '<b>Sichern</b>' };
  expect(check('de', messages)).toEqual([
    'breaks unknown_tag page_save',
    'notes white_space page_cancel',
    'notes untranslated page_sign_in',
  ]);
});

test('a file says how much of the catalogue it has', () => {
  const { coverage, findings } = checkLanguage(
    'de',
    '{"@@locale":"de","@@x-state":"draft","unit_moment":"{day} um {time} UTC"}',
  );
  expect(coverage).toBe(0);
  expect(new Set(findings.map(({ rule }) => rule))).toEqual(new Set(['missing']));
});

/** What a shipped language may have: texts that are the same in both, and values that its grammar does not need. */
const allowed = ['untranslated', 'missing_value'];

test.each(
  globSync('locales/*.arb', { cwd: root }).map(file => [basename(file, '.arb'), join(root, file)] as const),
)('the shipped file of %s is complete and in order', (tag, path) => {
  const { coverage, findings } = checkLanguage(tag, readFileSync(path, 'utf8'));
  expect(findings.filter(({ rule }) => !allowed.includes(rule))).toEqual([]);
  expect(coverage).toBeGreaterThanOrEqual(99);
});
