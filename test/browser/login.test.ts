import { expect, test } from 'vitest';
import { useSite } from './support.ts';

const site = useSite();

test('says what it is', async () => {
  const page = await site.open('login');
  expect(await page.title()).toBe('Sign in · Gatehouse');
  await page.screenshot({ path: '/tmp/login.png' });
});
