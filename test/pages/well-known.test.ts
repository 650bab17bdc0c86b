import { expect, test } from 'vitest';
import { startApp } from '../support/app.ts';

const baseUrl = 'https://app.example';
const enablePasskeys = true;

const at = (origin: string, name: string, method = 'GET') =>
  fetch(`${origin}/.well-known/${name}`, { method, redirect: 'manual' });

test('password managers find where passwords are changed, and passkeys added', async () => {
  const app = await startApp({ settings: { baseUrl, enablePasskeys, enableUiRouter: true } });
  const { uiPrefix } = app.gatehouse.config;
  const signingIn = `${baseUrl}${uiPrefix}/me#signing-in`;
  const change = await at(app.origin, 'change-password');
  expect(change.status).toBe(302);
  expect(change.headers.get('Location')).toBe(signingIn);
  const endpoints = await at(app.origin, 'passkey-endpoints');
  expect(endpoints.status).toBe(200);
  expect(endpoints.headers.get('Content-Type')).toMatch(/^application\/json/);
  expect(await endpoints.json()).toEqual({
    enroll: signingIn,
    manage: signingIn,
  });
  const posted = await at(app.origin, 'change-password', 'POST');
  expect(posted.status).toBe(405);
  expect(posted.headers.get('Allow')).toBe('GET, HEAD');
  // The rest belongs to the host; a path that stands for none must not redirect (a password manager asks for one).
  const none = 'resource-that-should-not-exist-whose-status-code-should-not-be-200';
  expect(await (await at(app.origin, none)).text()).toBe('not known to the host');
  // The section of the page that both lead to.
  const page = await fetch(`${app.origin}${uiPrefix}/me`);
  expect(await page.text()).toContain('id="signing-in"');
  await app.close();
});

test('without the pages they lead to the host’s account page, and passkey endpoints need passkeys', async () => {
  const plain = await startApp({ settings: { baseUrl, enableUiRouter: true } });
  expect((await at(plain.origin, 'change-password')).status).toBe(302);
  expect((await at(plain.origin, 'passkey-endpoints')).status).toBe(404);
  await plain.close();
  const account = 'https://app.example/settings/account';
  const bare = await startApp({ settings: { baseUrl, enablePasskeys, urls: { account } } });
  expect((await at(bare.origin, 'change-password')).headers.get('Location')).toBe(account);
  expect(await (await at(bare.origin, 'passkey-endpoints')).json()).toEqual({
    enroll: account,
    manage: account,
  });
  await bare.close();
});
