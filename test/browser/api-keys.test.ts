import { expect, test } from 'vitest';
import { signUp } from '../support/app.ts';
import { look } from './look.ts';
import { signInBy, useSite } from './support.ts';

// API keys on the account page (CONTRACT §17).

const site = useSite({ enableApiKeys: true });

test('somebody makes a key on the account page, sees it once, and removes it', async () => {
  const member = await signUp(site.app);
  const page = await site.open('me');
  await signInBy(page, member.email, member.password);
  await page.getByText('API keys', { exact: true }).click();
  await page.getByLabel('Name of the key').fill('Nightly report');
  await page.getByRole('button', { name: 'Make an API key' }).click();
  await page.getByText('Choose at least one thing that the key may do.').waitFor();
  await page.getByRole('checkbox').last().check();
  await page.getByRole('button', { name: 'Make an API key' }).click();
  const shown = page.locator('[data-fill="api_key"]');
  await page.getByText('it is not shown again').waitFor();
  const key = (await shown.textContent()) ?? '';
  expect(key).toMatch(/^svc_key_[0-9A-Za-z]{49}$/);
  expect((await site.app.rest('GET', '/me', undefined, { token: key })).status).toBe(200);
  await look(page, 'me, with a new API key');

  await page.reload();
  await page.getByText('API keys', { exact: true }).click();
  await page.getByText(`Key …${key.slice(-4)}, good until`).waitFor();
  expect(await page.content()).not.toContain(key);
  await page.getByRole('button', { name: 'Remove Nightly report' }).click();
  await page.getByText('The API key was removed.').waitFor();
  expect((await site.app.rest('GET', '/me', undefined, { token: key })).status).toBe(401);
});

test('after a first load that failed, the panel works as ever', async () => {
  const { token } = await signUp(site.app);
  const page = await site.openSignedIn('me', token);
  await page.route('**/api/auth/api-keys', route => route.abort());
  await page.reload();
  await page.getByText('Your account cannot be shown').waitFor();
  await page.unroute('**/api/auth/api-keys');
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('API keys', { exact: true }).click();
  await page.getByLabel('Name of the key').fill('Nightly report');
  await page.getByRole('checkbox').last().check();
  await page.getByRole('button', { name: 'Make an API key' }).click();
  await page.getByRole('button', { name: 'Remove Nightly report' }).waitFor();
  // The form is connected once, and would read each error aloud twice otherwise.
  expect(await page.locator('#api-key-create [aria-live]').count()).toBe(1);
});
