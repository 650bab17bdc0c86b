import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { signUp } from '../support/app.ts';
import { addressOf } from '../support/oidc.ts';
import { strongSettings } from '../support/strong.ts';
import { look } from './look.ts';
import { linkIn, useSite } from './support.ts';

// Accounts without a password are not asked for one.

const site = useSite();
const strong = useSite({ ...strongSettings, enableOauth: false });

/** Signs somebody new in at the provider, up to the account page. */
async function newcomer(login: string): Promise<Page> {
  const page = await site.open('login');
  await page.getByRole('button', { name: 'Continue with Google' }).click();
  await page.getByLabel('Name').fill(login);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('heading', { name: 'Your account' }).waitFor();
  return page;
}

const panelOf = (page: Page, label: string) =>
  page.locator('details.panel', { has: page.locator(`.panel-label:text-is("${label}")`) });

test('an account without a password is shown so, and asked for none', async () => {
  const page = await newcomer('without');
  await panelOf(page, 'Password').getByText('None yet', { exact: true }).waitFor();
  expect(await page.getByText('••••••••').isVisible()).toBe(false);
  for (const label of ['Email address', 'Password', 'Two-step verification']) {
    const panel = panelOf(page, label);
    await panel.locator('summary').click();
    await panel.getByRole('button', { name: 'Set a password by email' }).waitFor();
  }
  await page.getByRole('button', { name: 'Delete…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Set a password by email' }).waitFor();
  expect(await page.locator('[type=password]:visible').count()).toBe(0);
  await page.getByRole('button', { name: 'Keep it' }).click();
  expect(await page.getByRole('dialog').isVisible()).toBe(false);
  await look(page, 'me, without a password');
});

test('a first password is set by mail, and the page then asks for it', async () => {
  const login = 'first-password';
  const page = await newcomer(login);
  const panel = panelOf(page, 'Password');
  await panel.locator('summary').click();
  await panel.getByRole('button', { name: 'Set a password by email' }).click();
  const sentence = `Open the link in the email to ${addressOf(login)} and choose a password.`;
  await page.getByText(sentence).waitFor();
  await page.reload();
  await page.getByText(sentence).waitFor();

  await page.goto(linkIn(await site.app.nextMail(addressOf(login))));
  await page.getByLabel('New password').fill('correct horse');
  await page.getByRole('button', { name: 'Save the password' }).click();
  await page.getByText('••••••••').waitFor();
  await page.getByRole('button', { name: 'Delete…' }).click();
  await page.getByRole('dialog').getByLabel('Current password').waitFor();
});

test('an account with a password is asked for it', async () => {
  const { token } = await signUp(site.app);
  const page = await site.openSignedIn('me', token);
  await page.getByText('••••••••').waitFor();
  await panelOf(page, 'Email address').locator('summary').click();
  await page.locator('#email-password').waitFor();
  expect(await page.getByRole('button', { name: 'Set a password by email' }).count()).toBe(0);
});

test('an account without a password shows that where no provider is configured', async () => {
  const { id, token } = await signUp(strong.app);
  await strong.app.gatehouse.repositories.users.change(id, { set: { hashedPassword: null } });
  const page = await strong.openSignedIn('me', token);
  await panelOf(page, 'Password').getByText('None yet').waitFor();
  expect(await page.getByText('••••••••').isVisible()).toBe(false);
});

// Where there are neither providers nor authenticators, the page learns of a missing password only from the refusal.
test('a password that turns out to be missing is offered to be set', async () => {
  const { id, token, email } = await signUp(site.app);
  const page = await site.openSignedIn('me', token);
  await page.getByRole('heading', { name: 'Your account' }).waitFor();
  await site.app.gatehouse.repositories.users.change(id, { set: { hashedPassword: null } });
  await panelOf(page, 'Email address').locator('summary').click();
  await page.getByLabel('New email address').fill('new@example.org');
  await page.locator('#email-password').fill('correct horse battery');
  await page.getByRole('button', { name: 'Send the link' }).click();
  await panelOf(page, 'Email address').locator('[data-set-password]:focus').waitFor();
  await page.keyboard.press('Enter');
  await page.getByText(`Open the link in the email to ${email}`).waitFor();
});
