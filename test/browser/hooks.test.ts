import { afterEach, expect, test } from 'vitest';
import { Refusal } from '../../src/index.ts';
import { signUp } from '../support/app.ts';
import { askedHost } from '../support/hooks.ts';
import { newAddress } from '../support/people.ts';
import { fillLogin, useSite } from './support.ts';

// The refusal of a host is shown in its own words, on the page where the person is.

const host = askedHost();
const site = useSite({ supportContact: 'help@example.org' }, { hooks: host.hooks });
afterEach(() => host.reset());
const refuse = (reason: string) =>
  host.answer(() => {
    throw new Refusal(reason);
  });

test('a registration', async () => {
  refuse('Only addresses of <acme.example> may register.');
  const page = await site.open('register');
  await page.getByLabel('Email address').fill(newAddress());
  await page.getByLabel('Password', { exact: true }).fill('correct horse');
  await page.getByRole('button', { name: 'Create my account' }).click();
  await page.getByRole('alert').getByText('Only addresses of <acme.example> may register.').waitFor();
});

test('a sign-in', async () => {
  const { email, password } = await signUp(site.app);
  refuse('We open again on Monday.');
  const page = await site.open('login');
  await fillLogin(page, email, password);
  await page.getByRole('alert').getByText('We open again on Monday.').waitFor();
});

test('a new address', async () => {
  const { password, token } = await signUp(site.app);
  const page = await site.openSignedIn('me', token);
  refuse('Your company decides on your address.');
  await page.locator('summary', { hasText: 'Email address' }).click();
  const form = page.locator('#email-change');
  await form.locator('[name=new_email]').fill(newAddress());
  await form.locator('[name=current_password]').fill(password);
  await form.locator('[type=submit]').click();
  await form.getByText('Your company decides on your address.').waitFor();
});

test('a deletion', async () => {
  const { email, password, token } = await signUp(site.app);
  const page = await site.openSignedIn('me', token);
  refuse('There is an order on its way to you.');
  await page.getByRole('button', { name: 'Delete…' }).click();
  await page.getByLabel('Your email address, to be sure').fill(email);
  await page.locator('#deletion-password').fill(password);
  await page.getByRole('button', { name: 'Delete my account' }).click();
  await page.getByText('There is an order on its way to you.').waitFor();
});

test('an external sign-in, in general words, as its callback has only a code', async () => {
  refuse('We open again on Monday.');
  const page = await site.open('login');
  await page.getByRole('button', { name: 'Continue with Google' }).click();
  await page.getByLabel('Name').fill('refused');
  await page.getByRole('button', { name: 'Continue' }).click();
  await page
    .getByText(
      'This site does not let you in with this account. Ask the people who run this site (help@example.org).',
    )
    .waitFor();
  expect(new URL(page.url()).search).toBe('');
});
