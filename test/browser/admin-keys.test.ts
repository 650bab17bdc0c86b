import { expect, test } from 'vitest';
import { dataEncryptionKey } from '../support/app.ts';
import { button, count, dialogOf, focused, said, useConsole } from './console.ts';
import { look } from './look.ts';

// The keys that sign access tokens, in the console (CONTRACT §16.2).

const { site, openConsole } = useConsole({
  enableTokens: true,
  dataEncryptionKey,
  resources: { orders: { identifier: 'https://api.example.org', scopes: { read: 'See your orders' } } },
});

test('keys are listed, and replaced, also one that services may not know yet', async () => {
  const page = await openConsole();
  await count(page, /user/);
  const asked: string[] = [];
  page.on('request', request => void asked.push(request.postData() ?? ''));
  await page.reload();
  await count(page, /user/);
  // Each look at the keys is on record.
  expect(asked.filter(body => body.includes('signingKeys'))).toEqual([]);
  await page.getByRole('link', { name: 'Keys' }).click();
  const rows = page.locator('#keys li');
  await rows.first().waitFor();
  expect(await rows.count()).toBe(2);
  expect(await rows.first().textContent()).toMatch(/ES256.*signs/s);
  await look(page, 'keys');
  const kid = (await page.locator('#keys code').nth(1).textContent())!;
  await button(page, /^Replace the key of ES256/).click();
  await dialogOf(page).getByRole('button', { name: 'Replace the key' }).click();
  await dialogOf(page).getByText('services that do not know it yet').waitFor();
  await dialogOf(page).getByRole('button', { name: 'Replace the key' }).click();
  await said(page, 'The key of ES256 was replaced.');
  expect(await rows.count()).toBe(3);
  expect(await focused(page).getAttribute('id')).toBe('keys-title');
  expect(await page.locator('#keys code').first().textContent()).toBe(kid);
  expect(site.app.gatehouse.config.enableTokens).toBe(true);
});
