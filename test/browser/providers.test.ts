import { generateKeyPairSync } from 'node:crypto';
import { expect, test } from 'vitest';
import { signUp } from '../support/app.ts';
import { signUpSuperuser } from '../support/people.ts';
import { useSite } from './support.ts';

const secret = { clientId: 'x', clientSecret: 's' };
const privateKey = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  .privateKey.export({ type: 'pkcs8', format: 'pem' })
  .toString();
const site = useSite({
  oauth: {
    providers: {
      github: { kind: 'github', ...secret },
      microsoft: { kind: 'microsoft', ...secret },
      apple: { kind: 'apple', clientId: 'x', teamId: 't', keyId: 'k', privateKey },
      // Nothing listens there.
      acme: { label: 'Acme "ID"', issuer: 'http://127.0.0.1:9', ...secret },
    },
  },
});
const labels = ['Google', 'GitHub', 'Microsoft', 'Apple', 'Acme "ID"'];

test('the login page has one button for each provider, in their order, with the mark where it is known', async () => {
  const page = await site.open('login', { viewport: { width: 320, height: 900 } });
  const buttons = page.locator('button[data-starts]');
  await buttons.first().and(page.locator(':enabled')).waitFor();
  expect(await buttons.allTextContents()).toEqual(labels.map(label => `Continue with ${label}`));
  // Google stands for any OpenID Connect provider here, so it has no mark.
  const marks = await Promise.all(
    labels.map(label => page.getByRole('button', { name: label }).locator('svg').count()),
  );
  expect(marks).toEqual([0, 1, 1, 1, 0]);
  const isWider = await page.evaluate('document.documentElement.scrollWidth > innerWidth');
  expect(isWider).toBe(false);
});

test('the account page lists each provider, and connects and disconnects the right one', async () => {
  const { token } = await signUp(site.app);
  const page = await site.openSignedIn('me', token);
  const lines = page.locator('[data-providers] .panel-label');
  await lines.nth(4).waitFor();
  expect(await lines.allTextContents()).toEqual(labels);
  const dividers = await page
    .locator('[data-providers] > li')
    .evaluateAll(items => items.map(item => getComputedStyle(item).borderTopStyle));
  expect(dividers).toEqual(['none', 'solid', 'solid', 'solid', 'solid']);
  await page.getByRole('button', { name: 'Connect Google', exact: true }).click();
  await page.getByLabel('Name').fill('several');
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByText('Google is connected.', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Connect GitHub', exact: true }).waitFor();
  await page.getByRole('button', { name: 'Disconnect Google', exact: true }).click();
  await page.getByText('Google is disconnected.', { exact: true }).waitFor();
});

test('a provider that is down is told where the sign-in or the link was started', async () => {
  const page = await site.open('login');
  await page.getByRole('button', { name: 'Continue with Acme' }).click();
  await page.getByText('This sign-in is unavailable at the moment.').waitFor();
  expect(page.url()).toBe(site.page('login'));
  const account = await site.openSignedIn('me', (await signUp(site.app)).token);
  await account.getByRole('button', { name: 'Connect Acme' }).click();
  await account.getByText('The service is unavailable at the moment.').waitFor();
  expect(account.url()).toBe(site.page('me'));
});

test('the console shows the identities of an account and unlinks one, after a question', async () => {
  const admin = await signUpSuperuser(site.app);
  const member = await signUp(site.app);
  const { body } = await site.app.rest('POST', '/oauth/google/link/start', {}, { token: member.token });
  const back = await site.oidc.signInAt(body.authorization_url, 'seen-by-admins');
  await site.app.rest('GET', `/oauth/google/callback${back.search}`);

  const page = await site.openSignedIn(`admin#user?id=${member.id}`, admin.token);
  const section = page.locator('#user-identities');
  await section.getByText('seen-by-admins@people.example').waitFor();
  await section.getByText(site.oidc.issuer).waitFor();
  await section.getByRole('button', { name: 'Unlink Google' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Unlink' }).click();
  await section.getByText('None.').waitFor();
  const { oauth_identities } = site.app.gatehouse.repositories;
  expect(await oauth_identities.listByUser(member.id)).toEqual([]);
});
