import { expect, test } from 'vitest';
import { signUp } from '../support/app.ts';
import { button, dialogOf, said, useConsole } from './console.ts';
import { look } from './look.ts';

// The API keys of an account, in the console (CONTRACT §17).

const { site, openUser } = useConsole({ enableApiKeys: true });

/** Makes a key, and returns it. */
async function makeKey(token: string, name: string): Promise<string> {
  const { body } = await site.app.rest('POST', '/api-keys', { name, scopes: ['profile'] }, { token });
  return body.key as string;
}

const counts = async (key: string) =>
  (await site.app.rest('GET', '/me', undefined, { token: key })).status === 200;

test('are listed without the key, and removed one by one or all at once', async () => {
  const member = await signUp(site.app);
  const [report, backup, sync] = [
    await makeKey(member.token, 'Nightly report'),
    await makeKey(member.token, 'Backup'),
    await makeKey(member.token, 'Sync'),
  ];
  const page = await openUser(member.id);
  const list = page.getByRole('region', { name: 'API keys' }).getByRole('listitem');
  await list.nth(2).waitFor();
  expect(await list.nth(2).textContent()).toMatch(
    /Nightly report\s+Key ….{4}, good until .*\s+Not used yet\s+profile/,
  );
  for (const key of [report, backup, sync]) expect(await page.content()).not.toContain(key);
  await look(page, 'an account with API keys, in the console');

  await button(page, /^Remove Nightly report/).click();
  await dialogOf(page).getByRole('button', { name: 'Remove it' }).click();
  await said(page, 'The API key was removed. It is refused at once.');
  expect([await counts(report), await counts(backup)]).toEqual([false, true]);
  expect(await list.count()).toBe(2);

  await button(page, 'Remove every API key…').click();
  await dialogOf(page).getByRole('button', { name: 'Remove them' }).click();
  await said(page, '2 API keys were removed.');
  expect([await counts(backup), await counts(sync)]).toEqual([false, false]);
  expect(await list.count()).toBe(0);
});
