import { join } from 'node:path';
import { match } from '@formatjs/intl-localematcher';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { lookUp } from '../../src/words/negotiate.ts';
import { type App, startApp } from '../support/app.ts';

// Which language a page has (CONTRACT §20.3).

let app: App;
let plain: App;
beforeAll(async () => {
  const common = { enableUiRouter: true, enableAdminRouter: true };
  app = await startApp({
    settings: {
      ...common,
      locales: ['en', 'nl', 'fa'],
      localeDirs: [join(import.meta.dirname, '../fixtures/locales')],
      brandTagline: { en: 'Lanterns', nl: 'Lantaarns' },
      footerLinks: { terms: { url: '/terms', label: { en: 'Terms', nl: 'Voorwaarden' } } },
      userFields: { company: { label: { en: 'Company', nl: 'Bedrijf' } } },
    },
  });
  plain = await startApp({ settings: common });
});
afterAll(() => Promise.all([app?.close(), plain?.close()]));

const ask = (path: string, headers: Record<string, string> = {}, of = app) =>
  fetch(`${of.origin}/account/${path}`, { headers });

test.each([
  ['its address', 'login?lang=nl', { Cookie: 'svc-locale=fa', 'Accept-Language': 'en' }, 'nl'],
  ['its address in other letters', 'login?lang=NL', {}, 'nl'],
  ['the cookie', 'login?lang=xx', { Cookie: 'a=b; svc-locale=fa', 'Accept-Language': 'nl' }, 'fa'],
  ['the browser', 'login', { Cookie: 'svc-locale=../x', 'Accept-Language': 'de, nl-BE;q=0.9' }, 'nl'],
  ['the default', 'login', { 'Accept-Language': 'de, *' }, 'en'],
  ['the default without a header', 'login?lang=', {}, 'en'],
  ['a page that there is not', '../account/me?lang=fa', {}, 'fa'],
])('a page is in the language of %s', async (_, path, headers, expected) => {
  const response = await ask(path, headers);
  expect(response.headers.get('Content-Language')).toBe(expected);
  expect(response.headers.get('Vary')).toBe('Accept-Encoding, Accept-Language, Cookie');
  expect(response.headers.get('Set-Cookie')).toBeNull();
  const text = await response.text();
  expect(text).toContain(`<html lang="${expected}"${expected === 'fa' ? ' dir="rtl"' : ''}>`);
  expect(text).toContain(`messages-${path.includes('me?') ? 'account' : 'people'}.${expected}.js?v=`);
});

test('the prefix alone leads to the account in the language of the address, if it is offered', async () => {
  const target = async (query: string, of = app) =>
    (await fetch(`${of.origin}/account?${query}`, { redirect: 'manual' })).headers.get('Location');
  expect(await target('next=/x&lang=NL')).toBe('/account/me?lang=nl');
  expect(await target('lang=xx%26next')).toBe('/account/me');
  expect(await target('lang=en', plain)).toBe('/account/me');
});

test('each language has a tag of its own', async () => {
  const tagOf = async (path: string) => (await ask(path)).headers.get('ETag')!;
  const [en, nl] = [await tagOf('login?lang=en'), await tagOf('login?lang=nl')];
  expect(en).not.toBe(nl);
  expect((await ask('login?lang=nl', { 'If-None-Match': nl })).status).toBe(304);
  expect((await ask('login?lang=nl', { 'If-None-Match': en })).status).toBe(200);
});

test('a page leads to itself in every language', async () => {
  const text = await (await ask('login?lang=nl')).text();
  expect(text).toContain('Inloggen');
  expect(text).toMatch(/<a href="\?lang=nl"[^>]* aria-current="true">Nederlands<\/a>/);
  expect(text).toMatch(/<a href="\?lang=fa" lang="fa" hreflang="fa" dir="rtl" data-locale="fa">فارسی<\/a>/);
  expect(text).toContain('data-svc-locales="en nl fa "');
});

test('the messages of scripts are those of the language, with the direction of those that stand in', async () => {
  const of = async (name: string) => (await fetch(`${app.origin}/svc-static/${name}`)).text();
  expect(await of('messages-people.nl.js')).toContain('"page_show":"Tonen"');
  expect(await of('messages-people.fa.js')).toContain('\u2066');
  expect(await of('messages-people.js')).toBe(await of('messages-people.en.js'));
  expect((await fetch(`${app.origin}/svc-static/messages-people.de.js`)).status).toBe(404);
});

test('with one language there is no choice, and nothing depends on the request', async () => {
  const response = await ask('login?lang=nl', { Cookie: 'svc-locale=nl', 'Accept-Language': 'nl' }, plain);
  expect(response.headers.get('Vary')).toBe('Accept-Encoding');
  expect(response.headers.get('Content-Language')).toBe('en');
  const text = await response.text();
  expect(text).toContain('<html lang="en">');
  expect(text).not.toMatch(/site-footer|svc-locales|data-locale/);
});

const offered = ['en', 'de', 'de-AT', 'zh-Hant', 'pt-BR', 'ar'];
test.each([
  ['de-CH-1996, en;q=0.5', 'de'],
  ['fr, pt-BR;q=0.2, ar;q=0.8', 'ar'],
  ['zh-Hant-TW', 'zh-Hant'],
  ['zh', null],
  ['pt', null],
  ['DE-at', 'de-AT'],
  ['de-x-private', 'de'],
  ['*', null],
  ['*, ar;q=0.1', 'ar'],
  ['en;q=0, de', 'de'],
  ['', null],
  [';;,q=,-', null],
  // An attacker sends a range whose shortening takes as long as the square of its length.
  [`${'-'.repeat(400_000)}, ${'a-'.repeat(200_000)}a, ar`, 'ar'],
])('the language of "%s" is %s', (header, expected) => {
  expect(lookUp(header, offered)).toBe(expected);
});

test('a language is looked up as ECMA-402 does it (RFC 4647 §3.4)', () => {
  const ranges = [
    ...[
      'de',
      'de-AT',
      'de-AT-1996',
      'zh-Hant-TW',
      'zh-TW',
      'pt-PT',
      'pt-BR',
      'ar-EG',
      'en-GB',
      'fr',
      'ja-JP',
    ],
    ...['zh-Hant-TW-x-mine', 'sr-Latn-RS', 'en-US-u-ca-buddhist'],
  ];
  for (const first of ranges) {
    for (const second of ranges) {
      const theirs = match([first, second], offered, 'none', { algorithm: 'lookup' });
      expect(lookUp(`${first}, ${second};q=0.5`, offered) ?? 'none', `${first}, ${second}`).toBe(theirs);
    }
  }
});

test('texts of the host are in the language of the page, else in the default one', async () => {
  expect(await (await ask('login?lang=nl')).text()).toMatch(/Lantaarns[\s\S]*Voorwaarden/);
  expect(await (await ask('login?lang=fa')).text()).toMatch(/Lanterns[\s\S]*Terms/);
  expect(await (await ask('me?lang=nl')).text()).toContain('Bedrijf');
});
