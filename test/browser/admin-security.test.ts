import { decodeJwt } from 'jose';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { Session } from '../../src/server-api/sessions.ts';
import { signUp } from '../support/app.ts';
import { addFactors, setUpTotp, storePasskey, strongSettings } from '../support/strong.ts';
import { button, dialogOf, fact, focused, said, useConsole } from './console.ts';
import { look } from './look.ts';

// The second factors and the sessions of an account, in the console.

const { site, repositories, newAddress, addSuperuser, addUser, openUser } = useConsole(strongSettings);

const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
const safari =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1';

const region = (page: Page, name: string) => page.getByRole('region', { name });
const factorsOn = (page: Page) => region(page, 'Second factors').getByRole('listitem');
const sessionsOn = (page: Page) => region(page, 'Sessions').getByRole('listitem');
const textOf = async (list: ReturnType<typeof factorsOn>) =>
  (await list.allInnerTexts()).map(text => text.replace(/\s+/g, ' ').trim());

async function signInFrom(userAgent: string, { email, password }: { email: string; password: string }) {
  const headers = { 'User-Agent': userAgent };
  const { body } = await site.app.rest('POST', '/login', { email, password }, { headers });
  return body.access_token as string;
}

const isOpen = async (token: string) =>
  (await site.app.rest('GET', '/me', undefined, { token })).status === 200;

describe('the second factors of an account', () => {
  test('are listed with names and dates', async () => {
    const member = await signUp(site.app);
    await setUpTotp(site.app, member, 'Pixel 9');
    const id = await storePasskey(site.app, member, 'Security key');
    await repositories().authenticators.recordUse(
      (await repositories().authenticators.findByCredential(id))!,
      { signCount: 1, isSynced: false, lastUsedAt: new Date('2040-01-05T06:07:08.000Z') },
    );
    const page = await openUser(member.id);
    const [app, passkey] = await textOf(factorsOn(page));
    expect(app).toMatch(/^Pixel 9 Authenticator app, added .*2040.*, never used$/);
    expect(passkey).toMatch(/^Security key Passkey, added .*2040.*, last used .*2040/);
    const times = factorsOn(page).nth(1).locator('time:visible');
    expect(await times.nth(1).getAttribute('datetime')).toBe('2040-01-05T06:07:08.000Z');
    await region(page, 'Second factors').getByText('10 of 10 recovery codes left.').waitFor();
    expect(await fact(page, 'Second factor').textContent()).toBe('On, by authenticator app');
  });

  test('are all removed after a question that can be left', async () => {
    const member = await signUp(site.app);
    await addFactors(site.app, member);
    const page = await openUser(member.id);
    const remove = button(page, 'Remove every second factor…');
    await remove.focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Escape');
    await dialogOf(page).waitFor({ state: 'hidden' });
    expect(await focused(page).textContent()).toBe('Remove every second factor…');
    expect(await repositories().authenticators.listByUser(member.id)).toHaveLength(2);

    // The event of the dialog that was left comes after it was opened again.
    await page.keyboard.press('Enter');
    await page.evaluate("document.querySelector('#confirm').close(); document.activeElement.click();");
    await dialogOf(page).getByRole('button', { name: 'Remove them' }).click();
    await said(page, 'Every second factor of the account is gone.');
    expect(await factorsOn(page).count()).toBe(0);
    await region(page, 'Second factors').getByText('No authenticator app and no passkey.').waitFor();
    expect(await remove.count()).toBe(0);
    expect(await focused(page).textContent()).toBe('Second factors');
    expect(await fact(page, 'Second factor').textContent()).toBe('Off');
    expect(await repositories().recovery_codes.find(member.id)).toBeNull();
    const { email, password } = member;
    expect(await isOpen(await signInFrom(firefox, { email, password }))).toBe(true);
  });

  test('include the phone, which the same button removes', async () => {
    const { id } = await addUser();
    await repositories().users.change(id, { set: { phoneNumber: '+4915112345678', isMfaEnabled: true } });
    const page = await openUser(id);
    expect(await fact(page, 'Second factor').textContent()).toBe('On, by text message');
    expect(await button(page, 'Take second factor off…').count()).toBe(0);
    await button(page, 'Remove every second factor…').click();
    await dialogOf(page).getByRole('button', { name: 'Remove them' }).click();
    await said(page, 'Every second factor of the account is gone.');
    expect(await fact(page, 'Phone').textContent()).toBe('–');
    expect(await repositories().users.find(id)).toMatchObject({ phoneNumber: null, isMfaEnabled: false });
  });
});

describe('the sessions of an account', () => {
  test('are listed, the one used last first, and end one by one, unless they have ended meanwhile', async () => {
    const member = await signUp(site.app);
    site.app.clock.advance(60_000);
    const [atDesk, onPhone] = [await signInFrom(firefox, member), await signInFrom(safari, member)];
    site.app.clock.advance(60_000);
    expect(await isOpen(atDesk)).toBe(true);
    await expect
      .poll(async () => (await repositories().sessions.listByUser(member.id)).map(row => row.lastSeenAt))
      .toContainEqual(site.app.clock.now());
    const page = await openUser(member.id);
    const shown = await textOf(sessionsOn(page));
    expect(shown).toEqual([
      expect.stringMatching(
        /^Firefox on Linux 127\.0\.0\.1, last used .* Signed in .* with the password End/,
      ),
      expect.stringMatching(/^Safari on iOS /),
      expect.stringMatching(/^Unknown device /),
    ]);
    await page.getByRole('button', { name: 'End the session of Safari on iOS at 127.0.0.1' }).focus();
    await page.keyboard.press('Enter');
    await said(page, 'The session has ended.');
    expect(await textOf(sessionsOn(page))).toEqual([shown[0], shown[2]]);
    expect(await focused(page).textContent()).toBe('Sessions');
    expect(await Promise.all([atDesk, onPhone, member.token].map(isOpen))).toEqual([true, false, true]);

    await site.app.rest('POST', '/logout', {}, member);
    await button(page, /^End the session of Unknown device/).click();
    await page.getByRole('alert').filter({ hasText: 'This session has ended already.' }).waitFor();
  });

  test('all end at once after a question', async () => {
    const member = await signUp(site.app);
    const token = await signInFrom(firefox, member);
    const page = await openUser(member.id);
    await button(page, 'End all sessions…').click();
    await dialogOf(page).getByRole('button', { name: 'End sessions' }).click();
    await said(page, 'Every session of the account has ended.');
    expect(await sessionsOn(page).count()).toBe(0);
    await region(page, 'Sessions').getByText('None.').waitFor();
    expect(await Promise.all([token, member.token].map(isOpen))).toEqual([false, false]);
  });

  test('include one’s own, which ends after a question and leads to the login page', async () => {
    const root = await addSuperuser(newAddress('root'));
    const page = await openUser(root.id, root);
    const own = sessionsOn(page).filter({ hasText: 'Yours, now' });
    expect(await own.count()).toBe(1);
    await own.getByRole('button').click();
    expect(await dialogOf(page).textContent()).toContain('End your own session?');
    await dialogOf(page).getByRole('button', { name: 'End it' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await isOpen(root.token)).toBe(false);
  });
});

test('a session that the host issued says so, in its word, whatever that is', async () => {
  const { users, sessions } = site.app.gatehouse;
  const { id } = await users.create({ email: newAddress(), isVerified: true });
  // A word that every object has, too.
  const session = await sessions.issue(id, { method: 'constructor' });
  const page = await openUser(id);
  expect(await textOf(sessionsOn(page))).toEqual([
    expect.stringContaining('by the application (constructor)'),
  ]);
  const { accessToken } = session as Session;
  const own = await site.openSignedIn('me', accessToken);
  await own.getByText('Only this one').waitFor();
  expect(await own.locator('[data-sessions]').textContent()).not.toContain('function');
});

test('names and user agents that hold markup are shown as text', async () => {
  const markup = '<img src=x onerror=alert(1)>';
  const member = await signUp(site.app);
  await storePasskey(site.app, member, markup);
  const { jti } = decodeJwt(member.token);
  const [record] = await repositories().sessions.listByUser(member.id);
  await repositories().sessions.remove(jti!);
  await repositories().sessions.add({ ...record!, device: markup });
  const page = await openUser(member.id);
  expect(await factorsOn(page).locator('strong').textContent()).toBe(markup);
  expect(await sessionsOn(page).locator('strong').textContent()).toBe(markup);
  expect(await page.locator('main img').count()).toBe(0);
});

test('the account with its factors and sessions can be used by everybody', async () => {
  const member = await signUp(site.app, newAddress(`${'longer.name.'.repeat(4)}x`));
  await setUpTotp(site.app, member, 'W'.repeat(100));
  await storePasskey(site.app, member);
  await signInFrom(safari, member);
  const page = await openUser(member.id);
  await look(page, 'admin, an account with factors and sessions');
  await button(page, 'Remove every second factor…').click();
  await look(page, 'admin, asked before the factors are removed');
});
