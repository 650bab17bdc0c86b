import { join } from 'node:path';
import { expect, test } from 'vitest';
import { signUp } from '../support/app.ts';
import { codeOf, strongSettings } from '../support/strong.ts';
import { fillLogin, signInBy, useSite } from './support.ts';

// A host's own templates of before there were authenticator apps and passkeys go on working when these are switched on.

const site = useSite({
  ...strongSettings,
  extraTemplateDirs: [join(import.meta.dirname, 'older-templates')],
});

test('an account page without the new parts shows and changes what it did before', async () => {
  const { email, password } = await signUp(site.app);
  const page = await site.open('login');
  await signInBy(page, email, password);
  await page.getByText('Name', { exact: true }).click();
  await page.getByLabel('Your name').fill('Ada');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Your name is saved.').waitFor();
  await page.getByText('Two-step verification').click();
  await page.getByLabel('Phone number').fill('+447700900230');
  await page.locator('#phone-password').fill(password);
  await page.getByRole('button', { name: 'Send a code' }).click();
  await page.getByLabel('Code').fill(/\d{6}/.exec((await site.app.nextText('+447700900230')).text)![0]);
  await page.getByRole('button', { name: 'Turn it on' }).click();
  await page.getByText('On, by text message to +447700900230').waitFor();
  await page.getByRole('button', { name: 'Sign out everywhere' }).click();
  await page.getByText('You are signed out on every device.').waitFor();
});

test('the one form of the second step takes the code of an app', async () => {
  const { email, password, token } = await signUp(site.app);
  const started = await site.app.rest('POST', '/totp/start', {}, { token });
  const { id, secret } = started.body;
  const code = () => codeOf(site.app, secret);
  const confirmed = await site.app.rest('POST', '/totp/confirm', { id, code: code() }, { token });
  expect(confirmed.status).toBe(200);
  const page = await site.open('login');
  await fillLogin(page, email, password);
  await page.locator('#code:focus').waitFor();
  site.app.clock.advance(30_000);
  await page.keyboard.type(code());
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Your account' }).waitFor();
});
