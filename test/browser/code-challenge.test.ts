import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { challenge } from '../doors/provider-site.ts';
import { signUp } from '../support/app.ts';
import { addressOf } from '../support/oidc.ts';
import { look } from './look.ts';
import { useSite } from './support.ts';

const site = useSite({ oauth: { requireCodeChallenge: true } });

/** Signs in at the provider's own page. */
async function atProvider(page: Page, login: string): Promise<void> {
  await page.getByLabel('Name').fill(login);
  await page.getByRole('button', { name: 'Continue' }).click();
}

const elsewhere = 'This was started elsewhere, or took too long. Start again.';

test('an identity is connected by the browser that began it, and its address forgets how', async () => {
  const { token } = await signUp(site.app);
  const page = await site.openSignedIn('me', token);
  await page.getByRole('button', { name: 'Connect Google' }).click();
  await atProvider(page, 'challenged');
  await page.getByText('Google is connected.').waitFor();
  await page.getByText(addressOf('challenged')).waitFor();
  expect(page.url()).toBe(site.page('me'));
  expect(await page.evaluate("sessionStorage.getItem('svc.oauth_link_verifier')")).toBeNull();
  await page.reload();
  await page.getByRole('button', { name: 'Disconnect Google' }).waitFor();
  expect(await page.locator('[data-notice]').textContent()).toBe('');
});

test('signing in works as before', async () => {
  const page = await site.open('login');
  await page.getByRole('button', { name: 'Continue with Google' }).click();
  await atProvider(page, 'challenged-in');
  await page.getByRole('heading', { name: 'Your account' }).waitFor();
});

// An attacker begins a link in an account of their own and has somebody open the address of the provider.
test('a link that another account began connects nothing, and the page says so', async () => {
  const [attacker, victim] = [await signUp(site.app), await signUp(site.app)];
  const input = { code_challenge: challenge };
  const { body } = await site.app.rest('POST', '/oauth/google/link/start', input, attacker);
  const page = await site.openSignedIn('me', victim.token);
  await page.goto(body.authorization_url);
  await atProvider(page, 'talked-into');
  site.expectComplaint(/link\/finish|404/);
  await page.getByText(elsewhere).waitFor();
  await look(page, 'a link that was begun elsewhere');
  for (const { id } of [attacker, victim])
    expect(await site.app.gatehouse.repositories.oauth_identities.listByUser(id)).toEqual([]);
  expect(page.url()).toBe(site.page('me'));
});

test('a sign-in that was begun without a challenge is told on the login page', async () => {
  const page = await site.open(`${site.origin}/api/auth/oauth/google/start`);
  await page.getByText('That way of signing in must begin on this page. Choose it again.').waitFor();
  expect(page.url()).toBe(site.page('login'));
  await look(page, 'a sign-in without a challenge');
});
