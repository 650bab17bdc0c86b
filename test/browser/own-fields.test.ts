import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { User } from '../../src/tables/user.ts';
import { logIn, password } from '../support/app.ts';
import { newAddress } from '../support/people.ts';
import { fact, said } from './console.ts';
import { look } from './look.ts';
import { linkIn, signInBy, useSite } from './support.ts';

// The own fields of an application on the pages (CONTRACT §15.2).

const site = useSite({
  userFields: {
    company: { required: true, maxLength: 20 },
    team_size: { type: 'number' },
    born: { type: 'date', label: 'Date of birth' },
    wants_news: { type: 'boolean', label: 'Send me news' },
    heard_of: { label: 'How did you hear of us?', visibleTo: 'admin' },
    score: { type: 'number', editableBy: 'admin' },
    remark: { editableBy: 'admin', visibleTo: 'admin' },
    hidden_key: { editableBy: 'host', visibleTo: 'host' },
    seen_by_admins: { editableBy: 'host', visibleTo: 'admin' },
  },
  roles: ['editor', 'org:billing'],
});

const narrow = { viewport: { width: 320, height: 640 } };
const create = (page: Page) => page.getByRole('button', { name: 'Create my account' }).click();
const repositories = () => site.app.gatehouse.repositories;
const userAt = async (email: string): Promise<User> => (await repositories().users.findByEmail(email))!;

/** Registers through the API and signs in. */
async function member(): Promise<{ id: string; email: string; token: string }> {
  const email = newAddress();
  await site.app.rest('POST', '/register', { email, password, fields: { company: 'Acme' } });
  const link = new URL(linkIn(await site.app.nextMail(email)));
  const { body } = await site.app.rest('POST', '/verify', { token: link.searchParams.get('token') });
  return { id: body.id, email, token: await logIn(site.app, { email, password }) };
}

test('people give them when they register, and change them in their account', async () => {
  const email = newAddress();
  const page = await site.open('register', narrow);
  await page.getByLabel('Email address').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await create(page);
  await page.getByText('Enter your company.').waitFor();
  await page.getByLabel('Company').fill('A name that is far too long');
  await create(page);
  await page.getByText('Company must have at most 20 characters.').waitFor();
  expect(await page.evaluate('document.activeElement.id')).toBe('own-company');
  await page.getByLabel('Company').fill('Acme');
  await page.getByLabel('Team size').fill('2.5');
  await page.getByLabel('Date of birth').fill('2000-02-29');
  await page.getByLabel('How did you hear of us?').fill('from <b>a friend</b>');
  for (const label of ['Score', 'Remark', 'Hidden key']) expect(await page.getByLabel(label).count()).toBe(0);
  await look(page, 'register, with own fields');
  await create(page);
  await page.getByRole('heading', { name: 'Check your email' }).waitFor();
  await page.goto(linkIn(await site.app.nextMail(email)));
  await page.locator('[data-confirm]').click();
  await page.getByRole('heading', { name: 'Thank you' }).waitFor();
  const heard_of = 'from <b>a friend</b>';
  const fields = { company: 'Acme', team_size: 2.5, born: '2000-02-29', wants_news: false, heard_of };
  expect((await userAt(email)).fields).toEqual(fields);

  await page.goto(site.page('login'));
  await signInBy(page, email, password);
  const panel = (label: string) => page.locator('.panel', { hasText: label });
  const shown = (label: string) => panel(label).locator('.panel-value').textContent();
  expect(await shown('Company')).toBe('Acme');
  expect(await shown('Team size')).toBe('2.5');
  expect(await shown('Date of birth')).toMatch(/29.*2000/);
  expect(await shown('Send me news')).toBe('No');
  // For administrators to set, and for everybody to see.
  expect(await shown('Score')).toBe('Not given');
  expect(await panel('Score').locator('input').count()).toBe(0);
  for (const label of ['How did you hear', 'Remark', 'Hidden key'])
    expect(await panel(label).count()).toBe(0);

  const change = async (label: string, fill: () => Promise<unknown>) => {
    await panel(label).locator('summary').click();
    await fill();
    await panel(label).getByRole('button', { name: 'Save' }).click();
  };
  await change('Send me news', () => page.getByRole('checkbox', { name: 'Send me news' }).check());
  await page.getByText('Send me news is saved.').waitFor();
  expect(await shown('Send me news')).toBe('Yes');
  await change('Date of birth', () => page.getByLabel('Date of birth').fill(''));
  await page.getByText('Date of birth is saved.').waitFor();
  expect(await shown('Date of birth')).toBe('Not given');
  await change('Company', () => page.getByLabel('Company').fill(''));
  await page.getByText('Enter your company.').waitFor();
  await page.evaluate("for (const panel of document.querySelectorAll('details')) panel.open = true");
  await look(page, 'me, with own fields');
  const { born: _, ...others } = fields;
  expect((await userAt(email)).fields).toEqual({ ...others, wants_news: true });
});

test('administrators see and set them and the roles, and find accounts by role', async () => {
  const [root, someone] = [await member(), await member()];
  await repositories().users.change(root.id, { set: { isSuperuser: true } });
  await repositories().users.change(someone.id, { fields: { seen_by_admins: 'from the host' } });
  const page = await site.openSignedIn(`admin#user?id=${someone.id}`, root.token);
  await page.getByRole('heading', { name: 'Facts' }).waitFor();
  expect(await fact(page, 'Seen by admins').textContent()).toBe('from the host');
  expect(await page.getByText('Hidden key').count()).toBe(0);
  const own = page.locator('form', { has: page.locator('#user-own-save') });
  expect(await own.getByLabel('Company').inputValue()).toBe('Acme');
  await own.getByLabel('Remark').fill('knows <i>everybody</i>');
  await own.getByLabel('Score').fill('7');
  await own.getByRole('checkbox', { name: 'org:billing' }).check();
  // Changes that the owner makes meanwhile stay.
  await site.app.rest('PATCH', '/me', { fields: { company: 'Other', wants_news: true } }, someone);
  await page.locator('#user-own-save').click();
  await said(page, 'Saved.');
  expect(await own.getByLabel('Company').inputValue()).toBe('Other');
  expect(await own.getByRole('checkbox', { name: 'Send me news' }).isChecked()).toBe(true);
  expect(await userAt(someone.email)).toMatchObject({
    fields: { company: 'Other', wants_news: true, remark: 'knows <i>everybody</i>', score: 7 },
    roles: ['org:billing'],
  });
  await own.getByLabel('Company').fill('x'.repeat(21));
  await page.locator('#user-own-save').click();
  await page.getByText('It must have at most 20 characters.').waitFor();
  await look(page, 'admin, an account with own fields');

  await page.locator('#user-back').click();
  await page.locator('#users-show').selectOption('Role: org:billing');
  await page.getByText('1 user', { exact: true }).waitFor();
  expect(await page.locator('#users .admin-open').allTextContents()).toEqual([someone.email]);
  await page.reload();
  await page.getByText('1 user', { exact: true }).waitFor();
  await page.locator('#users-show').selectOption('Role: editor');
  await page.getByText('No account matches.').waitFor();
});
