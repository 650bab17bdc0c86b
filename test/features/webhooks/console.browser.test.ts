import type { Locator } from 'playwright-core';
import { afterAll, afterEach, expect, test } from 'vitest';
import { button, focused, said, useConsole } from '../../browser/console.ts';
import { look } from '../../browser/look.ts';
import { signUp } from '../../support/app.ts';
import { eventually } from '../../support/eventually.ts';
import { storedSettings } from '../../support/outbox.ts';
import { startReceiver, webhookSecret } from '../../support/webhooks.ts';

const receiver = await startReceiver();
afterAll(() => receiver.close());
afterEach(() => void receiver.behave('/crm', 204));

const { site, repositories, openConsole } = useConsole({
  ...storedSettings,
  webhooks: {
    crm: { url: `${receiver.origin}/crm`, secret: webhookSecret, events: ['user_updated', 'user_deleted'] },
    shop: { url: `${receiver.origin}/shop`, secret: webhookSecret, events: ['oauth_signin_started'] },
  },
});

test('webhooks are listed with their state, tested, switched on again and replayed', async () => {
  await repositories().webhook_endpoints.switchOff('crm', 'it answered 410: it is gone');
  const page = await openConsole();
  const tab = page.getByRole('link', { name: /^Webhooks/ });
  // The tab says it wherever the operator is.
  await page.getByText('1 off').waitFor();
  await tab.click();
  const crm = page.getByRole('listitem').filter({ hasText: 'crm' });
  await crm.getByText('Switched off', { exact: true }).waitFor();
  expect(await crm.textContent()).toMatch(/it answered 410: it is gone/);
  expect(await crm.textContent()).toContain('Gets user_updated and user_deleted.');
  const shop = page.getByRole('listitem').filter({ hasText: 'shop' });
  expect(await shop.getByText('On', { exact: true }).isVisible()).toBe(true);
  expect(await shop.getByRole('button', { name: 'Switch on shop' }).isVisible()).toBe(false);
  await look(page, 'webhooks');

  receiver.behave('/crm', 500);
  await button(page, 'Test crm').click();
  await page
    .locator('#wrong.notice-danger', { hasText: 'crm has not taken the test: it answered 500.' })
    .waitFor();
  expect(await page.locator('#said').textContent()).toBe('');
  await button(page, 'Switch on crm').click();
  await said(page, 'The webhook is on, within seconds.');
  await crm.getByText('On', { exact: true }).waitFor();
  expect(await page.getByText('1 off').isVisible()).toBe(false);
  expect(receiver.at('/crm').map(({ event }) => event.type)).toEqual(['webhook_test']);
});

test('a webhook that fails is replayed before its next try, on a card as wide as the page', async () => {
  const messages = () => repositories().outbox.list({}, { limit: 10 });
  const { token } = await signUp(site.app);
  receiver.behave('/crm', 500);
  await site.app.rest('PATCH', '/me', { full_name: 'Ada' }, { token });
  await eventually(async () => expect(await messages()).toMatchObject([{ state: 'waiting', attempts: 1 }]));
  const page = await openConsole('#webhooks');
  const crm = page.getByRole('listitem').filter({ hasText: 'crm' });
  await crm.getByText('Failing', { exact: true }).waitFor();
  const leftOf = async (what: Locator) => (await what.boundingBox())?.x;
  expect(await leftOf(crm)).toBe(await leftOf(page.locator('#webhooks')));
  receiver.behave('/crm', 204);
  await button(page, 'Replay what crm has not taken').click();
  await said(page, '1 delivery will be tried again within seconds.');
  await eventually(async () => expect(await messages()).toEqual([]));
});

test('a test that is under way is not sent again, and leaves the focus in the list', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const former = receiver.at('/crm').length;
  receiver.behave('/crm', async () => {
    await promise;
    return 204;
  });
  const page = await openConsole('#webhooks');
  await button(page, 'Test crm').press('Enter');
  await page.locator('#webhooks button[aria-busy="true"]').press('Enter');
  await eventually(async () => expect(receiver.at('/crm')).toHaveLength(former + 1));
  resolve();
  await said(page, 'crm has taken the test');
  expect(receiver.at('/crm')).toHaveLength(former + 1);
  expect(await focused(page).getAttribute('id')).toBe('webhooks-title');
});
