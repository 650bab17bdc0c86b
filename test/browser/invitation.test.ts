import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { signUp } from '../support/app.ts';
import { newAddress } from '../support/people.ts';
import { linkIn, useSite } from './support.ts';

const password = 'battery staple horse';

const send = (page: Page) => page.locator('[type=submit]:enabled:visible').first().click();

describe('the page of an invitation', () => {
  const site = useSite();

  async function invited() {
    const user = await site.app.gatehouse.users.create({ email: newAddress(), invite: true });
    return { ...user, link: linkIn(await site.app.nextMail(user.email)) };
  }

  test('takes a password, and signs in with it', async () => {
    const { id, email, link } = await invited();
    const page = await site.open(link);
    await page.getByRole('heading', { name: 'Choose your password' }).waitFor();
    // Opening it changes nothing: scanners of emails open links, too.
    expect(await site.app.gatehouse.users.find(id)).toMatchObject({ isVerified: false });
    await page.waitForURL(site.page('accept-invitation'));

    await page.getByLabel('Password', { exact: true }).fill('short');
    await send(page);
    await page.getByText('Use at least 8 characters; this has 5.').waitFor();
    await page.getByLabel('Password', { exact: true }).fill(password);
    await send(page);
    await page.getByText('Your new password is saved.').waitFor();
    await page.getByRole('heading', { name: 'Your account' }).waitFor();
    await page.getByText(email).first().waitFor();
  });

  test('signs in the person who was invited in place of the person who was signed in in this browser', async () => {
    const { token } = await signUp(site.app);
    const { email, link } = await invited();
    const page = await site.openSignedIn('me', token);
    await page.getByRole('heading', { name: 'Your account' }).waitFor();
    await page.goto(link);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await send(page);
    await page.getByText('Your new password is saved.').waitFor();
    await page.getByText(`Signed in as ${email}`).waitFor();
  });

  test('says so when the link was used, also after a reload, and leads to a new one', async () => {
    const { link } = await invited();
    const token = new URL(link).searchParams.get('token');
    await site.app.rest('POST', '/accept-invitation', { token, password });
    const page = await site.open(link);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await send(page);
    await page.getByRole('heading', { name: 'This link no longer works' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'This link no longer works' }).waitFor();
    await page.getByRole('link', { name: 'Ask for a new link' }).click();
    await page.waitForURL(site.page('forgot'));
  });

  test('says so when the link is not whole', async () => {
    const page = await site.open('accept-invitation');
    await page.getByRole('heading', { name: 'Something is missing' }).waitFor();
  });
});

describe('where passwords are not reset by email', () => {
  const site = useSite({ enablePasswordReset: false });

  test('a used link names those who invited', async () => {
    const page = await site.open('accept-invitation?token=x');
    await page.getByLabel('Password', { exact: true }).fill(password);
    await send(page);
    await page.getByText('ask the people who invited you').waitFor();
    expect(await page.getByRole('link', { name: 'Ask for a new link' }).count()).toBe(0);
  });
});
