import { expect, test } from 'vitest';
import { tokenOf } from '../support/app.ts';
import { button, fact, focused, said, useConsole } from './console.ts';
import { look } from './look.ts';

// Accounts that an administrator makes in the console (CONTRACT §2.2).

const { site, repositories, newAddress, addUser, openConsole } = useConsole({
  userFields: {
    company: {},
    score: { type: 'number', editableBy: 'admin' },
    wants_news: { type: 'boolean', label: 'Send me news' },
  },
  roles: ['editor', 'billing'],
});

test('administrators make an account by keyboard, and its owner is invited', async () => {
  const email = newAddress('ada');
  const page = await openConsole();
  await page.getByRole('link', { name: 'New account…' }).press('Enter');
  expect(await focused(page).textContent()).toBe('New account');
  expect(await page.locator('[data-tab="users"]').getAttribute('aria-current')).toBe('page');
  await look(page, 'new account');
  const address = page.getByRole('textbox', { name: 'Email address' });
  await address.press('Enter');
  await page.locator('#new-email-error').getByText('Enter the email address.').waitFor();
  const { email: taken } = await addUser();
  await address.fill(taken);
  await address.press('Enter');
  await page.locator('#new-email-error').filter({ hasText: /./ }).waitFor();
  expect(await address.getAttribute('aria-invalid')).toBe('true');
  await look(page, 'new account, with a taken address');

  await address.fill(email);
  await page.getByRole('textbox', { name: 'Name' }).fill('Ada King');
  await page.locator('#new-own-score').fill('3.5');
  await page.getByRole('checkbox', { name: 'billing' }).locator('visible=true').check();
  await button(page, 'Create account').press('Enter');
  await said(page, `The account is created. An invitation is on its way to ${email}.`);
  await page.getByRole('heading', { name: email }).waitFor();
  expect(await fact(page, 'Name').textContent()).toBe('Ada King');
  expect(await repositories().users.findByEmail(email)).toMatchObject({
    ...{ isVerified: false, hashedPassword: null, isSuperuser: false },
    ...{ fields: { score: 3.5 }, roles: ['billing'] },
  });
  expect(tokenOf(await site.app.nextMail(email))).toBeTruthy();
});

test('an account can be made without an invitation, as verified', async () => {
  const email = newAddress('grace');
  const page = await openConsole('#new-user');
  await page.getByRole('textbox', { name: 'Email address' }).fill(email);
  await page.getByRole('checkbox', { name: 'this address is theirs' }).locator('visible=true').check();
  await page.getByRole('checkbox', { name: 'Email an invitation now' }).uncheck();
  await button(page, 'Create account').click();
  await said(page, 'The account is created. Nothing was sent.');
  expect(await repositories().users.findByEmail(email)).toMatchObject({ isVerified: true, fields: null });
  // The next form is empty again.
  await page.goto(`${site.page('admin')}#new-user`);
  expect(await page.getByRole('textbox', { name: 'Email address' }).inputValue()).toBe('');
  expect(await page.getByRole('checkbox', { name: 'Email an invitation now' }).isChecked()).toBe(true);
});
