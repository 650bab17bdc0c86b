import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { english } from '../../src/words/words.ts';
import { signUp } from '../support/app.ts';
import { newAddress } from '../support/people.ts';
import { fillLogin, linkIn, useSite } from './support.ts';

// Errors of a new password are shown beside its field while it is typed, as far as the browser knows the rules.

const site = useSite({ passwordBlocklist: true, passwordMinLength: 10, appName: 'Acme Accounts' });

const ofPerson = 'This is your own name or address. Choose something that others would not try first.';
const ofService = 'This is the name of this service. Choose something that others would not try first.';

const passwordIn = (page: Page) => page.getByLabel('Password', { exact: true });
const hintOf = (page: Page, id = 'password') => page.locator(`#${id}-hint`);

/** The requests of a page that carry something, from now on. */
function sentBy(page: Page): string[] {
  const sent: string[] = [];
  page.on('request', request => request.method() !== 'GET' && sent.push(request.url()));
  return sent;
}

// Shows 63b/3.1.1.2#guidance.
test('own words and the length are told while somebody types, and nothing is sent', async () => {
  const page = await site.open('register');
  const sent = sentBy(page);
  expect(await hintOf(page).textContent()).toContain('At least 10 characters.');
  await page.getByLabel('Email address').fill('Augusta.Lovelace@example.org');
  await page.getByLabel('Your name').fill('Augusta Ada King');
  const field = passwordIn(page);
  // The hint belongs to its field, and a screen reader hears of it without being interrupted.
  expect(await field.getAttribute('aria-describedby')).toBe('password-hint password-error');
  expect(await hintOf(page).getAttribute('aria-live')).toBe('polite');
  for (const [password, words] of [
    ['short', 'Too short so far: at least 10 characters.'],
    ['augusta lovelace', ofPerson],
    ['AUGUSTALOVELACE', ofPerson],
    ['augusta.lovelace@example.org', ofPerson],
    ['augustaadaking', ofPerson],
    ['acme accounts', ofService],
    ['ＡｃｍｅAccounts', ofService],
    ['correct horse battery', 'A very good length.'],
  ] as const) {
    await field.fill(password);
    await hintOf(page).getByText(words).waitFor();
    expect(await page.locator('[data-measures=password]').getAttribute('data-level')).toBe(
      words === 'A very good length.' ? '4' : '1',
    );
  }
  // A name that is typed afterwards counts, too.
  await field.fill('grace hopper');
  await hintOf(page).getByText('A good length.').waitFor();
  await page.getByLabel('Your name').fill('Grace Hopper');
  await hintOf(page).getByText(ofPerson).waitFor();
  expect(sent).toEqual([]);
});

test('an own word and a common password are told beside the field when the form is sent, and another one is taken then', async () => {
  const page = await site.open('register');
  const sent = sentBy(page);
  await page.getByLabel('Email address').fill(newAddress());
  await passwordIn(page).fill('acme accounts');
  await page.getByRole('button', { name: 'Create my account' }).click();
  await page.locator('#password[aria-invalid=true]:focus').waitFor();
  expect(await page.locator('#password-error').textContent()).toBe(ofService);
  expect(sent).toEqual([]);

  await passwordIn(page).fill('qwertyuiop');
  await page.getByRole('button', { name: 'Create my account' }).click();
  await page.getByText(`Password ${english.t('field_common_password')}.`).waitFor();
  await page.locator('#password[aria-invalid=true]:focus').waitFor();
  expect(await passwordIn(page).inputValue()).toBe('qwertyuiop');
  // The meter does not praise what was refused: of its bars only the first one differs from an empty one.
  await page.waitForFunction(() => {
    const bars = [...document.querySelectorAll('[data-measures=password] > span')];
    const [first, ...others] = bars.map(bar => getComputedStyle(bar).backgroundColor);
    return new Set(others).size === 1 && first !== others[0];
  });
  await page.locator('[type=submit]:not([aria-busy])').waitFor();
  await page.getByText('Check the marked fields.').waitFor();
  await passwordIn(page).fill('correct horse battery');
  await page.getByText('Check the marked fields.').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Create my account' }).click();
  await page.getByRole('heading', { name: 'Check your email' }).waitFor();
});

test('the account page knows whose password is changed', async () => {
  const { email, password, token } = await signUp(site.app);
  const page = await site.openSignedIn('me', token);
  await page.getByRole('heading', { name: 'Your account' }).waitFor();
  await page.locator('summary', { hasText: 'Password' }).first().click();
  await page.locator('#change-current').fill(password);
  await page.getByLabel('New password').fill(email);
  await hintOf(page, 'new_password').getByText(ofPerson).waitFor();
  await page.getByLabel('New password').fill('1234567890');
  await page.getByRole('button', { name: 'Change the password' }).click();
  await page.getByText(`New password ${english.t('field_common_password')}.`).waitFor();
});

test('the page of a reset link says so too, and its link works afterwards', async () => {
  const { email } = await signUp(site.app);
  await site.app.rest('POST', '/forgot-password', { email });
  const page = await site.open(linkIn(await site.app.nextMail(email)));
  await page.getByLabel('New password').fill('qwertyuiop');
  await page.getByRole('button', { name: 'Save the password' }).click();
  await page.getByText(`New password ${english.t('field_common_password')}.`).waitFor();
  await page.locator('[type=submit]:visible:not([aria-busy])').waitFor();
  await page.getByLabel('New password').fill('battery staple horse');
  await page.getByRole('button', { name: 'Save the password' }).click();
  await page.getByText('Your new password is saved.').waitFor();
});

test('sign-in says nothing about the rules', async () => {
  const page = await site.open('login');
  await fillLogin(page, newAddress(), 'qwertyuiop');
  await page.getByText('The address or the password is wrong.').waitFor();
});
