import { expect, test } from 'vitest';
import { button, count, said, useConsole } from '../../browser/console.ts';
import { look } from '../../browser/look.ts';
import { logIn, password, signUp } from '../../support/app.ts';

const { site, openConsole } = useConsole({ auditStore: 'database' });
const headers = { 'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0' };

test('administrators look records up by what they know, and go on from one to its account', async () => {
  const { id, email, token } = await signUp(site.app);
  for (let i = 0; i < 12; i++) await site.app.rest('PATCH', '/me', { full_name: 'Ada' }, { token });
  await site.app.rest('POST', '/login', { email, password: 'a wrong one' });
  await site.app.rest('POST', '/login', { email, password: 'a wrong one' });
  const page = await openConsole();
  await page.getByRole('link', { name: 'Audit' }).click();
  await page.locator('#audit tbody tr').first().waitFor();
  expect(await page.locator('[data-tab="audit"]').getAttribute('aria-current')).toBe('page');
  await page.getByRole('textbox', { name: 'Account' }).fill(email.toUpperCase());
  await page.getByRole('combobox', { name: 'Act', exact: true }).selectOption('A sign-in with a password');
  await button(page, 'Find').click();
  await count(page, '2 records');
  const [refused, done] = [page.locator('#audit tbody tr').first(), page.locator('#audit tbody tr').last()];
  expect(await refused.textContent()).toMatch(
    /A sign-in with a password[\s\S]*invalid_credentials[\s\S]*2 times/,
  );
  expect(await done.textContent()).toMatch(/Signed in with a password/);
  expect(await done.getByRole('link', { name: email }).count()).toBe(1);
  expect(await refused.getByText('Refused', { exact: true }).isVisible()).toBe(true);
  expect(await done.getByText('Done', { exact: true }).isVisible()).toBe(true);
  await look(page, 'audit records');

  await page.getByRole('combobox', { name: 'Act', exact: true }).selectOption('Changing the profile');
  await button(page, 'Find').click();
  await count(page, '12 records');
  await page.getByRole('combobox', { name: 'Per page' }).selectOption('10');
  await count(page, '10 records, page 1');
  await button(page, 'Next').click();
  await count(page, '2 records, page 2');
  await page.reload();
  await count(page, '2 records, page 2');
  expect(await page.getByRole('textbox', { name: 'Account' }).inputValue()).toBe(email.toUpperCase());
  await page.getByRole('combobox', { name: 'Show' }).selectOption('Failed');
  await page.getByText('No record matches. Filter by less.').waitFor();
  await page.getByRole('combobox', { name: 'Show' }).selectOption('What was done');
  await page.locator('#audit tbody').getByRole('link', { name: email }).first().click();
  await page.getByRole('heading', { name: 'Facts' }).waitFor();
  await page.getByRole('heading', { name: email }).waitFor();
  // Its page has its own acts, and no look of an administrator.
  const own = page.locator('#user-audit li');
  await own.first().waitFor();
  expect(await own.count()).toBe(10);
  expect(await own.first().textContent()).toMatch(/A sign-in with a password[\s\S]*2 times/);
  expect(await own.nth(1).textContent()).toMatch(/Changed the profile/);
  expect(await own.filter({ hasText: 'Looked' }).count()).toBe(0);
  await look(page, 'an account with what happened');
  await button(page, 'Unlock').click();
  await said(page, 'The account is unlocked.');
  await own.filter({ hasText: 'Unlocked the account' }).waitFor();
  await page.getByRole('link', { name: 'What was recorded' }).click();
  await count(page, /records/);
  expect(await page.getByRole('textbox', { name: 'Account' }).inputValue()).toBe(id);
});

test('administrators see their own looks only when they ask for them', async () => {
  const page = await openConsole('#audit');
  await page.getByRole('combobox', { name: 'Act', exact: true }).waitFor();
  const looked = page.locator('#audit tbody tr').filter({ hasText: 'Looked at audit records' });
  await count(page, /record|^0/);
  expect(await looked.count()).toBe(0);
  await page.getByRole('combobox', { name: 'Show' }).selectOption('Looks, too');
  await looked.first().waitFor();
});

test('people see what was done with their account, in words, as far back as they like', async () => {
  const member = await signUp(site.app);
  const { email, token } = member;
  await site.app.rest('POST', '/login', { email, password }, { headers });
  await site.app.rest('POST', '/login', { email, password: 'a wrong one' }, { headers });
  for (let i = 0; i < 20; i++) await site.app.rest('PATCH', '/me', { full_name: 'Ada' }, { token });
  const page = await site.openSignedIn('me', await logIn(site.app, member));
  await page.getByText('Activity', { exact: true }).click();
  const acts = page.locator('[data-activity] > li');
  await acts.first().waitFor();
  expect(await acts.count()).toBe(20);
  expect(await acts.first().textContent()).toContain('You signed in with a password');
  expect(await acts.nth(1).textContent()).toContain('You changed your profile');
  await button(page, 'Show earlier').click();
  await acts.nth(22).waitFor();
  const refused = acts.filter({ hasText: 'A sign-in with a password was refused' });
  expect(await refused.textContent()).toContain('Firefox on Linux');
  expect(await acts.filter({ hasText: 'You signed in with a password' }).count()).toBe(3);
  await button(page, 'Show earlier').waitFor({ state: 'hidden' });
  expect(await acts.filter({ hasText: 'Something else' }).count()).toBe(0);
  await look(page, 'the activity of an account');
});
