import { expect, test } from 'vitest';
import { signUp } from '../support/app.ts';
import { codeIn, isAlive } from '../support/people.ts';
import { nextCodeOf, setUpTotp, strongSettings } from '../support/strong.ts';
import { panelOf } from './factors.ts';
import { look } from './look.ts';
import { fillLogin, signInBy, useSite } from './support.ts';

// A phone number that has to be confirmed, on the account page.

const site = useSite(strongSettings);

/** An imported account with this number, which is not confirmed here. */
async function arrived(phoneNumber: string) {
  const member = await signUp(site.app);
  await site.app.gatehouse.repositories.users.change(member.id, { set: { phoneNumber } });
  return member;
}

test('a number that was never confirmed is off, and beside an app no code goes there until it is confirmed', async () => {
  const phone = '+447700900310';
  const member = await arrived(phone);
  const { token, secret } = await setUpTotp(site.app, member);
  const page = await site.openSignedIn('me', token);
  const panel = panelOf(page, 'Text messages');
  await panel.locator('summary').getByText('Not confirmed').waitFor();
  await panel.locator('summary').click();
  await panel.getByText('Confirm this number again:').waitFor();
  await look(page, 'me, a number to be confirmed');
  expect(await page.getByLabel('Phone number').inputValue()).toBe(phone);
  await page.locator('#phone-password').fill(member.password);
  await page.getByRole('button', { name: 'Send a code' }).click();
  await page.locator('#phone-code').fill(codeIn(await site.app.nextText(phone)));
  await panel.getByRole('button', { name: 'Turn it on' }).click();
  await page.getByText('Two-step verification is on.').waitFor();
  await panel.locator('summary').getByText(phone).waitFor();
  expect(await panel.getByText('Not confirmed').isVisible()).toBe(false);
  // Every other session has ended.
  expect(await isAlive(site.app, member.token)).toBe(false);

  await page.getByRole('button', { name: 'Sign out', exact: true }).click();
  await fillLogin(page, member.email, member.password);
  await page.getByRole('button', { name: 'Get a text message' }).waitFor();
  await page.getByRole('textbox', { name: 'Code', exact: true }).fill(nextCodeOf(site.app, secret));
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Your account' }).waitFor();
});

test('a number that was never confirmed can be taken away without a code', async () => {
  const { email, password } = await arrived('+447700900311');
  const page = await site.open('login');
  await signInBy(page, email, password);
  const panel = panelOf(page, 'Text messages');
  await panel.locator('summary').getByText('Not confirmed').waitFor();
  await panel.locator('summary').click();
  await page.locator('#phone-remove-password').fill(password);
  await page.getByRole('button', { name: 'Remove the number' }).click();
  await page.getByText('Your phone is removed.').waitFor();
  expect(await panel.getByText('Not confirmed').isVisible()).toBe(false);
});
