import { expect, onTestFinished, test } from 'vitest';
import { serve } from '../cli/support.ts';
import { freePort } from '../support/server-process.ts';
import { useBrowser } from './use-browser.ts';

const browser = useBrowser();

/** A page of a browser profile of its own; the test fails when it complains. */
async function openPage() {
  const context = await browser.current!.newContext({ reducedMotion: 'reduce' });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', message => message.type() === 'error' && complaints.push(message.text()));
  page.on('pageerror', error => complaints.push(error.message));
  return { page, context, complaints };
}

test('a developer becomes the administrator, and reads the mails of the people who register', async () => {
  const { origin, api, written, stop } = await serve(['--dev', '--port', `${await freePort()}`]);
  const local = origin.replace('127.0.0.1', 'localhost');
  const [, path] = await written(/(\/svc-dev\/first-administrator\?token=\S+)$/m);
  const { page, context, complaints } = await openPage();

  await page.goto(`${local}${path}`);
  await page.getByRole('button', { name: 'Make me the administrator' }).click();
  await page.waitForURL(`${local}/account/admin*`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.goto(`${local}${path}`);
  await page.getByRole('heading', { name: 'This link no longer works' }).waitFor();
  // The status of a page that is gone is an error to Chromium.
  expect(complaints.splice(0)).toEqual([expect.stringContaining('410')]);

  await page.goto(`${local}/account/register`);
  await page.getByRole('link', { name: 'inbox of mails and text messages' }).click();
  await page.getByText('Live: new messages appear by themselves.').waitFor();
  await fetch(`${api}/register`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ email: 'grace@example.org', password: 'correct horse' }),
  });
  await page.getByRole('heading', { name: /^Confirm your email address/ }).waitFor();
  expect(await page.locator('.inbox-row').count()).toBe(1);
  const inMail = page.frameLocator('iframe').getByRole('link').first();
  const [tab] = await Promise.all([context.waitForEvent('page'), inMail.click()]);
  await tab.getByRole('button', { name: 'Confirm my address' }).waitFor();
  expect(tab.url()).toContain('/account/verify');
  expect(await page.locator('.copy-row a').getAttribute('href')).toContain('/account/verify?token=');
  expect(complaints).toEqual([]);

  // The server ends, and the page says so.
  await stop();
  await page.getByText('The server does not answer.').waitFor();
});
