import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { signUp } from '../support/app.ts';
import { linkIn, useSite } from './support.ts';

// The notice to look into the mailbox survives a reload, and a phone that has discarded the tab.

const site = useSite();

const send = (page: Page) => page.locator('[type=submit]:enabled:visible').first().click();

test('a registration that waits for its link is shown again, can be sent again, and corrected', async () => {
  const email = 'waiting@example.org';
  const page = await site.open('register');
  await page.getByLabel('Email address').fill(email);
  await page.getByLabel('Password', { exact: true }).fill('correct horse');
  await send(page);
  await page.getByRole('heading', { name: 'Check your email' }).waitFor();
  await site.app.nextMail(email);
  expect(page.url()).toBe(site.page('register'));

  await page.reload();
  await page.getByRole('heading', { name: 'Check your email' }).waitFor();
  await page.getByRole('strong').getByText(email).waitFor();
  await page.getByRole('button', { name: 'Send it again' }).click();
  await site.app.nextMail(email);

  await page.getByRole('button', { name: 'Correct it' }).click();
  expect(await page.getByLabel('Email address').inputValue()).toBe(email);
  await page.reload();
  await page.getByRole('heading', { name: 'Create an account' }).waitFor();
  expect(await page.getByRole('strong').count()).toBe(0);
  // Another visit begins anew.
  await page.goto(site.page('register'));
  await page.getByRole('heading', { name: 'Create an account' }).waitFor();
});

test('a link to a new password that is on its way', async () => {
  const { email } = await signUp(site.app);
  const page = await site.open('forgot');
  await page.getByLabel('Email address').fill(email);
  await send(page);
  await page.getByRole('heading', { name: 'Check your email' }).waitFor();
  await site.app.nextMail(email);
  await page.reload();
  await page.getByRole('strong').getByText(email).waitFor();
  await page.getByRole('button', { name: 'Send it again' }).click();
  expect(linkIn(await site.app.nextMail(email))).toContain('reset-password');
});

test('an expired link, and the new one that was asked for', async () => {
  const email = 'again@example.org';
  await site.app.rest('POST', '/register', { email, password: 'correct horse' });
  const link = linkIn(await site.app.nextMail(email));
  await site.app.rest('POST', '/resend-verification', { email });
  const newer = linkIn(await site.app.nextMail(email));
  const page = await site.open(link);
  await page.getByRole('button', { name: 'Confirm my address' }).click();
  await page.getByRole('heading', { name: 'This link no longer works' }).waitFor();
  await page.reload();
  await page.getByRole('heading', { name: 'This link no longer works' }).waitFor();
  await page.getByLabel('Email address').fill(email);
  await send(page);
  await page.getByRole('heading', { name: 'Check your email' }).waitFor();
  expect(linkIn(await site.app.nextMail(email))).not.toBe(newer);
  await page.reload();
  await page.getByRole('strong').getByText(email).waitFor();
  await page.getByRole('button', { name: 'Send it again' }).click();
  await site.app.nextMail(email);
});

test('a change of the address that waits for its link, until the person goes on', async () => {
  const { token, password } = await signUp(site.app);
  const page = await site.openSignedIn('me', token);
  await page.getByText('Email address', { exact: true }).click();
  await page.getByLabel('New email address').fill('moving@example.org');
  await page.locator('#email-password').fill(password);
  await page.getByRole('button', { name: 'Send the link' }).click();
  const sentence = page.getByText('Open the link in the email to moving@example.org');
  await sentence.waitFor();
  await page.reload();
  await sentence.waitFor();
  await page.getByText('Name', { exact: true }).click();
  expect(await sentence.count()).toBe(0);
  await page.reload();
  await page.getByRole('heading', { name: 'Your account' }).waitFor();
  expect(await sentence.count()).toBe(0);
});
