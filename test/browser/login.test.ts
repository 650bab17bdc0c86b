import { expect, test } from 'vitest';
import { useSite } from './support.ts';
import { weightOf } from './weight.ts';

// The page that everybody sees first.

const site = useSite();

test('its first load is under 40 KB over the wire, from this site alone', async () => {
  const bytes = await weightOf(await site.open('forgot'), site.page('login'));
  expect(bytes).toBeGreaterThan(5000);
  expect(bytes).toBeLessThan(40_000);
});

test('without script it shows what it is, and says what is missing', async () => {
  const page = await site.open('login', { javaScriptEnabled: false });
  expect(await page.locator('noscript').textContent()).toContain('This page works with JavaScript');
  expect(await page.getByRole('heading').textContent()).toBe('Sign in');
  // A form without its script would put the password into an address, or send it to an unexpected page.
  expect(await page.locator('form').getAttribute('method')).toBe('post');
  expect(await page.getByRole('button', { name: 'Sign in' }).isDisabled()).toBe(true);
});

test('a wrong password is announced after Enter in its field, and the focus is where to type again', async () => {
  // The focus is there already, so a screen reader reads nothing by itself.
  const page = await site.open('login');
  await page.locator('[type=submit]:enabled').waitFor();
  await page.getByLabel('Email address').fill('nobody@example.org');
  await page.locator('#password').fill('wrong password');
  await page.locator('#password').press('Enter');
  const complaint = page.locator('#password-error');
  await complaint.filter({ hasText: /./ }).waitFor();
  const said = await page.locator('[aria-live="assertive"]').textContent();
  expect(said).toBe('The address or the password is wrong.');
  expect(said).toBe(await complaint.textContent());
  await page.locator('#password:focus').waitFor();
  expect(await page.getByLabel('Email address').inputValue()).toBe('nobody@example.org');
});

// Shows asvs/6.2.6, asvs/6.2.7, 63b/3.1.1.2#managers.
test('password managers know what its fields are', async () => {
  const page = await site.open('login');
  expect(await page.getByLabel('Email address').getAttribute('autocomplete')).toBe('username');
  expect(await page.locator('#password').getAttribute('autocomplete')).toBe('current-password');
  await page.goto(site.page('register'));
  expect(await page.getByLabel('Your name').getAttribute('autocomplete')).toBe('name');
  expect(await page.locator('#password').getAttribute('autocomplete')).toBe('new-password');
});
