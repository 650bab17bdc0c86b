import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { mailLink } from '../../src/mail/links.ts';
import { load } from '../config/support.ts';
import { type App, signUp, startApp } from '../support/app.ts';

// In which language people are written to (CONTRACT §20.3).

let app: App;
beforeAll(async () => {
  app = await startApp({
    settings: {
      enableUiRouter: true,
      enableSms2fa: true,
      baseUrl: 'https://app.example',
      locales: ['en', 'de', 'ar'],
      urls: { resetPassword: 'https://shop.example/{locale}/new-password?t={token}' },
      localeDirs: [join(import.meta.dirname, '../fixtures/locales')],
    },
  });
});
afterAll(() => app?.close());

/** Somebody who is written to in this language. */
async function speaking(locale: string | null) {
  const member = await signUp(app);
  await app.rest('PATCH', '/me', { locale }, { token: member.token });
  return member;
}
const stranger = { headers: { 'Accept-Language': 'ar' } };

test('a mail and its link are in the language of the account, for every caller', async () => {
  const german = await speaking('de');
  await app.rest('POST', '/forgot-password', { email: german.email }, stranger);
  const mail = await app.nextMail(german.email);
  expect(mail).toMatchObject({ locale: 'de' });
  expect(mail.html).toContain('<html lang="de"');
  expect(mail.text).toContain('https://shop.example/de/new-password?t=');

  const none = await speaking(null);
  await app.rest('POST', '/forgot-password', { email: none.email }, stranger);
  expect(await app.nextMail(none.email)).toMatchObject({
    locale: 'en',
    text: expect.stringContaining('https://shop.example/en/new-password?t='),
  });
});

test('a registration is answered by a mail in its language, whose link leads to the page in it', async () => {
  const email = 'ara@example.org';
  await app.rest('POST', '/register', { email, password: 'correct horse battery', locale: 'ar' });
  const mail = await app.nextMail(email);
  expect(mail.html).toContain('<html lang="ar" dir="rtl"');
  const [link = ''] = /https:\/\/app\.example\/\S+/.exec(mail.text) ?? [];
  expect(new URL(link).searchParams.get('lang')).toBe('ar');
  // Alone on its line, and isolated from nothing.
  expect(mail.text.split('\n')).toContain(link);
});

test.each([
  ['while there are pages', true, 'https://app.example/account/verify?token=T&lang=de'],
  ['without pages', false, 'https://app.example/account/verify?token=T'],
])('a token goes where the address of a page says, %s', (_, enableUiRouter, expected) => {
  const { config } = load({
    arguments: {
      ...{ baseUrl: 'https://app.example', enableUiRouter, locales: ['en', 'de'] },
      urls: { verify: 'https://app.example/account/verify?token={token}' },
    },
  });
  expect(mailLink(config, 'verify', 'T', 'de').url).toBe(expected);
});

test('a notice and a text message are in it, too', async () => {
  const { email, token } = await speaking('de');
  const phone_number = '+15550001111';
  const current_password = 'correct horse battery';
  await app.rest('POST', '/phone/start', { phone_number, current_password }, { token, ...stranger });
  const { text } = await app.nextText(phone_number);
  expect(text).toMatch(/Gatehouse/);
  expect(text).not.toContain('Your');
  await app.rest(
    'POST',
    '/change-password',
    { current_password, new_password: 'another horse battery' },
    { token, ...stranger },
  );
  expect(await app.nextMail(email)).toMatchObject({ kind: 'password-changed', locale: 'de' });
});
