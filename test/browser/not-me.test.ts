import { expect, test } from 'vitest';
import { type App, dataEncryptionKey, logIn, type Member, signUp } from '../support/app.ts';
import { enterWith, nextNotMe, safari, signsIn } from '../support/not-me.ts';
import { newAddress } from '../support/people.ts';
import { look } from './look.ts';
import { useSite } from './support.ts';

const site = useSite({
  ...{ enableSessionList: true, notifyNewSignIn: true, dataEncryptionKey },
  supportContact: 'help@example.org',
});

const newPassword = 'another horse battery';
const narrow = { viewport: { width: 320, height: 640 } };

/** Somebody whose password another one has used, and the link that came by email. */
async function victim(app: App): Promise<{ owner: Member; path: string; token: string }> {
  const owner = await signUp(app, newAddress());
  await enterWith(app, safari, owner);
  const token = await nextNotMe(app, owner.email, /^A new sign-in/);
  return { owner, token, path: `not-me?token=${token}` };
}

test('the link signs everybody out at a press, and puts the account back with the former password', async () => {
  const { owner, path } = await victim(site.app);
  const page = await site.open(path, narrow);
  const press = page.getByRole('button', { name: 'sign everybody out' });
  await page.locator('[data-confirm]:enabled').waitFor();
  expect(page.url()).not.toContain('token');
  // Opening the page has changed nothing.
  expect(await signsIn(site.app, owner)).toBe(true);
  await look(page, 'not-me');
  await press.click();
  await page.getByRole('heading', { name: 'Everybody is signed out' }).waitFor();
  await look(page, 'not-me, the password');
  expect(await signsIn(site.app, owner)).toBe(false);

  site.expectComplaint(/400/);
  await page.locator('form [type=submit]:enabled').waitFor();
  await page.getByLabel('The password that you had before').fill('not the password');
  await page.getByLabel('New password').fill(newPassword);
  await page.keyboard.press('Enter');
  await page.getByText('This is not the password from before.').first().waitFor();
  await page.getByLabel('The password that you had before').fill(owner.password);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Your account is yours again' }).waitFor();
  await look(page, 'not-me, done');
  await page.getByRole('link', { name: 'Sign in' }).waitFor();
  await logIn(site.app, { ...owner, password: newPassword });
});

test('a link that was used before still takes the former password, and then says that it is void', async () => {
  site.expectComplaint(/400/);
  const { owner, path, token } = await victim(site.app);
  await site.app.rest('POST', '/not-me', { token });
  const page = await site.open(path);
  await page.locator('[data-confirm]:enabled').click();
  await page.getByRole('heading', { name: 'This link was used before' }).waitFor();
  await site.app.rest('POST', '/not-me', { token, password: owner.password, new_password: newPassword });
  await page.getByLabel('The password that you had before').fill(owner.password);
  await page.getByLabel('New password').fill('yet another password');
  await page.locator('form [type=submit]:enabled').waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'This link no longer works' }).waitFor();
});
