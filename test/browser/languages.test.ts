import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { shippedFile } from '../../scripts/words.ts';
import { newPassword, signUp } from '../support/app.ts';
import { signUpSuperuser } from '../support/people.ts';
import { fewOf } from '../support/repetitions.ts';
import { storePasskey, strongSettings } from '../support/strong.ts';
import { look, lookAtWords } from './look.ts';
import { linkIn, tokenIn, useSite } from './support.ts';
import { attachAuthenticator } from './virtual-authenticator.ts';
import { weightOf } from './weight.ts';

// The pages in each shipped language (CONTRACT §20.3, §20.9): nothing is cut off, and nothing is in another language.

const locales = ['en', 'de', 'fr', 'es', 'ja', 'ar'];
const site = useSite({ ...strongSettings, locales, auditStore: 'database', enableAccountDeletion: true });
const { messages: english } = shippedFile('en');

/** Returns the English texts that a page shows although its language has its own. */
async function englishOn(page: Page, locale: string): Promise<string[]> {
  const { messages } = shippedFile(locale);
  const own = new Set<unknown>(Object.values(messages));
  const foreign = new Set(
    Object.values(english).filter(text => typeof text === 'string' && !own.has(text)) as string[],
  );
  const lines = (await page.evaluate('document.body.innerText')) as string;
  return lines.split('\n').filter(line => foreign.has(line.trim()));
}

async function expectLanguage(page: Page, locale: string): Promise<void> {
  await page.locator(`html[lang=${locale}]`).waitFor({ state: 'attached' });
  expect(await page.evaluate('document.dir')).toBe(locale === 'ar' ? 'rtl' : '');
  if (locale !== 'en') expect(await englishOn(page, locale)).toEqual([]);
}

// The longest words, and what is read from right to left.
test.each(fewOf(locales, 'de', 'ar'))('pages in %s are whole, and speak no other language', async locale => {
  const { token } = await signUpSuperuser(site.app);
  // Of those from left to right, the other tests look at English.
  const see = locale === 'ar' ? look : lookAtWords;
  const stranger = await site.open('forgot');
  for (const name of ['login', 'register', 'forgot']) {
    await stranger.goto(site.page(`${name}?lang=${locale}`));
    await expectLanguage(stranger, locale);
    await see(stranger, `${name} in ${locale}`);
  }
  const page = await site.openSignedIn('me', token);
  for (const name of ['me', 'admin']) {
    await page.goto(site.page(`${name}?lang=${locale}`));
    await page.waitForLoadState('networkidle');
    await expectLanguage(page, locale);
    // A part of the day, as PM, stays in the line of its hours.
    expect(await page.locator('time').allTextContents()).not.toContainEqual(
      expect.stringMatching(/:\d\d \p{L}/u),
    );
    await see(page, `${name} in ${locale}`);
  }
});

// One page each of the other languages is looked at below.
test.each(fewOf(locales, 'fr'))(
  'somebody whose browser speaks %s registers, is written to and signs in',
  async locale => {
    const page = await site.open('register', { locale });
    await expectLanguage(page, locale);
    const email = `${crypto.randomUUID()}@example.org`;
    await page.locator('input[name=email]').fill(email);
    await page.locator('input[name=password]').fill('correct horse battery 9');
    await page.locator('[type=submit]:enabled:visible').click();
    const mail = await site.app.nextMail(email);
    const link = linkIn(mail);
    expect(new URL(link).searchParams.get('lang')).toBe(locale);
    expect(mail.html).toContain(`lang="${locale}"`);
    await page.goto(link);
    await expectLanguage(page, locale);
    await page.locator('[data-confirm]').click();
    await page.locator('[data-go-on]').waitFor();
    await expectLanguage(page, locale);
    await page.goto(site.page('login'));
    await page.locator('input[name=email]').fill(email);
    await page.locator('input[name=password]').fill('correct horse battery 9');
    await page.locator('[type=submit]:enabled:visible').click();
    await page.waitForURL(site.page('me'));
    await page.waitForLoadState('networkidle');
    await expectLanguage(page, locale);
  },
);

test('a language that is chosen stays on the pages that follow', async () => {
  const page = await site.open('login', { locale: 'de' });
  await expectLanguage(page, 'de');
  await page.locator('[data-locale=fr]').click();
  await expectLanguage(page, 'fr');
  await page.goto(site.page('register'));
  await expectLanguage(page, 'fr');
});

/** Somebody with an account in this language, and the link that a reset mails to them. */
async function forgetful(locale: string | null): Promise<{ email: string; link: string }> {
  const { id, email } = await signUp(site.app);
  await site.app.gatehouse.repositories.users.change(id, { set: { locale } });
  await site.app.rest('POST', '/forgot-password', { email });
  for (;;) {
    const mail = await site.app.nextMail(email);
    if (mail.kind === 'password-reset') return { email, link: linkIn(mail) };
  }
}

async function choosePassword(page: Page): Promise<void> {
  await page.locator('input[name=new_password]').fill(newPassword);
  await page.locator('[type=submit]:enabled:visible').click();
  await page.waitForURL(site.page('me'));
  await page.waitForLoadState('networkidle');
}

const cookiesOf = async (page: Page) =>
  (await page.context().cookies()).map(({ name, value }) => `${name}=${value}`);

test('the link of an email, and what it came to, outlast a choice of language', async () => {
  const { email, link } = await forgetful('de');
  const page = await site.open(link);
  await expectLanguage(page, 'de');
  await page.locator('[data-locale=fr]').click();
  await expectLanguage(page, 'fr');
  await page.getByText(email).waitFor();
  await choosePassword(page);

  const later = await site.open(link);
  await later.locator('input[name=new_password]').fill(newPassword);
  await later.locator('[type=submit]:enabled:visible').click();
  await later.locator('[data-step=expired] h1:visible').waitFor();
  await later.locator('[data-locale=es]').click();
  await expectLanguage(later, 'es');
  await later.locator('[data-step=expired] h1:visible').waitFor();
});

test('after a sign-in on a page in the language of its address, the pages keep that of the account', async () => {
  const { link } = await forgetful('de');
  const page = await site.open(link, { locale: 'en' });
  await expectLanguage(page, 'de');
  await choosePassword(page);
  await expectLanguage(page, 'de');
  expect(await cookiesOf(page)).toEqual(['svc-locale=de']);
});

test('an account without a language leaves the browser its own', async () => {
  const { link } = await forgetful(null);
  const page = await site.open(link.replace('lang=en', 'lang=fr'), { locale: 'de' });
  await expectLanguage(page, 'fr');
  await choosePassword(page);
  await expectLanguage(page, 'de');
  expect(await cookiesOf(page)).toEqual([]);
});

test('the language of an account is changed on its page, which then speaks it', async () => {
  const { token } = await signUp(site.app);
  const page = await site.openSignedIn('me', token, { locale: 'en' });
  const panel = page.locator('details.panel', { has: page.locator('#locale') });
  await panel.getByText('English').first().waitFor();
  await panel.locator('summary').click();
  await panel.locator('#locale').selectOption('ja');
  await panel.locator('button[type=submit]').click();
  await expectLanguage(page, 'ja');
  expect((await site.app.rest('GET', '/me', undefined, { token })).body.locale).toBe('ja');
});

test('an account that a provider brings has the language of the page, not that of the browser', async () => {
  const page = await site.open('login', { locale: 'de' });
  await page.locator('[data-locale=es]').click();
  await expectLanguage(page, 'es');
  await page.locator('[data-starts*="/oauth/google/"]').click();
  await page.getByLabel('Name').fill('hispanohablante');
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.waitForURL(site.page('me'));
  await page.waitForLoadState('networkidle');
  await expectLanguage(page, 'es');
  const token = (await tokenIn(page))!;
  expect((await site.app.rest('GET', '/me', undefined, { token })).body.locale).toBe('es');
});

test('a name that is proposed from right to left is one that a passkey may have', async () => {
  const { token } = await signUp(site.app);
  const page = await site.openSignedIn('me?lang=ar', token);
  const authenticator = await attachAuthenticator(page);
  const panel = page.locator('details.panel', { has: page.locator('#passkey-name') });
  // The press that opens the panel begins.
  await panel.locator('summary').click();
  await page.getByRole('button', { name: 'تم حفظها' }).click();
  await panel.getByText('Chrome على Linux', { exact: true }).first().waitFor({ state: 'attached' });
  expect(await authenticator.credentials()).toHaveLength(1);
});

test('names are a list of the language', async () => {
  const member = await signUp(site.app);
  for (const name of ['Laptop', 'Telefon', 'Schlüssel']) await storePasskey(site.app, member, name);
  const page = await site.openSignedIn('me?lang=de', member.token);
  await page.getByText(/^\S+, \S+ und \S+$/).waitFor();
});

test('no language makes a page heavier over the wire than it may be', async () => {
  const { token } = await signUpSuperuser(site.app);
  const [stranger, administrator] = [await site.open('forgot'), await site.openSignedIn('me', token)];
  // The texts of Arabic are the longest in bytes.
  for (const locale of fewOf(locales, 'ar')) {
    for (const [page, name, most] of [
      [stranger, 'login', 40],
      [stranger, 'register', 40],
      [administrator, 'me', 48],
      [administrator, 'admin', 65],
    ] as const) {
      const bytes = await weightOf(page, site.page(`${name}?lang=${locale}`));
      expect(bytes, `${name} in ${locale}`).toBeGreaterThan(5000);
      expect(bytes, `${name} in ${locale}`).toBeLessThan(most * 1000);
    }
  }
});

test('the days of the lists are written as where the reader lives', async () => {
  const { email, token } = await signUp(site.app);
  const page = await site.openSignedIn('me?lang=en', token, { locale: 'en-GB' });
  await page.clock.setFixedTime(site.app.clock.now().getTime() + 60 * 86_400_000);
  await page.reload();
  await page.getByText(`Signed in as ${email}`).waitFor();
  const day = page.locator('[data-sessions] time').first();
  await day.waitFor({ state: 'attached' });
  expect(await day.textContent()).toMatch(/^\d{1,2} \p{L}+ \d{4}$/u);
});
