import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createLanguages } from '../../src/words/languages.ts';
import { english } from '../../src/words/words.ts';
import { folderWith, load, problemOf, problemsOf } from './support.ts';

/** A folder with files of messages. */
const dirWith = (files: Record<string, object | string>) =>
  folderWith({
    files: Object.fromEntries(
      Object.entries(files).map(([name, content]) => [
        name,
        typeof content === 'string' ? content : JSON.stringify(content, null, 2),
      ]),
    ),
  });

test('there is one language by default', () => {
  const { config } = load();
  expect(config).toMatchObject({ locales: ['en'], defaultLocale: 'en', localeDirs: [] });
  const languages = createLanguages(config);
  expect(languages.isChoice).toBe(false);
  expect(languages.default).toBe(english);
  expect(languages.of('de')).toBe(english);
  expect(languages.list()).toEqual([{ tag: 'en', name: 'English', direction: 'ltr' }]);
});

test.each([
  ['a language without a file', 'locales = ["en", "tlh"]', 'locales: has "tlh", of which there is no file'],
  [
    'what is no tag',
    'locales = ["en", "../x"]',
    'locales: item 2: must be the tag of a language such as pt-BR',
  ],
  ['another spelling', 'locales = ["en", "pt_br"]', 'locales: item 2: must be the tag of a language'],
  ['another case', 'locales = ["en", "pt-br"]', 'locales: item 2: must be written pt-BR'],
  ['a language twice', 'locales = ["en", "en"]', "locales: can't contain a language twice"],
  ['no language', 'locales = []', "locales: can't be empty"],
  ['a default that is not offered', 'default_locale = "de"', 'default_locale: must be one of locales: en'],
])('%s is refused', (_, toml, problem) => {
  expect(problemOf({ toml })).toContain(`svc.toml: ${problem}`);
});

test('everything that is wrong with the files of a host is told at once, with file, id and column', () => {
  const dir = dirWith({
    'pt-BR.arb': {
      '@@locale': 'pt-BR',
      page_sign_inn: 'Entrar',
      sms_login: 'Código de {app_nome}: {code}',
      page_new_here_create_an_account: 'Primeira vez aqui?',
      field_too_long: 'no máximo {most',
      unit_days: 'há <b>{n}</b> dias',
    },
    'en.arb': '{\n  "sms_login": "x",\n}',
  });
  const problems = problemsOf({
    arguments: { locales: ['en', 'pt-BR', 'tlh'], localeDirs: [dir, join(dir, 'none')] },
  });
  expect(
    problems.map(({ source, key, message }) => `${source.replace(`${dir}/`, '')}: ${key}: ${message}`),
  ).toEqual([
    expect.stringMatching(/^arguments: locales: has "tlh", of which there is no file: en/),
    `locale_dirs: ${join(dir, 'none')}: There is no such folder.`,
    expect.stringMatching(/^en\.arb: file: column 1: line 3: is not an object in JSON: /),
    'pt-BR.arb: field_too_long: column 11: a { has no }',
    'pt-BR.arb: page_sign_inn: column 3: is not the id of a message; did you mean page_sign_in?',
    'pt-BR.arb: sms_login: column 11: has {app_nome}, which the English message does not have; its values are: {app_name}, {code}',
    'pt-BR.arb: page_new_here_create_an_account: column 1: needs <link>, which the English message has',
    'pt-BR.arb: unit_days: column 4: has <b>, which the English message does not have',
  ]);
});

test('a message is that of the host, of the language, of the shorter tag, of the default, and of English', () => {
  const dir = dirWith({
    'pt-BR.arb': { sms_login: 'BR {app_name} {code}' },
    'pt.arb': { sms_login: 'PT {app_name} {code}', unit_days: '{n, number} dias' },
    'nl.arb': { unit_days: '{n} dagen', unit_hours: '{n, number} uren' },
    'en.arb': { page_sign_in: 'Come in' },
  });
  const { config } = load({
    arguments: { locales: ['nl', 'pt-BR'], defaultLocale: 'nl', localeDirs: [dir] },
  });
  const languages = createLanguages(config);
  const words = languages.of('pt-BR');
  expect(words.locale).toBe('pt-BR');
  expect(words.t('sms_login', { app_name: 'Acme', code: '1' })).toBe('BR Acme 1');
  expect(words.t('unit_days', { n: 2000 })).toBe('2.000 dias');
  expect(words.t('unit_hours', { n: 2000 })).toBe('2.000 uren');
  expect(words.t('page_sign_in')).toBe('Come in');
  expect(words.t('sms_phone_setup', { app_name: 'Acme', code: '1' })).toContain('Acme');
  expect(languages.of('pt').locale).toBe('nl');
  expect(languages.find('pt')).toBeNull();
  expect(languages.list()).toEqual([
    { tag: 'nl', name: 'Nederlands', direction: 'ltr' },
    { tag: 'pt-BR', name: 'Português (Brasil)', direction: 'ltr' },
  ]);
});

test('the pseudo-language is made of what is said in English, the words of the host among it', () => {
  const dir = dirWith({ 'en.arb': { page_sign_in: 'Come in' } });
  const { config } = load({ arguments: { locales: ['en', 'en-XA'], localeDirs: [dir] } });
  const words = createLanguages(config).of('en-XA');
  expect(words.t('page_sign_in')).toBe('⟦Çömé íñ⟧');
  expect(words.t('unit_days', { n: 2 })).toBe('⟦2 đáýš⟧');
  expect(words.t('page_show')).toBe('⟦Sĥöŵ⟧');
});

test('a label may be a table by language', () => {
  const toml = `locales = ["en", "de"]\ndefault_locale = "de"\nbrand_tagline = { en = "Hi" }
[user_fields.company]\nlabel = { en = "Company", de = "Firma" }
[footer_links.terms]\nurl = "/terms"\nlabel = { en = "Terms", de = "AGB" }\n`;
  const { userFields, footerLinks, brandTagline } = load({ toml }).config;
  expect(userFields.company).toMatchObject({ label: 'Firma', labels: { en: 'Company', de: 'Firma' } });
  expect(footerLinks.terms).toMatchObject({ label: 'AGB', labels: { en: 'Terms', de: 'AGB' } });
  expect(brandTagline).toEqual({ en: 'Hi' });
  expect(problemOf({ toml: 'brand_tagline = { english = 1 }' })).toContain(
    'svc.toml: brand_tagline: must be one line of text, or a table of it by language',
  );
});
