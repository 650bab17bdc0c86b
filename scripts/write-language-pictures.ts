// Takes pictures of pages and emails in other languages: `node scripts/write-language-pictures.ts de fr`, or of all of them. The
// machine needs fonts of their scripts.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { newUser } from '../src/domain/new-user.ts';
import { createMessages } from '../src/mail/messages.ts';
import { sampleOf } from '../src/mail/samples.ts';
import { createMailTemplates } from '../src/mail/templates.ts';
import { createLanguages } from '../src/words/languages.ts';
import { shippedTags } from '../src/words/tags.ts';
import { launchBrowser } from '../test/browser/browser.ts';
import { logIn, signUp, startApp } from '../test/support/app.ts';
import { strongSettings } from '../test/support/strong.ts';

const named = process.argv.slice(2);
const locales = shippedTags().filter(tag => (named.length > 0 ? named.includes(tag) : tag !== 'en'));

const folder = join(import.meta.dirname, '../docs/images/languages');
mkdirSync(folder, { recursive: true });
const app = await startApp({
  databaseUrl: 'sqlite:///:memory:',
  settings: async address => ({
    ...{ baseUrl: address.replace('127.0.0.1', 'localhost'), enableUiRouter: true, enableAdminRouter: true },
    ...{ enableSms2fa: true, enableAccountDeletion: true, ...strongSettings, auditStore: 'database' },
    ...{ supportContact: 'help@example.org', notifyNewSignIn: true, locales: ['en', ...locales] },
  }),
});
const { config, repositories } = app.gatehouse;
for (const [fullName, unusual] of [
  ['Frances Allen', { isVerified: false }],
  ['Grace Hopper', { isMfaEnabled: true, phoneNumber: '+447700900140' }],
  ['Alan Turing', { isActive: false }],
] as const) {
  const email = `${fullName.toLowerCase().replace(' ', '.')}@example.org`;
  const user = newUser(app.clock.now(), { email, fullName, hashedPassword: null, isVerified: true });
  await repositories.users.add({ ...user, lastLogin: app.clock.now(), ...unusual });
  app.clock.advance(60_000);
}
const ada = await signUp(app, 'ada@example.org');
await app.rest('PATCH', '/me', { full_name: 'Ada Lovelace' }, { token: ada.token });
await repositories.users.change(ada.id, { set: { isSuperuser: true } });
const token = await logIn(app, ada);

const languages = createLanguages(config);
const browser = await launchBrowser();
const look = { animations: 'disabled', caret: 'hide', fullPage: true } as const;
for (const locale of locales) {
  const context = await browser.newContext({ locale, viewport: { width: 1280, height: 720 } });
  const page = await context.newPage();
  const path = (name: string) => join(folder, `${name}-${locale}.png`);
  for (const name of ['login', 'register', 'me', 'admin']) {
    if (name === 'me')
      await context.addInitScript(`localStorage.setItem('svc.access_token', ${JSON.stringify(token)})`);
    await page.goto(`${config.baseUrl}/account/${name}`, { waitUntil: 'networkidle' });
    await page.screenshot({ path: path(name), ...look });
  }
  const words = languages.of(locale);
  const messages = createMessages({ templates: createMailTemplates(config), config, words });
  // The pages' policy lets no script write a document.
  await page.goto('about:blank');
  await page.setViewportSize({ width: 640, height: 400 });
  for (const name of ['verification', 'newSignIn', 'passwordBlocked'] as const) {
    const { kind, html } = await sampleOf(messages, name);
    await page.setContent(html);
    await page.screenshot({ path: path(`mail-${kind}`), ...look });
  }
  await context.close();
}
await browser.close();
await app.close();
