import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { GatehouseError } from '../../src/errors.ts';
import { newUser } from '../../src/services/new-user.ts';
import { type Member, signUp } from '../support/app.ts';
import { useSite } from './support.ts';

const site = useSite();
const repositories = () => site.app.gatehouse.repositories;
const newAddress = (name = 'someone') => `${name}-${randomUUID().slice(0, 8)}@example.org`;

let root: Member;
beforeAll(async () => {
  root = await addSuperuser(newAddress('root'));
});

async function addSuperuser(email: string): Promise<Member> {
  const member = await signUp(site.app, email);
  await repositories().users.change(member.id, { set: { isSuperuser: true } });
  return member;
}

interface Someone {
  email?: string;
  fullName?: string | null;
  isVerified?: boolean;
}

/** Stores a user without the price of a password; each is a little newer than the one before. */
async function addUser({ email = newAddress(), fullName = null, isVerified = true }: Someone = {}) {
  site.app.clock.advance(1000);
  const user = newUser(site.app.clock.now(), { email, fullName, hashedPassword: null, isVerified });
  await repositories().users.add(user);
  return user;
}

/** So many users of one name, which a search finds; oldest first. */
async function addUsers(count: number): Promise<{ tag: string; emails: string[] }> {
  const tag = randomUUID().slice(0, 8);
  const emails = Array.from(
    { length: count },
    (_, i) => `${String(i + 1).padStart(2, '0')}-${tag}@example.org`,
  );
  for (const email of emails) await addUser({ email });
  return { tag, emails };
}

/** The console at a place, for a superuser. */
async function openConsole(place = '', { token } = root): Promise<Page> {
  const page = await site.openSignedIn(`admin${place}`, token);
  await page.locator('#console').waitFor();
  return page;
}

/** Opens the account of a user and waits for its facts. */
async function openUser(id: string, member = root): Promise<Page> {
  const page = await openConsole(`#user?id=${id}`, member);
  await page.getByRole('heading', { name: 'Facts' }).waitFor();
  return page;
}

const button = (page: Page, name: string | RegExp) =>
  page.getByRole('button', { name }).and(page.locator(':visible'));
const dialogOf = (page: Page) => page.getByRole('dialog');
const said = (page: Page, text: string | RegExp) => page.locator('#said').filter({ hasText: text }).waitFor();
const count = (page: Page, text: string | RegExp) =>
  page.locator('[data-part="count"]:visible').filter({ hasText: text }).waitFor();
const addresses = (page: Page) => page.locator('#users tbody tr a').allTextContents();
const fact = (page: Page, name: string) =>
  page
    .locator('.facts dt')
    .filter({ hasText: new RegExp(`^${name}$`) })
    .locator('xpath=following-sibling::dd[1]');
const focused = (page: Page) => page.locator(':focus');
const figure = async (page: Page, name: string) => {
  const text = await page.locator('#figures li').filter({ hasText: name }).first().textContent();
  return Number(/\d+/.exec(text ?? '')?.[0]);
};

describe('the door of the console', () => {
  test('leads whoever is not signed in to the login page, and back to the place', async () => {
    const { tag, emails } = await addUsers(1);
    const page = await site.open(`admin#users?search=${tag}`);
    await page.waitForURL('**/login?*');
    expect(new URL(page.url()).searchParams.get('next')).toBe('/account/admin');
    expect(page.url()).not.toContain(tag);
    await page.getByLabel('Email').fill(root.email);
    await page.getByLabel('Password', { exact: true }).fill(root.password);
    await page.locator('[type=submit]:enabled').waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL('**/admin#*');
    await count(page, '1 user');
    expect(await addresses(page)).toEqual(emails);
  });

  test('tells somebody who is no superuser why it stays shut, and how to get in', async () => {
    const member = await signUp(site.app);
    const page = await site.openSignedIn('admin', member.token);
    await page.getByRole('heading', { name: 'Superusers only' }).waitFor();
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
    await page.getByRole('heading', { name: 'Superusers only' }).waitFor();
  });

  test('leads to the login page when the session has ended', async () => {
    const other = await addSuperuser(newAddress());
    const page = await openConsole('', other);
    await count(page, /user/);
    await repositories().users.change(other.id, { cutOffAt: site.app.clock.now() });
    await page.getByRole('link', { name: 'Superusers' }).click();
    await page.waitForURL('**/login?*');
    expect(await page.evaluate("localStorage.getItem('svc.access_token')")).toBeNull();
  });

  test('lets a superuser out: the session is over everywhere', async () => {
    const other = await addSuperuser(newAddress());
    const page = await openConsole('#users?search=secret', other);
    await button(page, 'Sign out').click();
    await page.waitForURL('**/login');
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
    await search.fill(`01-${tag}`);
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
    await page.getByText('Nobody fits').waitFor();
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
      const text = (await response.text()).replace('"totalCount":2', '"totalCount":10000');
      await route.fulfill({ response, body: text });
    });
    await page.getByRole('searchbox', { name: 'Search' }).fill(tag);
    await count(page, '2 of at least 10,000 users');
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
      Superusers: [emails[1]],
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
    await page.getByRole('link', { name: 'Superusers' }).click();
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

describe('an account', () => {
  test('shows every fact', async () => {
    const { id, email } = await addUser({ fullName: 'Ada Lovelace' });
    const at = (iso: string) => new Date(iso);
    await repositories().users.change(id, {
      set: { phoneNumber: '+4915112345678', isMfaEnabled: true, lastLogin: at('2039-05-06T07:08:09.123Z') },
      cutOffAt: at('2039-06-07T08:09:10.456Z'),
    });
    const page = await openUser(id);
    expect(await fact(page, 'Address').textContent()).toContain(email);
    expect(await fact(page, 'Name').textContent()).toBe('Ada Lovelace');
    expect(await fact(page, 'Phone').textContent()).toBe('+4915112345678');
    expect(await fact(page, 'Second factor').textContent()).toContain('On');
    expect(await fact(page, 'Id').textContent()).toBe(id);
    const moments = await page
      .locator('.facts time')
      .evaluateAll(all => all.map(time => time.getAttribute('datetime')));
    const { createdAt, updatedAt } = (await repositories().users.find(id))!;
    expect(moments).toEqual([
      ...[createdAt.toISOString(), updatedAt.toISOString()],
      ...['2039-05-06T07:08:09.123Z', '2039-06-07T08:09:10.456Z'],
    ]);
  });

  test('is disabled and enabled, after a question that can be left', async () => {
    const member = await signUp(site.app);
    const page = await openUser(member.id);
    await button(page, 'Disable…').click();
    await page.keyboard.press('Escape');
    await dialogOf(page).waitFor({ state: 'hidden' });
    expect(await focused(page).textContent()).toBe('Disable…');
    expect(await repositories().users.find(member.id)).toMatchObject({ isActive: true });
    const active = await openFigure(page, 'Active');

    await button(page, 'Disable…').click();
    await dialogOf(page).getByRole('button', { name: 'Disable' }).click();
    await said(page, 'The account is disabled.');
    expect(await page.locator('#user .badge:visible').allTextContents()).toEqual(['Disabled']);
    expect(await focused(page).textContent()).toBe('Enable');
    expect((await site.app.rest('GET', '/me', undefined, member)).status).toBe(401);
    await page.keyboard.press('Enter');
    await said(page, 'its owner can sign in again');
    expect(await repositories().users.find(member.id)).toMatchObject({ isActive: true });
    expect(await openFigure(page, 'Active')).toBe(active);
  });

  test('is made a superuser and an ordinary account again', async () => {
    const { id } = await addUser();
    const page = await openUser(id);
    await button(page, 'Make superuser…').click();
    await dialogOf(page).getByRole('button', { name: 'Make superuser' }).click();
    await said(page, 'is a superuser now');
    expect(await repositories().users.find(id)).toMatchObject({ isSuperuser: true });
    await button(page, 'Take superuser rights…').click();
    await dialogOf(page).getByRole('button', { name: 'Take rights away' }).click();
    await said(page, 'not a superuser any more');
    expect(await repositories().users.find(id)).toMatchObject({ isSuperuser: false });
  });

  test('gets another name, or none', async () => {
    const { id } = await addUser({ fullName: 'Ada King' });
    const page = await openUser(id);
    const name = page.getByRole('textbox', { name: 'Name' });
    await name.fill('Ada Lovelace');
    await name.press('Enter');
    await said(page, 'The name is saved.');
    expect(await fact(page, 'Name').textContent()).toBe('Ada Lovelace');
    await name.fill('x'.repeat(201));
    await button(page, 'Save name').click();
    await page.getByText('at most 200 characters').and(page.locator('.field-error')).waitFor();
    expect(await name.getAttribute('aria-invalid')).toBe('true');
    await name.fill('');
    await button(page, 'Save name').click();
    await said(page, 'The name is cleared.');
    expect(await repositories().users.find(id)).toMatchObject({ fullName: null });
  });

  test('is unlocked, and gets another verification link', async () => {
    const { id, email } = await addUser({ isVerified: false });
    const login = { email, password: 'not the password' };
    for (let i = 0; i < 7; i++) await site.app.rest('POST', '/login', login);
    expect((await site.app.rest('POST', '/login', login)).status).toBe(429);
    const page = await openUser(id);
    await button(page, 'Unlock').click();
    await said(page, 'The account is unlocked.');
    expect((await site.app.rest('POST', '/login', login)).status).toBe(401);
    await button(page, 'Resend verification').click();
    await said(page, 'A new verification link is on its way.');
    expect((await site.app.nextMail(email)).text).toContain('token=');
  });

  test('loses its sessions and its second factor', async () => {
    const member = await signUp(site.app);
    await repositories().users.change(member.id, {
      set: { isMfaEnabled: true, phoneNumber: '+4915112345678' },
    });
    const page = await openUser(member.id);
    await button(page, 'End all sessions…').click();
    await dialogOf(page).getByRole('button', { name: 'End sessions' }).click();
    await said(page, 'Every session of the account has ended.');
    expect(await fact(page, 'Sessions ended').textContent()).not.toBe('Never');
    expect((await site.app.rest('GET', '/me', undefined, member)).status).toBe(401);
    await button(page, 'Take second factor off…').click();
    await dialogOf(page).getByRole('button', { name: 'Take it off' }).click();
    await said(page, 'The second factor is off');
    expect(await fact(page, 'Phone').textContent()).toBe('–');
    expect(await button(page, 'Take second factor off…').count()).toBe(0);
  });

  test('is deleted only once its address was typed', async () => {
    const { tag, emails } = await addUsers(2);
    const page = await openConsole(`#users?search=${tag}`);
    await page.getByRole('link', { name: emails[0]! }).click();
    await button(page, 'Delete account…').click();
    const typed = dialogOf(page).getByRole('textbox');
    await typed.fill(emails[1]!);
    await typed.press('Enter');
    await page.getByText('letter by letter').waitFor();
    expect(await focused(page).getAttribute('aria-invalid')).toBe('true');
    expect(await repositories().users.findByEmail(emails[0]!)).not.toBeNull();
    await typed.fill(emails[0]!);
    await button(page, 'Delete for good').click();
    await said(page, `The account was deleted. It was ${emails[0]}.`);
    await count(page, '1 user');
    expect(await repositories().users.findByEmail(emails[0]!)).toBeNull();
  });

  test('that another administrator changes meanwhile is shown as the service has it', async () => {
    const { id } = await addUser({ fullName: 'Ada' });
    const page = await openUser(id);
    const other = await addSuperuser(newAddress());
    const change = { is_active: false, full_name: 'Grace' };
    await site.app.rest('PATCH', `/admin/users/${id}`, change, other);
    await button(page, 'Make superuser…').click();
    await dialogOf(page).getByRole('button', { name: 'Make superuser' }).click();
    await said(page, 'is a superuser now');
    expect(await fact(page, 'Name').textContent()).toBe('Grace');
    expect(await page.locator('#user .badge:visible').allTextContents()).toEqual(['Disabled', 'Superuser']);
    await site.app.rest('DELETE', `/admin/users/${id}`, undefined, other);
    await button(page, 'Unlock').click();
    await page.getByRole('alert').filter({ hasText: 'not there any more' }).waitFor();
    await page.reload();
    await page.getByRole('alert').filter({ hasText: 'There is no account with this id' }).waitFor();
  });

  test('that was verified meanwhile gets no link, and that is said', async () => {
    const { id } = await addUser({ isVerified: false });
    const page = await openUser(id);
    await repositories().users.change(id, { set: { isVerified: true } });
    await button(page, 'Resend verification').click();
    await page.getByRole('alert').filter({ hasText: 'verified already' }).waitFor();
  });

  test('whose name and address hold markup shows it as text', async () => {
    // An attacker registers with a name or an address that a careless console would run.
    const markup = `<img src=x onerror=alert(1)>"'<script>alert(2)</script>{{ 7 | times: 6 }}`;
    const email = `${randomUUID().slice(0, 8)}-o'hara{{7}}@example.org`;
    const { id } = await addUser({ email, fullName: markup });
    await site.app.rest('POST', '/register', {
      email: `p${email}`,
      password: 'correct horse battery',
      full_name: markup,
    });
    const page = await openConsole(`#users?search=${encodeURIComponent(email)}`);
    await count(page, '1 user');
    expect(await page.locator('#users .admin-name').textContent()).toBe(markup);
    await page.getByRole('link', { name: email }).click();
    await page.getByRole('heading', { name: email }).waitFor();
    expect(await fact(page, 'Name').textContent()).toBe(markup);
    await button(page, 'Delete account…').click();
    expect(await dialogOf(page).textContent()).toContain(email);
    await page.goto(`${site.page('admin')}#pending?search=${encodeURIComponent(email)}`);
    await count(page, '1 pending registration');
    expect(await page.locator('#pending .admin-name').textContent()).toBe(markup);
    expect(await page.locator('main img, main script').count()).toBe(0);
    expect(await repositories().users.find(id)).toMatchObject({ fullName: markup });
  });
});

test('a pending registration gets another mail, and the link of the first is dead', async () => {
  const email = `${randomUUID().slice(0, 8)}@example.org`;
  await site.app.rest('POST', '/register', { email, password: 'correct horse battery' });
  const tokenIn = ({ text }: { text: string }) => /[?&]token=(\S+)/.exec(text)![1]!;
  const first = tokenIn(await site.app.nextMail(email));
  const page = await openConsole(`#pending?search=${email}`);
  await count(page, '1 pending registration');
  await button(page, `Resend to ${email}`).click();
  await said(page, `A new link is on its way to ${email}, unless it has had too many within this hour.`);
  const second = tokenIn(await site.app.nextMail(email));
  expect((await site.app.rest('POST', '/verify', { token: first })).status).toBe(400);
  expect((await site.app.rest('POST', '/verify', { token: second })).status).toBe(200);
});

test('a pending registration becomes an account, unless somebody was faster', async () => {
  const tag = randomUUID().slice(0, 8);
  const emails = ['one', 'two', 'three'].map(name => `${name}-${tag}@example.org`);
  const password = 'correct horse battery';
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
  await dialogOf(page).getByRole('alert').filter({ hasText: 'not there any more' }).waitFor();
  await dialogOf(page).getByRole('button', { name: 'Cancel' }).click();
  await count(page, '1 pending registration');

  await addUser({ email: emails[2]! });
  await button(page, `Make account… of ${emails[2]}`).click();
  await dialogOf(page).getByRole('button', { name: 'Make account' }).click();
  await dialogOf(page).getByRole('alert').filter({ hasText: 'exists already' }).waitFor();
});

describe('what goes wrong', () => {
  test('keeps the last superuser, and says why', async () => {
    const { users } = repositories();
    const superusers = await users.list({ kind: { isSuperuser: true } });
    for (const { id } of superusers)
      if (id !== root.id) await users.change(id, { set: { isSuperuser: false } });
    const page = await openUser(root.id);
    await button(page, 'Disable…').click();
    await dialogOf(page).getByRole('button', { name: 'Disable' }).click();
    await dialogOf(page).getByRole('alert').filter({ hasText: 'last active superuser' }).waitFor();
    await page.keyboard.press('Escape');
    await dialogOf(page).waitFor({ state: 'hidden' });
    expect(await users.find(root.id)).toMatchObject({ isActive: true });
  });

  test('says that a dependency is down, and goes on when it is back', async () => {
    const { users } = repositories();
    const { list, change } = users;
    const { email } = await addUser();
    const page = await openConsole(`#users?search=${email}`);
    await count(page, '1 user');
    const down = () => Promise.reject(new GatehouseError('unavailable', { retryAfterSeconds: 7 }));
    const tryAgain = { hasText: 'Try again in 7 seconds.' };
    users.list = down;
    users.change = down;
    try {
      await button(page, 'Search').click();
      await page.getByRole('alert').filter(tryAgain).waitFor();
      users.list = list;
      await button(page, 'Try again').click();
      await count(page, '1 user');
      await page.getByRole('link', { name: email }).click();
      await button(page, 'Disable…').click();
      await dialogOf(page).getByRole('button', { name: 'Disable' }).click();
      await dialogOf(page).getByRole('alert').filter(tryAgain).waitFor();
      expect(await page.locator('#user .badge:visible').allTextContents()).toEqual(['Active']);
    } finally {
      Object.assign(users, { list, change });
    }
    await dialogOf(page).getByRole('button', { name: 'Disable' }).click();
    await said(page, 'The account is disabled.');
  });

  test('says that the server can’t be reached, and goes on when it can', async () => {
    const page = await openConsole('#users?size=10');
    await count(page, /user/);
    await page.context().setOffline(true);
    await button(page, 'Search').click();
    await page.getByRole('alert').filter({ hasText: 'can’t be reached' }).waitFor();
    await page.context().setOffline(false);
    await button(page, 'Try again').click();
    await count(page, /user/);
  });
});

/** The figure of that name, which stands above the lists. */
async function openFigure(page: Page, name: string): Promise<number> {
  await page.getByRole('link', { name: 'Back to the list' }).click();
  await count(page, /user/);
  const value = await figure(page, name);
  await page.goBack();
  await page.getByRole('heading', { name: 'Facts' }).waitFor();
  return value;
}
