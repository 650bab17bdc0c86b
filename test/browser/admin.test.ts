import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { GatehouseError } from '../../src/errors.ts';
import { password, signUp, tokenOf } from '../support/app.ts';
import { addresses, button, count, dialogOf, focused, said, useConsole } from './console.ts';

const administration = useConsole();

const { site, repositories, newAddress, addSuperuser, addUser, addUsers, openConsole, openUser } =
  administration;

describe('the door of the console', () => {
  test('leads people without a session to the login page, and back to the place', async () => {
    const { tag, emails } = await addUsers(1);
    const page = await site.open(`admin#users?search=${tag}`);
    await page.waitForURL('**/login?*');
    expect(new URL(page.url()).searchParams.get('next')).toBe('/account/admin');
    expect(page.url()).not.toContain(tag);
    await page.getByLabel('Email').fill(administration.root.email);
    await page.getByLabel('Password', { exact: true }).fill(administration.root.password);
    await page.locator('[type=submit]:enabled').waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL('**/admin#*');
    await count(page, '1 user');
    expect(await addresses(page)).toEqual(emails);
  });

  test('tells somebody who is no superuser why it stays shut, and how to get in', async () => {
    const member = await signUp(site.app);
    const page = await site.openSignedIn('admin', member.token);
    await page.getByRole('heading', { name: 'Administrators only' }).waitFor();
    expect(await page.locator('main').textContent()).toContain(`svc create-admin --email '${member.email}'`);
    expect(await page.locator('#console').isVisible()).toBe(false);
    await repositories().users.change(member.id, { set: { isSuperuser: true } });
    await page.reload();
    await page.locator('#console').waitFor();
  });

  test('shuts for a superuser who is demoted meanwhile', async () => {
    const other = await addSuperuser(newAddress());
    const page = await openConsole('', other);
    await count(page, /user/);
    await repositories().users.change(other.id, { set: { isSuperuser: false } });
    await page.getByRole('link', { name: 'Pending', exact: false }).first().click();
    await page.getByRole('heading', { name: 'Administrators only' }).waitFor();
  });

  test('leads to the login page when the session has ended', async () => {
    const other = await addSuperuser(newAddress());
    const page = await openConsole('', other);
    await count(page, /user/);
    await page.locator('#figures li').filter({ hasText: /\d/ }).first().waitFor();
    await repositories().users.change(other.id, { cutOffAt: site.app.clock.now() });
    await page.getByRole('link', { name: 'Administrators' }).click();
    await page.waitForURL('**/login?*');
    expect(await page.evaluate("localStorage.getItem('svc.access_token')")).toBeNull();
  });

  test('lets a superuser out, also while the list is on its way: the session is over everywhere', async () => {
    const other = await addSuperuser(newAddress());
    const page = await openConsole('#users', other);
    await count(page, /users/);
    const [list, login] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await page.route('**/graphql', async route => {
      if (route.request().postData()?.includes('users(')) await list.promise;
      await route.continue();
    });
    await page.route(
      url => url.pathname.endsWith('/login'),
      async route => {
        await login.promise;
        await route.continue();
      },
    );
    await page.getByRole('searchbox', { name: 'Search' }).fill('late');
    await page.getByRole('searchbox', { name: 'Search' }).press('Enter');
    const leaves = page.waitForRequest('**/login');
    // The click may wait for the page that it leads to.
    const clicked = button(page, 'Sign out').click();
    await leaves;
    // The refusal of the list leads there, too, in place of the first time.
    const again = page.waitForRequest('**/login');
    list.resolve();
    await again;
    login.resolve();
    await clicked;
    await page.waitForURL('**/login');
    await page.getByText('You are signed out.').waitFor();
    expect(await page.evaluate("localStorage.getItem('svc.access_token')")).toBeNull();
    const me = await site.app.rest('GET', '/me', undefined, { token: other.token });
    expect(me.status).toBe(401);
  });
});

describe('the list of users', () => {
  test('is searched as letters are typed and at once with Enter, and the address keeps the search', async () => {
    const { tag, emails } = await addUsers(2);
    const page = await openConsole();
    await count(page, /users/);
    const search = page.getByRole('searchbox', { name: 'Search' });
    await search.pressSequentially(tag);
    await count(page, '2 users');
    expect(await addresses(page)).toEqual(emails.toReversed());
    // Without the event of a key, so that only Enter searches.
    await search.evaluate((field, value) => void Object.assign(field, { value }), `01-${tag}`);
    await search.press('Enter');
    await count(page, '1 user');
    expect(new URL(page.url()).hash).toBe(`#users?search=01-${tag}`);
    await page.reload();
    await count(page, '1 user');
    expect(await search.inputValue()).toBe(`01-${tag}`);
    await page.goBack();
    await count(page, '2 users');
    expect(await search.inputValue()).toBe(tag);
    await search.fill(`nobody-${tag}`);
    await page.getByText('No account matches').waitFor();
  });

  test('is turned page by page, forth and back, and the focus stays on the button', async () => {
    const { tag, emails } = await addUsers(23);
    const newestFirst = emails.toReversed();
    const page = await openConsole(`#users?search=${tag}&size=10`);
    await count(page, '10 of 23 users');
    await button(page, 'Next').focus();
    await page.keyboard.press('Enter');
    await count(page, '10 of 23 users, page 2');
    expect(await addresses(page)).toEqual(newestFirst.slice(10, 20));
    expect(await focused(page).textContent()).toBe('Next');
    await page.reload();
    await count(page, '10 of 23 users, page 2');
    await button(page, 'Next').click();
    await count(page, '3 of 23 users, page 3');
    expect(await button(page, 'Next').getAttribute('aria-disabled')).toBe('true');
    await button(page, 'Previous').click();
    await count(page, '10 of 23 users, page 2');
    await button(page, 'Previous').click();
    await count(page, /^10 of 23 users$/);
    expect(await addresses(page)).toEqual(newestFirst.slice(0, 10));
    await page.goBack();
    await count(page, '10 of 23 users, page 2');
    await page.getByRole('combobox', { name: 'Per page' }).selectOption('200');
    await count(page, '23 users');
  });

  test('says where a search finds more than the service counts', async () => {
    const { tag } = await addUsers(2);
    const page = await openConsole();
    await page.route('**/graphql', async route => {
      const response = await route.fetch();
      const text = (await response.text()).replace('"total":2', '"total":1000');
      await route.fulfill({ response, body: text });
    });
    await page.getByRole('searchbox', { name: 'Search' }).fill(tag);
    await count(page, '2 of at least 1,000 users');
  });

  test('shows its first page when the page it was on is empty by now', async () => {
    const { tag, emails } = await addUsers(11);
    const { users } = repositories();
    const page = await openConsole(`#users?search=${tag}&size=10`);
    await count(page, '10 of 11 users');
    await button(page, 'Next').click();
    await count(page, '1 of 11 users, page 2');
    await users.remove((await users.findByEmail(emails[0]!))!.id);
    await page.reload();
    await count(page, '10 users');
  });

  test('is cut down to those who are of a kind', async () => {
    const { tag, emails } = await addUsers(4);
    const { users } = repositories();
    const [first, second, third] = await Promise.all(emails.map(email => users.findByEmail(email)));
    await users.change(first!.id, { set: { isActive: false } });
    await users.change(second!.id, { set: { isSuperuser: true } });
    await users.change(third!.id, {
      set: { isVerified: false, isMfaEnabled: true, phoneNumber: '+4915112345678' },
    });
    const page = await openConsole(`#users?search=${tag}`);
    const kinds = page.getByRole('combobox', { name: 'Show' });
    const expected = {
      Disabled: [emails[0]],
      Administrators: [emails[1]],
      'Not verified': [emails[2]],
      'With a second factor': [emails[2]],
      Active: [emails[3], emails[2], emails[1]],
      Verified: [emails[3], emails[1], emails[0]],
      Everybody: emails.toReversed(),
    };
    for (const [kind, found] of Object.entries(expected)) {
      await kinds.selectOption(kind);
      await expect.poll(() => addresses(page)).toEqual(found);
    }
    await page.getByRole('link', { name: 'Administrators' }).click();
    expect(await kinds.inputValue()).toBe('superusers');
  });

  test('leads to an account and back to where it was, with the focus', async () => {
    const { tag, emails } = await addUsers(3);
    const page = await openConsole(`#users?search=${tag}`);
    await page.getByRole('link', { name: emails[1]! }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: emails[1]! }).waitFor();
    expect(await focused(page).textContent()).toBe(emails[1]);
    await page.goBack();
    await expect.poll(() => focused(page).textContent()).toBe(emails[1]);
    await page.goForward();
    await page.getByRole('heading', { name: emails[1]! }).waitFor();
    await page.getByRole('link', { name: 'Back to the list' }).click();
    await count(page, '3 users');
    expect(page.url()).toContain(tag);
  });
});

test('a pending registration gets another mail, and the link of the first is dead', async () => {
  const email = `${randomUUID().slice(0, 8)}@example.org`;
  await site.app.rest('POST', '/register', { email, password: 'correct horse battery' });
  const first = tokenOf(await site.app.nextMail(email));
  const page = await openConsole(`#pending?search=${email}`);
  await count(page, '1 pending registration');
  await button(page, `Resend to ${email}`).click();
  await said(page, `A new link is on its way to ${email}, unless it has had too many within this hour.`);
  const second = tokenOf(await site.app.nextMail(email));
  expect((await site.app.rest('POST', '/verify', { token: first })).status).toBe(400);
  expect((await site.app.rest('POST', '/verify', { token: second })).status).toBe(200);
});

test('a registration that is contested says so, and becomes an account without a password', async () => {
  const tag = randomUUID().slice(0, 8);
  const [plain, contested] = ['plain', 'contested'].map(name => `${name}-${tag}@example.org`);
  for (const email of [plain, contested, contested]) {
    await site.app.rest('POST', '/register', { email, password: 'correct horse battery' });
  }
  const page = await openConsole(`#pending?search=${tag}`);
  await count(page, '2 pending registrations');
  const badge = page.getByText('Registered more than once').filter({ visible: true });
  expect(await badge.count()).toBe(1);
  expect(await page.locator('tr').filter({ has: badge }).textContent()).toContain(contested);
  await button(page, `Make account… of ${contested}`).click();
  await dialogOf(page).getByText('the account gets no password').waitFor();
  await dialogOf(page).getByRole('button', { name: 'Make account' }).click();
  await said(page, `${contested} is a verified account now.`);
  expect(await repositories().users.findByEmail(contested!)).toMatchObject({ hashedPassword: null });
});

test('a pending registration becomes an account, unless somebody was faster', async () => {
  const tag = randomUUID().slice(0, 8);
  const emails = ['one', 'two', 'three'].map(name => `${name}-${tag}@example.org`);
  for (const email of emails) await site.app.rest('POST', '/register', { email, password });
  const page = await openConsole(`#pending?search=${tag}`);
  await count(page, '3 pending registrations');
  await button(page, `Make account… of ${emails[0]}`).click();
  await dialogOf(page).getByRole('button', { name: 'Make account' }).click();
  await said(page, `${emails[0]} is a verified account now.`);
  await count(page, '2 pending registrations');
  expect((await site.app.rest('POST', '/login', { email: emails[0], password })).status).toBe(200);

  await repositories().pending.remove(emails[1]!);
  await button(page, `Make account… of ${emails[1]}`).click();
  await dialogOf(page).getByRole('button', { name: 'Make account' }).click();
  await dialogOf(page).getByRole('alert').filter({ hasText: 'no longer exists' }).waitFor();
  await dialogOf(page).getByRole('button', { name: 'Cancel' }).click();
  await count(page, '1 pending registration');

  await addUser({ email: emails[2]! });
  await button(page, `Make account… of ${emails[2]}`).click();
  await dialogOf(page).getByRole('button', { name: 'Make account' }).click();
  await dialogOf(page).getByRole('alert').filter({ hasText: 'already exists' }).waitFor();
});

describe('what goes wrong', () => {
  test('keeps the last superuser, and says why', async () => {
    const { users } = repositories();
    const superusers = await users.list({ kind: { isSuperuser: true } });
    for (const { id } of superusers)
      if (id !== administration.root.id) await users.change(id, { set: { isSuperuser: false } });
    const page = await openUser(administration.root.id);
    await button(page, 'Disable…').click();
    await dialogOf(page).getByRole('button', { name: 'Disable' }).click();
    await dialogOf(page).getByRole('alert').filter({ hasText: 'last active administrator' }).waitFor();
    await page.keyboard.press('Escape');
    await dialogOf(page).waitFor({ state: 'hidden' });
    expect(await users.find(administration.root.id)).toMatchObject({ isActive: true });
  });

  test('says that a dependency is down, and goes on when it is back', async () => {
    const { users } = repositories();
    const { listAndCount, change } = users;
    const { email } = await addUser();
    const page = await openConsole(`#users?search=${email}`);
    await count(page, '1 user');
    const down = () => Promise.reject(new GatehouseError('unavailable', { retryAfterSeconds: 7 }));
    const tryAgain = { hasText: 'Try again in 7 seconds.' };
    users.listAndCount = down;
    users.change = down;
    try {
      await button(page, 'Search').click();
      await page.getByRole('alert').filter(tryAgain).waitFor();
      users.listAndCount = listAndCount;
      await button(page, 'Try again').click();
      await count(page, '1 user');
      await page.getByRole('link', { name: email }).click();
      await button(page, 'Disable…').click();
      await dialogOf(page).getByRole('button', { name: 'Disable' }).click();
      await dialogOf(page).getByRole('alert').filter(tryAgain).waitFor();
      expect(await page.locator('#user .badge:visible').allTextContents()).toEqual(['Active']);
    } finally {
      Object.assign(users, { listAndCount, change });
    }
    await dialogOf(page).getByRole('button', { name: 'Disable' }).click();
    await said(page, 'The account is disabled.');
  });
});
