import { expect, test } from 'vitest';
import { signUp } from '../support/app.ts';
import { count, useConsole } from './console.ts';

const { site, openConsole, openUser } = useConsole({ auditStore: 'database' });

test('a record of an act that changed nothing names no changes', async () => {
  const member = await signUp(site.app);
  await site.app.rest('PATCH', '/me', { full_name: null }, member);
  await site.app.rest('PATCH', '/me', { full_name: 'Ada' }, member);
  const page = await openUser(member.id);
  const records = page.locator('#user-audit li', { hasText: 'Changed the profile' });
  const changes = records.getByText('Changes:').and(page.locator(':visible'));
  expect(await records.count()).toBe(2);
  expect(await changes.allTextContents()).toEqual(['Changes: full_name']);
});

test('what was refused says why in words, with the code beside them', async () => {
  const { app } = site;
  const member = await signUp(app);
  await app.rest('POST', '/login', { email: member.email, password: 'a wrong password' });
  const page = await openUser(member.id);
  const record = page.locator('#user-audit li', { hasText: 'A sign-in with a password' });
  expect(await record.getByText('The address or the password is wrong.').isVisible()).toBe(true);
  expect(await record.locator('code').textContent()).toBe('invalid_credentials');

  await page.goto(site.page('admin#audit'));
  const row = page.locator('#audit tbody tr', { hasText: 'invalid_credentials' }).first();
  await row.waitFor();
  expect(await row.getByText('The address or the password is wrong.').isVisible()).toBe(true);
});

test('a day that is typed is one request and one step in the history', async () => {
  const page = await openConsole('#audit');
  await count(page, /record/);
  let asked = 0;
  page.on('request', request => {
    if (request.postData()?.includes('auditRecords')) asked++;
  });
  const day = page.locator('#audit-from');
  await day.pressSequentially('03042026');
  await page.waitForURL(/from=2026-03-04/);
  await page.locator('#audit [aria-busy="true"]').waitFor({ state: 'detached' });
  expect(asked).toBe(1);
  // A change after the pause is looked for, too, and takes the place of the day before it.
  await day.press('ArrowUp');
  await page.waitForURL(/from=2027-03-04/);
  expect(await day.inputValue()).toBe('2027-03-04');
  await page.goBack();
  await page.waitForURL(/#audit$/);
});

test('each number of the overview stands above its words', async () => {
  const page = await openConsole('#overview');
  await page.locator('#overview .stat-value:visible').first().waitFor();
  const tiles = await page.locator('#overview .stat').evaluateAll(all =>
    all.map(tile => {
      const [value, label] = ['.stat-value', '.stat-label'].map(name => tile.querySelector(name)!);
      return label!.getBoundingClientRect().top >= value!.getBoundingClientRect().bottom;
    }),
  );
  expect(tiles).toEqual([true, true, true]);
});
