import { expect, test } from 'vitest';
import { signUp } from '../support/app.ts';
import { fillLogin, useSite } from './support.ts';

const googleLabel = 'Acme "ID" <staff>';
const site = useSite({ oauth: { googleLabel } });
/** A site whose provider cannot be reached. */
const cutOff = useSite({ oauth: { googleLabel, googleIssuer: 'http://127.0.0.1:9' } });

test('a provider is called what the configuration says, at the button, the panel and in the mail', async () => {
  const { token, email } = await signUp(site.app);
  const entrance = await site.open('login');
  await entrance.getByRole('button', { name: `Continue with ${googleLabel}`, exact: true }).waitFor();

  const page = await site.openSignedIn('me', token);
  await page.getByRole('button', { name: `Connect ${googleLabel}`, exact: true }).click();
  await page.getByLabel('Name').fill('labelled');
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByText(`${googleLabel} is connected.`, { exact: true }).waitFor();
  expect((await site.app.nextMail(email)).text).toContain(`A ${googleLabel} account can now sign in`);
  await page.getByRole('button', { name: `Disconnect ${googleLabel}`, exact: true }).click();
  await page.getByText(`${googleLabel} is disconnected.`, { exact: true }).waitFor();
  expect((await site.app.nextMail(email)).text).toContain(`The ${googleLabel} account can no longer`);
});

test('a provider that is down is said in words, and the form is still there and leads where it did', async () => {
  const page = await cutOff.open('login?next=/account/me?from=shop');
  await page.getByRole('button', { name: `Continue with ${googleLabel}` }).click();
  await page.getByText('This sign-in is unavailable at the moment.').waitFor();
  const next = '?next=%2Faccount%2Fme%3Ffrom%3Dshop';
  expect(page.url()).toBe(cutOff.page('login') + next);
  const { email, password, token } = await signUp(cutOff.app);
  await fillLogin(page, email, password);
  await page.getByRole('heading', { name: 'Your account' }).waitFor();
  expect(new URL(page.url()).search).toBe('?from=shop');

  const account = await cutOff.openSignedIn('me', token);
  await account.getByRole('button', { name: `Connect ${googleLabel}` }).click();
  await account.getByText('The service is unavailable at the moment.').waitFor();
});
