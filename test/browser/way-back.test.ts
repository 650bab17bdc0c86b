import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { signUp } from '../support/app.ts';
import { look } from './look.ts';
import { linkIn, useSite } from './support.ts';

// The pages are a part of an application, and lead back to it.

const site = useSite({
  homeUrl: '/shop?from=account',
  supportContact: 'help@example.org',
  appName: 'Lantern',
  footerLinks: {
    terms: { url: '/terms', label: 'Terms of use' },
    privacy: { url: 'https://www.example.org/privacy', label: 'Privacy' },
  },
});

const linksOfFoot = (page: Page) => page.getByRole('contentinfo').getByRole('link');

test('the header leads to the application, also without a session, and the foot has its links in their order', async () => {
  const page = await site.open('login');
  const links = linksOfFoot(page);
  expect(await links.allTextContents()).toEqual(['Terms of use', 'Privacy']);
  expect(await links.last().getAttribute('href')).toBe('https://www.example.org/privacy');
  const back = page.getByRole('banner').getByRole('link', { name: 'Lantern' });
  expect(await back.getAttribute('href')).toBe('/shop?from=account');
  await look(page, 'login, with a way back');
  await back.click();
  expect(page.url()).toBe(`${site.origin}/shop?from=account`);
});

test('the account page, with the same foot, and a confirmed address lead on to the application', async () => {
  const { token } = await signUp(site.app);
  const page = await site.openSignedIn('me', token);
  const onward = page.getByRole('link', { name: 'Continue to Lantern' });
  expect(await onward.getAttribute('href')).toBe('/shop?from=account');
  expect(await linksOfFoot(page).allTextContents()).toEqual(['Terms of use', 'Privacy']);
  await look(page, 'me, with a way back');

  const email = 'new-here@example.org';
  await site.app.rest('POST', '/register', { email, password: 'correct horse' });
  await page.goto(linkIn(await site.app.nextMail(email)));
  await page.getByRole('button', { name: 'Confirm my address' }).click();
  await page.getByRole('link', { name: 'Continue', exact: true }).click();
  expect(page.url()).toBe(`${site.origin}/shop?from=account`);
});

test('the first visit of the console asks for a sign-in, and does not say that a session has ended', async () => {
  const { token, id } = await signUp(site.app);
  await site.app.gatehouse.repositories.users.change(id, { set: { isSuperuser: true } });
  const page = await site.open('admin#pending');
  await page.getByText('Sign in to continue.').waitFor();
  expect(new URL(page.url()).searchParams.get('next')).toBe('/account/admin');
  expect(await page.getByText('session').count()).toBe(0);

  // Signing out in another tab is not a session that has ended by itself, either.
  const console = await site.openSignedIn('admin', token);
  await console.locator('#console').waitFor();
  const tab = await console.context().newPage();
  await tab.goto(site.page('me'));
  await tab.getByRole('button', { name: 'Sign out', exact: true }).click();
  await tab.getByText('You are signed out.').waitFor();
  await console.getByText('You are signed out.').waitFor();
});
