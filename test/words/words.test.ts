import { expect, test } from 'vitest';
import { readArb } from '../../src/words/arb.ts';
import { createWords, directionOf, english, shipped } from '../../src/words/words.ts';

const language = (locale: string, messages: Record<string, string>) => ({
  locale,
  messages: () => readArb(JSON.stringify(messages)).messages,
});

const base = language('en', {
  hello: 'Hello <b>{name}</b> & co',
  plain: 'Tom & Jerry’s <3',
  left: '{n, plural, one {# code is} other {# codes are}} left',
  by: '{by, select, admin {By an administrator} other {By {by}}}',
  means: '{means, select, app {By an app} other {By a text}}, {name}',
  link: 'Or <link>sign in as {name}</link>.',
  sent: 'Sent to <email></email>.',
});

const words = createWords([base]);

test('a message has its values, plurals and choices in its language', () => {
  expect(words.text('left', { n: 1 })).toBe('1 code is left');
  expect(words.text('left', { n: 1204 })).toBe('1,204 codes are left');
  expect(words.text('by', { by: 'admin' })).toBe('By an administrator');
  expect(words.text('by', { by: 'toString' })).toBe('By toString');
});

test('markup escapes message and values, and puts the given elements in place of tags', () => {
  expect(words.markup('plain', {})).toBe('Tom &amp; Jerry’s &lt;3');
  expect(words.markup('link', { link: '<a href="/x?a=1&amp;b"><strong>', name: '<i>"A" & B</i>' })).toBe(
    'Or <a href="/x?a=1&amp;b"><strong>sign in as &lt;i&gt;&#34;A&#34; &amp; B&lt;/i&gt;</strong></a>.',
  );
  expect(words.markup('sent', { email: '<strong data-fill="email">' })).toBe(
    'Sent to <strong data-fill="email"></strong>.',
  );
  expect(words.markup('by', { by: '<x>' })).toBe('By &lt;x&gt;');
});

test.each([
  ['an unknown id', 'no_such', {}, 'There is no message "no_such".'],
  ['a missing value', 'by', {}, 'The message "by" needs the value "by".'],
  ['a missing element', 'link', { name: 'x' }, 'The message "link" needs the tag "link".'],
  ['an unknown value', 'plain', { name: 'x' }, 'The message "plain" has no value "name".'],
])('%s is an error', (_, id, given, message) => {
  expect(() => words.markup(id, given)).toThrow(message);
});

test('a message that a language lacks is that of the next one, with its own plurals and direction', () => {
  const german = language('de', { left: '{n, plural, one {# Code} other {# Codes}} übrig' });
  const brazilian = createWords([language('pt-BR', {}), language('pt', { by: 'por {by}' }), german, base]);
  expect(brazilian.text('by', { by: 'x' })).toBe('por x');
  expect(brazilian.text('left', { n: 2000 })).toBe('2.000 Codes übrig');
  expect(brazilian.text('plain', {})).toBe('Tom & Jerry’s <3');
  const means = '{means, select, app {عبر تطبيق} other {عبر رسالة}}، {name}';
  const arabic = createWords([language('ar', { by: 'بواسطة {by}', means }), base]);
  expect(arabic.text('by', { by: 'Ann' })).toBe('بواسطة \u2068Ann\u2069');
  expect(arabic.text('by', { by: 'a\nb' })).toBe('بواسطة a\nb');
  const inner = arabic.text('by', { by: '192.0.2.1' });
  expect(arabic.text('by', { by: inner })).toBe('بواسطة بواسطة \u2068192.0.2.1\u2069');
  expect(arabic.text('means', { means: 'app', name: 'Ann' })).toBe('عبر تطبيق، \u2068Ann\u2069');
  expect(arabic.plain('means', { means: 'app', name: 'Ann' })).toBe('عبر تطبيق، \u2068Ann\u2069');
  expect(arabic.markup('means', { means: 'app', name: 'Ann' })).toBe('عبر تطبيق، <bdi>Ann</bdi>');
  expect(arabic.text('plain', {})).toBe('\u2066Tom & Jerry’s <3\u2069');
  expect(arabic.markup('by', { by: 'Ann' })).toBe('بواسطة <bdi>Ann</bdi>');
  expect(arabic.markup('by', { by: inner })).toBe('بواسطة بواسطة \u2068192.0.2.1\u2069');
});

test('scripts have directions', () => {
  expect(['en', 'ja', 'ar', 'he', 'fa-IR', 'az-Arab', 'en-XA'].map(directionOf)).toEqual([
    'ltr',
    'ltr',
    'rtl',
    'rtl',
    'rtl',
    'rtl',
    'ltr',
  ]);
});

test('a file says which messages do not parse, and where', () => {
  const { problems, messages } = readArb(
    '{"@@locale":"de","a":"ok","b":"a {n, plural, one {x}}","@b":{"description":"{"}}',
  );
  expect(messages).toEqual({ a: 'ok' });
  expect(problems).toEqual([{ id: 'b', column: expect.any(Number), message: expect.any(String) }]);
});

test('English has every message', () => {
  expect(english.locale).toBe('en');
  expect(shipped('en').messages()).toHaveProperty('sms_login');
});
