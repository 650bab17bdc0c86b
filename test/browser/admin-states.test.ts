import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { newUser } from '../../src/domain/new-user.ts';
import { type Member, signUp } from '../support/app.ts';
import { look } from './look.ts';
import { useSite } from './support.ts';

const site = useSite();
const wide = { width: 1280, height: 800 };

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

test('the list of users is usable by everybody in every state', async () => {
  const page = await site.openSignedIn('me', root.token, { viewport: wide });
  const letGo = await holdAnswers(page);
  await page.goto(site.page('admin#users?size=10'));
  await page.locator('#starting').waitFor();
  await look(page, 'starting');
  await letGo();

  await page.getByRole('navigation', { name: 'Pages of users' }).waitFor();
  await look(page, 'users by pages');
  const again = await holdAnswers(page);
  await page.getByRole('combobox', { name: 'Show' }).selectOption('Disabled');
  await page.locator('#users [aria-busy="true"]').waitFor();
  await look(page, 'users, loading');
  await again();
  await page.getByText('No account matches').waitFor();
  await look(page, 'nobody');
});

test('the list of pending registrations is usable by everybody in every state', async () => {
  const page = await site.openSignedIn('admin', root.token, { viewport: wide });
  await page.locator('#users tbody tr').first().waitFor();
  await page.context().setOffline(true);
  await page.getByRole('link', { name: 'Pending' }).last().click();
  await page.locator('#pending [role="alert"]').filter({ hasText: 'can’t be reached' }).waitFor();
  await look(page, 'a list that cannot be had');
  await page.context().setOffline(false);
  await page.getByRole('button', { name: 'Try again' }).last().click();
  await page.locator('#pending tbody tr').first().waitFor();
  await look(page, 'pending registrations');
  await page.getByRole('button', { name: 'Make account' }).first().click();
  await look(page, 'a question');
});

test('a new link to a pending address is asked for once while the answer is awaited', async () => {
  const page = await site.openSignedIn('admin#pending', root.token, { viewport: wide });
  const button = page.locator('#pending [data-resend]').first();
  await button.waitFor();
  let asked = 0;
  page.on('request', request => {
    if (request.postData()?.includes('resendVerification')) asked++;
  });
  const letGo = await holdAnswers(page);
  await button.press('Enter');
  await page.locator('#pending [data-resend][aria-busy="true"]').press('Enter');
  await letGo();
  await page.locator('#said').filter({ hasText: 'link' }).waitFor();
  expect(asked).toBe(1);
});

test.each(['overview', 'user'])('the focus stays in the view %s that is loaded again', async view => {
  const page = await site.openSignedIn('admin', root.token, { viewport: wide });
  await page.locator('#users tbody tr').first().waitFor();
  await page.context().setOffline(true);
  await page.evaluate(hash => void Object.assign(location, { hash }), `#${view}?id=${userId}`);
  const retry = page.locator(`#${view}`).getByRole('button', { name: 'Try again' });
  await retry.press('Enter');
  await page.locator(`#${view}`).getByRole('alert').waitFor();
  await retry.and(page.locator(':focus')).waitFor();
  await page.context().setOffline(false);
  await retry.press('Enter');
  await page.locator(`#${view} h2:focus`).waitFor();
});

test('an account is usable by everybody in every state', async () => {
  const page = await site.openSignedIn(`admin#user?id=${userId}`, root.token, { viewport: wide });
  await page.getByRole('heading', { name: 'Facts' }).waitFor();
  await page.getByRole('button', { name: 'Unlock' }).click();
  await page.locator('#said').filter({ hasText: 'unlocked' }).waitFor();
  await look(page, 'an account, and what happened');
  const letGo = await holdAnswers(page);
  await page.getByRole('button', { name: 'Unlock' }).click();
  await page.locator('button[aria-busy="true"]').waitFor();
  await look(page, 'a button at work');
  await letGo();
  await page.locator('#said').filter({ hasText: 'unlocked' }).waitFor();

  await page.getByRole('textbox', { name: 'Name' }).fill('x'.repeat(201));
  await page.getByRole('button', { name: 'Save name' }).click();
  await page.locator('#full-name-error').filter({ hasText: '200' }).waitFor();
  await page.getByRole('button', { name: 'Delete account' }).click();
  await page.getByRole('button', { name: 'Delete permanently' }).click();
  await page.context().setOffline(true);
  await look(page, 'an address that was not typed');
  await page.getByRole('dialog').getByRole('textbox').fill(longAddress);
  await page.getByRole('button', { name: 'Delete permanently' }).click();
  await page.getByRole('dialog').getByRole('alert').filter({ hasText: 'reached' }).waitFor();
  await look(page, 'an answer that did not come');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Unlock' }).click();
  await page.locator('#wrong').filter({ hasText: 'reached' }).waitFor();
  await look(page, 'what went wrong');
  await page.context().setOffline(false);

  await page.evaluate("location.hash = '#user?id=nobody'");
  await page.getByText('There is no account').waitFor();
  await look(page, 'an account that is gone');
});

test('the shut door is usable by everybody', async () => {
  const member = await signUp(site.app, `m-${longAddress}`);
  const page = await site.openSignedIn('admin', member.token, { viewport: wide });
  await page.getByRole('heading', { name: 'Administrators only' }).waitFor();
  await look(page, 'turned away');
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
