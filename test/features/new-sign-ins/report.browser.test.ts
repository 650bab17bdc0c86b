import { expect, test } from 'vitest';
import { look } from '../../browser/look.ts';
import { useSite } from '../../browser/support.ts';
import { type App, dataEncryptionKey, logIn, type Member, newPassword, tokenOf } from '../../support/app.ts';
import { enterWith, nextNotMe, safari, signsIn, signUpBefore } from '../../support/not-me.ts';
import { newAddress } from '../../support/people.ts';
import { setUpPasskey } from '../../support/strong.ts';

const site = useSite({
  ...{ enableSessionList: true, notifyNewSignIn: true, dataEncryptionKey, enablePasskeys: true },
  enableApiKeys: true,
  supportContact: 'help@example.org',
});

const narrow = { viewport: { width: 320, height: 640 } };

/** Somebody whose password another one has used, and the link that came by email. */
async function victim(app: App): Promise<{ owner: Member; intruder: string; path: string; token: string }> {
  const owner = await signUpBefore(app, newAddress());
  const intruder = await enterWith(app, safari, owner);
  const token = await nextNotMe(app, owner.email, /^A new sign-in/);
  return { owner, intruder, token, path: `not-me?token=${token}` };
}

test('the link closes the account at a press, and leads to a new password', async () => {
  const { owner, path } = await victim(site.app);
  const page = await site.open(path, narrow);
  const press = page.getByRole('button', { name: 'sign everybody out' });
  await page.locator('[data-confirm]:enabled').waitFor();
  expect(page.url()).not.toContain('token');
  // Opening the page has changed nothing.
  expect(await signsIn(site.app, owner)).toBe(true);
  await look(page, 'not-me');
  await press.click();
  await page.getByRole('heading', { name: 'Your account is closed' }).waitFor();
  await look(page, 'not-me, closed');
  expect(await signsIn(site.app, owner)).toBe(false);
  await page.getByRole('link', { name: 'Choose a new password' }).click();
  await page.waitForURL(/\/forgot$/);
});

test('a link that was used before says so', async () => {
  site.expectComplaint(/400/);
  const { path, token } = await victim(site.app);
  await site.app.rest('POST', '/not-me', { token });
  const page = await site.open(path);
  await page.locator('[data-confirm]:enabled').click();
  await page.getByRole('heading', { name: 'This link no longer works' }).waitFor();
});

test('the account page names what was added since, and the owner keeps it', async () => {
  const { owner, intruder, token } = await victim(site.app);
  await setUpPasskey(site.app, { token: intruder }, site.origin);
  for (const name of ['Nightly report', 'Backup'])
    await site.app.rest('POST', '/api-keys', { name, scopes: ['profile'] }, { token: intruder });
  await site.app.rest('POST', '/not-me', { token });
  await site.app.rest('POST', '/forgot-password', { email: owner.email });
  for (;;) {
    const mail = await site.app.nextMail(owner.email);
    if (!mail.text.includes('/reset-password?token=')) continue;
    await site.app.rest('POST', '/reset-password', { token: tokenOf(mail), new_password: newPassword });
    break;
  }
  const session = await logIn(site.app, { ...owner, password: newPassword });
  const page = await site.openSignedIn('me', session);
  await page.getByText('Somebody else may have added these ways into your account:').waitFor();
  const names = page.locator('[data-fill=distrusted]');
  expect(await names.textContent()).toMatch(/, Backup, and Nightly report$/);
  await page.getByText('Passkeys', { exact: true }).click();
  const badges = page.getByText('Gives no access', { exact: true }).filter({ visible: true });
  await badges.waitFor();
  await page.getByText('API keys', { exact: true }).click();
  await badges.nth(2).waitFor();
  await look(page, 'account, distrusted');
  await page.getByRole('button', { name: 'Remove Backup' }).click();
  await page.getByText('The API key was removed.').waitFor();
  expect(await names.textContent()).toMatch(/[^,] and Nightly report$/);
  await page.getByRole('button', { name: 'They are mine: keep them' }).click();
  await page.getByText('are trusted again').waitFor();
  expect(await badges.count()).toBe(0);
  expect(await page.getByText('Somebody else may have added').isVisible()).toBe(false);
});
