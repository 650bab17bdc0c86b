import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { signUp } from '../support/app.ts';
import { button, count, dialogOf, fact, focused, openFigure, said, useConsole } from './console.ts';
import { look } from './look.ts';

const administration = useConsole();

const { site, repositories, newAddress, addSuperuser, addUser, addUsers, openConsole, openUser } =
  administration;

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
    // Features that are off have no part of the page.
    for (const name of ['Second factors', 'Sessions']) {
      expect(await page.getByRole('heading', { name }).count()).toBe(0);
    }
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

    // At another view nothing is asked any more.
    await button(page, 'Disable…').click();
    await dialogOf(page).waitFor();
    await page.evaluate("location.hash = '#pending'");
    await page.getByRole('heading', { name: 'Pending registrations' }).waitFor();
    expect(await dialogOf(page).isVisible()).toBe(false);
    expect(await repositories().users.find(member.id)).toMatchObject({ isActive: true });
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

  test('is made a superuser, unverified only after a warning, and an ordinary account again', async () => {
    const { id, email } = await addUser({ isVerified: false });
    const page = await openUser(id);
    await button(page, 'Make administrator…').click();
    await dialogOf(page).getByText('Nobody has shown yet that this address is theirs').waitFor();
    await dialogOf(page).getByRole('button', { name: 'Make administrator' }).click();
    await said(page, 'The account is an administrator now.');
    expect(await repositories().users.find(id)).toMatchObject({ isSuperuser: true, isVerified: false });
    expect((await site.app.nextMail(email)).text).not.toContain('token=');
    await button(page, 'Remove rights…').click();
    await dialogOf(page).getByRole('button', { name: 'Remove rights' }).click();
    await said(page, 'no longer an administrator');
    expect(await repositories().users.find(id)).toMatchObject({ isSuperuser: false });
  });

  test('is unlocked, and gets another verification link unless it was verified meanwhile', async () => {
    const { id, email } = await addUser({ isVerified: false });
    const login = { email, password: 'not the password' };
    for (let i = 0; i < 7; i++) await site.app.rest('POST', '/login', login);
    expect((await site.app.rest('POST', '/login', login)).status).toBe(429);
    const list = await openConsole('#users?show=locked');
    await list.locator('#users tbody .badge:visible').getByText('Locked until').waitFor();
    await look(list, 'a locked account in the list');
    const page = await openUser(id);
    const badge = page.locator('#user .badge:visible').filter({ hasText: 'Locked until' });
    expect(await badge.textContent()).toMatch(/^Locked until \d+:\d\d/);
    await page.getByText('the lock until').locator('visible=true').waitFor();
    await look(page, 'a locked account');
    await button(page, 'Unlock').click();
    await said(page, 'The account is unlocked.');
    expect(await badge.count()).toBe(0);
    expect(await page.getByText('the lock until').isVisible()).toBe(false);
    expect((await site.app.rest('POST', '/login', login)).status).toBe(401);
    await button(page, 'Resend verification').click();
    await said(page, 'A new verification link is on its way.');
    expect((await site.app.nextMail(email)).text).toContain('token=');
    await repositories().users.change(id, { set: { isVerified: true } });
    await button(page, 'Resend verification').click();
    await page.getByRole('alert').filter({ hasText: 'already verified' }).waitFor();
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
    await button(page, 'Remove second factor…').click();
    await dialogOf(page).getByRole('button', { name: 'Remove it' }).click();
    await said(page, 'The second factor and the phone number were removed');
    expect(await fact(page, 'Phone').textContent()).toBe('–');
    expect(await button(page, 'Remove second factor…').count()).toBe(0);
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
    await button(page, 'Delete permanently').click();
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
    await button(page, 'Make administrator…').click();
    await dialogOf(page).getByRole('button', { name: 'Make administrator' }).click();
    await said(page, 'is an administrator now');
    expect(await fact(page, 'Name').textContent()).toBe('Grace');
    expect(await page.locator('#user .badge:visible').allTextContents()).toEqual([
      'Disabled',
      'Administrator',
    ]);
    await site.app.rest('DELETE', `/admin/users/${id}`, undefined, other);
    await button(page, 'Unlock').click();
    await page.getByRole('alert').filter({ hasText: 'no longer exists' }).waitFor();
    await page.reload();
    await page.getByRole('alert').filter({ hasText: 'There is no account with this id' }).waitFor();
  });

  test('gets a reset link, and why none was sent is said in words', async () => {
    const { id, email } = await addUser();
    const page = await openUser(id);
    const send = () => button(page, 'Send reset link').click();
    await send();
    await said(page, 'A link to set a new password is on its way.');
    expect((await site.app.nextMail(email)).text).toMatch(/reset-password\?token=/);
    const path = `/admin/users/${id}/send-reset`;
    for (let i = 0; i < 4; i++) await site.app.rest('POST', path, undefined, administration.root);
    await send();
    await page
      .getByRole('alert')
      .filter({ hasText: /^Nothing was sent: the address has had too many .* Try again in 60 minutes/ })
      .waitFor();

    await repositories().users.change(id, { set: { isActive: false } });
    await send();
    await page.getByRole('alert').filter({ hasText: 'Nothing was sent: the account is disabled' }).waitFor();
    // A disabled account is offered no link.
    await page.reload();
    await page.getByRole('heading', { name: 'Facts' }).waitFor();
    expect(await button(page, 'Send reset link').count()).toBe(0);

    const { id: withoutMailbox } = await addUser({ email: `google-${randomUUID()}@oauth.invalid` });
    await page.goto(site.page(`admin#user?id=${withoutMailbox}`));
    await send();
    await page.getByRole('alert').filter({ hasText: 'no address that email can be sent to' }).waitFor();
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
