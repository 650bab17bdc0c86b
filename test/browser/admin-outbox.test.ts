import { afterEach, expect, test } from 'vitest';
import { addMessage, storedSettings } from '../support/outbox.ts';
import { button, count, dialogOf, said, useConsole } from './console.ts';
import { look } from './look.ts';

const { site, repositories, openConsole } = useConsole(storedSettings);

const messages = () => repositories().outbox.list({}, { limit: 100 });
afterEach(async () => {
  for (const { id } of await messages()) await repositories().outbox.remove(id);
});

test('messages are listed by state, with why they wait, and usable by everybody', async () => {
  const page = await openConsole();
  await page.getByRole('link', { name: 'Messages' }).click();
  await page.getByText('Every message was delivered.').waitFor();
  expect(await page.getByRole('heading', { name: 'Messages that were not delivered yet' }).count()).toBe(1);
  expect(await page.locator('[data-tab="outbox"]').getAttribute('aria-current')).toBe('page');
  await look(page, 'no messages');
  for (let i = 0; i < 11; i++) await addMessage(site.app);
  await addMessage(site.app, { state: 'waiting', lastError: 'ECONNREFUSED: the server is away' });
  await addMessage(site.app, { state: 'sending' });
  await page.reload();
  await count(page, '13 messages');
  await page.getByRole('combobox', { name: 'Per page' }).selectOption('10');
  await count(page, '10 messages, page 1');
  await look(page, 'messages');
  await button(page, 'Next').click();
  await count(page, '3 messages, page 2');
  await page.getByRole('combobox', { name: 'Show' }).selectOption('Waiting');
  await count(page, '1 message');
  const row = page.locator('#outbox tbody tr');
  expect(await row.textContent()).toMatch(/a\*\*\*@example\.org.*Email, password changed/s);
  expect(await row.textContent()).toContain('ECONNREFUSED: the server is away');
  expect(await row.getByText('Waiting').isVisible()).toBe(true);
  expect(await row.getByText('Given up').isVisible()).toBe(false);
});

test('a message that was given up is tried again', async () => {
  await addMessage(site.app);
  const page = await openConsole('#outbox?show=dead');
  await count(page, '1 message');
  const { promise, resolve } = Promise.withResolvers<void>();
  let tries = 0;
  await page.route('**/graphql', async route => {
    if (route.request().postData()?.includes('adminRetryMessage')) {
      tries++;
      await promise;
    }
    await route.continue();
  });
  await button(page, /^Try again to send/).press('Enter');
  // A try that is under way is not made again.
  await page.locator('#outbox button[aria-busy="true"]').press('Enter');
  resolve();
  await said(page, 'The message to a***@example.org will be tried within seconds.');
  expect(tries).toBe(1);
  await page.getByText('No message is in this state.').waitFor();
  await site.app.nextMail('ada@example.org');
});

test('a message is dropped after a question, and stays when the operator cancels', async () => {
  await addMessage(site.app, { state: 'waiting' });
  const page = await openConsole('#outbox');
  await count(page, '1 message');
  await button(page, /^Drop/).click();
  const dialog = dialogOf(page);
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await dialog.waitFor({ state: 'hidden' });
  expect(await messages()).toHaveLength(1);
  await page.locator('#outbox [aria-busy="true"]').waitFor({ state: 'detached' });
  await button(page, /^Drop/).click();
  await look(page, 'a question about a message');
  await dialog.getByRole('button', { name: 'Drop message' }).click();
  await said(page, 'The message to a***@example.org was dropped.');
  expect(await messages()).toHaveLength(0);
});

test('a message that was sent meanwhile is no longer there', async () => {
  const id = await addMessage(site.app);
  const page = await openConsole('#outbox');
  await count(page, '1 message');
  await repositories().outbox.remove(id);
  await button(page, /^Try again to send/).click();
  await page.locator('#wrong').getByText('it was delivered').waitFor();
  await page.getByText('Every message was delivered.').waitFor();
});
