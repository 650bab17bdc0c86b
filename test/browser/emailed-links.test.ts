import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { password, signUp } from '../support/app.ts';
import { newAddress } from '../support/people.ts';
import { fillLogin, linkIn, useSite } from './support.ts';

// Where a person was going survives the link in an email, and only in the browser that asked for it.

const site = useSite();
const goal = '/shop/cart?from=mail';
const before = (name: string) => site.page(`${name}?${new URLSearchParams({ next: goal })}`);
const heading = (page: Page, name: string) => page.getByRole('heading', { name }).waitFor();

/** Opens a link in another tab of the same browser, as an email program does. */
async function openLink(page: Page, mail: { text: string }): Promise<Page> {
  const tab = await page.context().newPage();
  await tab.goto(linkIn(mail));
  return tab;
}

/** Registers somebody who was going somewhere. */
async function register(email: string): Promise<Page> {
  const page = await site.open(before('login'));
  await page.locator('a[href*="next="]', { hasText: 'Create an account' }).click();
  await heading(page, 'Create an account');
  await page.getByLabel('Email address').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Create my account' }).click();
  await heading(page, 'Check your email');
  return page;
}

/** Chooses a new password by an emailed link, which signs in. */
async function choose(page: Page): Promise<void> {
  await page.getByLabel('New password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Save the password' }).click();
}

/** Asks for the link of a forgotten password on the way to somewhere. */
async function forget(email: string): Promise<Page> {
  const page = await site.open(before('forgot'));
  await page.getByLabel('Email address').fill(email);
  await page.getByRole('button', { name: 'Send me a link' }).click();
  await heading(page, 'Check your email');
  return page;
}

test('a person who registers on the way to a page is led there', async () => {
  const email = newAddress();
  const page = await register(email);
  const mail = await site.app.nextMail(email);
  expect(JSON.stringify(mail)).not.toContain('cart');
  const tab = await openLink(page, mail);
  await tab.getByRole('button', { name: 'Confirm my address' }).click();
  await tab.getByRole('link', { name: 'Sign in', exact: true }).click();
  // The address is there, and the next key is that of the password.
  await tab.locator('#password:focus').waitFor();
  expect(await tab.getByLabel('Email address').inputValue()).toBe(email);
  await tab.keyboard.type(password);
  await tab.keyboard.press('Enter');
  await tab.waitForURL(site.origin + goal);
});

test('a person who chooses a new password on the way to a page is led there, once', async () => {
  const { email } = await signUp(site.app);
  const page = await forget(email);
  const mail = await site.app.nextMail(email);
  expect(JSON.stringify(mail)).not.toContain('cart');
  const tab = await openLink(page, mail);
  await choose(tab);
  await tab.waitForURL(site.origin + goal);
  expect(await tab.evaluate("localStorage.getItem('svc.before_email')")).toBeNull();
});

test('in another browser the link leads to the account page', async () => {
  const email = newAddress();
  await register(email);
  const page = await site.open(linkIn(await site.app.nextMail(email)));
  await page.getByRole('button', { name: 'Confirm my address' }).click();
  await page.getByRole('link', { name: 'Sign in', exact: true }).click();
  await fillLogin(page, email, password);
  await heading(page, 'Your account');
});

test('signing out forgets the page to which the former person was led', async () => {
  const { email, token } = await signUp(site.app);
  const page = await forget(email);
  await page.evaluate(`localStorage.setItem('svc.access_token', ${JSON.stringify(token)})`);
  await page.goto(site.page('me'));
  await page.getByRole('button', { name: 'Sign out', exact: true }).click();
  await page.getByText('You are signed out.').waitFor();
  expect(await page.evaluate("localStorage.getItem('svc.before_email')")).toBeNull();
});

test.each<[string, unknown]>([
  ['another site', { next: 'https://evil.example/', at: 'now' }],
  ['a host without a scheme', { next: '//evil.example/', at: 'now' }],
  ['a script', { next: 'javascript:alert(1)', at: 'now' }],
  ['what is no text', { next: { href: '/x' }, at: 'now' }],
  ['a page of the day before yesterday', { next: '/shop/cart', at: 'before' }],
  ['nothing', {}],
])('what the browser keeps leads to no page but one of this site: %s', async (_, kept) => {
  const { email } = await signUp(site.app);
  await site.app.rest('POST', '/forgot-password', { email });
  const page = await site.open('login');
  const times = { now: Date.now(), before: Date.now() - 2 * 86_400_000 };
  const { at, ...rest } = kept as { at?: keyof typeof times };
  const text = JSON.stringify({ ...rest, ...(at && { at: times[at] }) });
  await page.evaluate(`localStorage.setItem('svc.before_email', ${JSON.stringify(text)})`);
  await page.goto(linkIn(await site.app.nextMail(email)));
  await choose(page);
  await heading(page, 'Your account');
});
