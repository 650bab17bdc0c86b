import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { newUser } from '../../src/services/new-user.ts';
import { type Member, signUp } from '../support/app.ts';
import { useSite } from './support.ts';

const site = useSite();
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const wide = { width: 1280, height: 800 };
const narrow = { width: 320, height: 640 };

let root: Member;
let userId: string;
const longAddress = `${'a-rather-long-local-part'.repeat(2)}@${'sub.'.repeat(10)}example.org`;
beforeAll(async () => {
  const { app } = site;
  const { users } = app.gatehouse.repositories;
  root = await signUp(app, 'root@example.org');
  await users.change(root.id, { set: { isSuperuser: true } });
  for (let i = 0; i < 11; i++) {
    const fullName = i === 0 ? 'Donaudampfschifffahrtsgesellschaftskapitän'.repeat(2) : `User ${i}`;
    const email = i === 0 ? longAddress : `user-${i}@example.org`;
    const user = newUser(app.clock.now(), { email, fullName, hashedPassword: null, isVerified: false });
    await users.add({ ...user, isSuperuser: i === 0, isMfaEnabled: true, phoneNumber: '+4915112345678' });
    if (i === 0) userId = user.id;
  }
  for (const email of [`pending-${longAddress}`, 'pending@example.org'])
    await app.rest('POST', '/register', { email, password: 'correct horse battery', full_name: 'Somebody' });
});

/** Nothing serious for people with a disability, in light and dark, nor anything to scroll sideways for. */
async function expectUsable(page: Page, state: string): Promise<void> {
  await page.evaluate(axe);
  const found = await page.evaluate<string[]>(`axe.run({ resultTypes: ['violations'] }).then(complaintsOf);
    function complaintsOf({ violations }) {
      return violations.filter(it => ['serious', 'critical'].includes(it.impact)).flatMap(({ id, nodes }) =>
        nodes.map(node => id + ' ' + node.target + ' ' + node.failureSummary)) }`);
  expect(found, state).toEqual([]);
  await page.emulateMedia({ colorScheme: 'dark' });
  const dark = await page.evaluate<
    string[]
  >(`axe.run({ runOnly: ['color-contrast'] }).then(({ violations }) =>
    violations.flatMap(({ nodes }) => nodes.map(node => node.target + ' ' + node.failureSummary)))`);
  await page.emulateMedia({ colorScheme: 'light' });
  expect(dark, `${state}, in the dark`).toEqual([]);
  await page.setViewportSize(narrow);
  expect(await sideways(page), `${state}, 320 px`).toEqual([]);
  await page.evaluate("document.documentElement.style.fontSize = '200%'");
  expect(await sideways(page), `${state}, 320 px and text at 200 %`).toEqual([]);
  await page.setViewportSize(wide);
  expect(await sideways(page), `${state}, text at 200 %`).toEqual([]);
  await page.evaluate("document.documentElement.style.fontSize = ''");
}

/** What stands beyond the right edge. */
const sideways = (page: Page) =>
  page.evaluate<string[]>(`(() => {
    const { clientWidth, scrollWidth } = document.documentElement;
    if (scrollWidth <= clientWidth) return [];
    return [...document.body.querySelectorAll('*')].filter(it => it.getBoundingClientRect().right > clientWidth)
      .map(it => it.tagName + '#' + it.id + '.' + it.className);
  })()`);

/** Lets the answers to requests wait until it is called. */
async function holdAnswers(page: Page): Promise<() => Promise<void>> {
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route('**/graphql', async route => {
    await promise;
    await route.continue();
  });
  return async () => {
    resolve();
    await page.unrouteAll({ behavior: 'wait' });
  };
}

test('every state of the lists is usable by everybody', async () => {
  const page = await site.openSignedIn('me', root.token, { viewport: wide });
  const letGo = await holdAnswers(page);
  await page.goto(site.page('admin'));
  await page.locator('#starting').waitFor();
  await expectUsable(page, 'starting');
  await letGo();

  await page.locator('#users tbody tr').first().waitFor();
  await expectUsable(page, 'users');
  await page.getByRole('combobox', { name: 'Per page' }).selectOption('10');
  await page.getByRole('navigation', { name: 'Pages of users' }).waitFor();
  await expectUsable(page, 'users by pages');
  const again = await holdAnswers(page);
  await page.getByRole('combobox', { name: 'Show' }).selectOption('Disabled');
  await page.locator('#users [aria-busy="true"]').waitFor();
  await expectUsable(page, 'users, loading');
  await again();
  await page.getByText('Nobody fits').waitFor();
  await expectUsable(page, 'nobody');

  await page.context().setOffline(true);
  await page.getByRole('link', { name: 'Pending' }).last().click();
  await page.locator('#pending [role="alert"]').waitFor();
  await expectUsable(page, 'a list that cannot be had');
  await page.context().setOffline(false);
  await page.getByRole('button', { name: 'Try again' }).last().click();
  await page.locator('#pending tbody tr').first().waitFor();
  await expectUsable(page, 'pending registrations');
  await page.getByRole('button', { name: 'Make account' }).first().click();
  await expectUsable(page, 'a question');
});

test('every state of an account is usable by everybody', async () => {
  const page = await site.openSignedIn(`admin#user?id=${userId}`, root.token, { viewport: wide });
  await page.getByRole('heading', { name: 'Facts' }).waitFor();
  await page.getByRole('button', { name: 'Unlock' }).click();
  await page.locator('#said').filter({ hasText: 'unlocked' }).waitFor();
  await expectUsable(page, 'an account, and what happened');
  const letGo = await holdAnswers(page);
  await page.getByRole('button', { name: 'Unlock' }).click();
  await page.locator('button[aria-busy="true"]').waitFor();
  await expectUsable(page, 'a button at work');
  await letGo();
  await page.locator('#said').filter({ hasText: 'unlocked' }).waitFor();

  await page.getByRole('textbox', { name: 'Name' }).fill('x'.repeat(201));
  await page.getByRole('button', { name: 'Save name' }).click();
  await page.locator('#full-name-error').filter({ hasText: '200' }).waitFor();
  await page.getByRole('button', { name: 'Delete account' }).click();
  await page.getByRole('button', { name: 'Delete for good' }).click();
  await page.context().setOffline(true);
  await expectUsable(page, 'an address that was not typed');
  await page.getByRole('dialog').getByRole('textbox').fill(longAddress);
  await page.getByRole('button', { name: 'Delete for good' }).click();
  await page.getByRole('dialog').getByRole('alert').filter({ hasText: 'reached' }).waitFor();
  await expectUsable(page, 'an answer that did not come');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Unlock' }).click();
  await page.locator('#wrong').filter({ hasText: 'reached' }).waitFor();
  await expectUsable(page, 'what went wrong');
  await page.context().setOffline(false);

  await page.evaluate("location.hash = '#user?id=nobody'");
  await page.getByText('There is no account').waitFor();
  await expectUsable(page, 'an account that is gone');
});

test('the shut door is usable by everybody', async () => {
  const member = await signUp(site.app, `m-${longAddress}`);
  const page = await site.openSignedIn('admin', member.token, { viewport: wide });
  await page.getByRole('heading', { name: 'Superusers only' }).waitFor();
  await expectUsable(page, 'turned away');
});

test('everything can be done by keyboard, and the focus is always to be seen', async () => {
  const page = await site.openSignedIn('admin', root.token, { viewport: wide });
  await page.locator('#users tbody tr').first().waitFor();
  const name = () =>
    page.evaluate<string>(
      '(it => it.labels?.[0]?.textContent ?? it.textContent.trim())(document.activeElement).trim()',
    );
  /** Presses Tab until the element of this name has the focus; each on the way shows that it has it. */
  async function tabTo(wanted: string): Promise<void> {
    for (let i = 0; i < 60; i++) {
      await page.keyboard.press('Tab');
      const now = await name();
      const style =
        "(s => s.outlineStyle !== 'none' || getComputedStyle(document.activeElement, '::after').outlineStyle !== 'none')";
      expect(await page.evaluate(`${style}(getComputedStyle(document.activeElement))`), now).toBe(true);
      if (now.startsWith(wanted)) return;
    }
    throw new Error(`Tab never comes to ${wanted}.`);
  }

  await tabTo('Skip to the content');
  await page.keyboard.press('Enter');
  await tabTo('Search');
  await page.keyboard.type('user-7');
  await page.keyboard.press('Enter');
  await page.locator('#users [data-part="count"]').filter({ hasText: '1 user' }).waitFor();
  await tabTo('user-7@example.org');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'user-7@example.org' }).waitFor();
  await tabTo('Disable…');
  await page.keyboard.press('Enter');
  expect(await name()).toBe('Cancel');
  await tabTo('Disable');
  await page.keyboard.press('Enter');
  await page.locator('#said').filter({ hasText: 'disabled' }).waitFor();
  await expect.poll(name).toBe('Enable');
  await tabTo('Delete account…');
  await page.keyboard.press('Space');
  await page.keyboard.type('user-7@example.org');
  await page.keyboard.press('Enter');
  await page.locator('#said').filter({ hasText: 'was deleted' }).waitFor();
  expect(await name()).toBe('Users');
});
