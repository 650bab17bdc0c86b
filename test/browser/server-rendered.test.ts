import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Example, startExample } from '../support/example.ts';
import { fillLogin, linkIn } from './support.ts';
import { useBrowser } from './use-browser.ts';

// examples/server-rendered, used by somebody who has never been there.

let example: Example;
const browser = useBrowser();
beforeAll(async () => {
  example = await startExample('server-rendered');
});
afterAll(() => example?.host.kill());

test('a person registers on the way to a page, orders by a form, signs out, and is asked again', async () => {
  const [email, password] = ['ada@example.org', 'correct horse battery'];
  const { host, origin } = example;
  const context = await browser.current!.newContext();
  context.setDefaultTimeout(30_000);
  const page = await context.newPage();
  await page.goto(origin);
  await page.getByRole('link', { name: 'Your orders' }).click();
  await page.locator('[type=submit]:enabled').waitFor();
  await page.getByRole('link', { name: 'Create an account' }).click();
  await page.locator('[type=submit]:enabled').waitFor();
  await page.getByLabel('Email address').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Create my account' }).click();
  await page.getByRole('heading', { name: 'Check your email' }).waitFor();
  const [link] = await host.waitFor(/^http\S+token=\S+$/m);
  const mail = await context.newPage();
  await mail.goto(linkIn({ text: link }));
  await mail.getByRole('button', { name: 'Confirm my address' }).click();
  await mail.getByRole('heading', { name: 'Thank you' }).waitFor();
  await page.getByRole('link', { name: 'Sign in', exact: true }).click();
  await fillLogin(page, email, password);
  await page.getByRole('heading', { name: 'Your orders' }).waitFor();

  await page.getByLabel('Item').fill('A <b>lamp</b>');
  await page.getByRole('button', { name: 'Order' }).click();
  await page.getByText('A <b>lamp</b>').waitFor();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('link', { name: 'Sign in', exact: true }).waitFor();
  expect(await context.cookies()).toEqual([]);
  await page.goto(`${origin}/orders`);
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();

  // The link that the README has.
  await page.goto(`${origin}/account/login?next=/orders`);
  await fillLogin(page, email, password);
  await page.getByRole('heading', { name: 'Your orders' }).waitFor();
});
