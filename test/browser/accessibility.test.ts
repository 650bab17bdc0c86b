import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { signUp } from '../support/app.ts';
import { newAddress, signUpSuperuser } from '../support/people.ts';
import { look } from './look.ts';
import { linkIn, useSite } from './support.ts';

// Each page in each of its states.

const site = useSite();
const narrow = { viewport: { width: 320, height: 640 } };
const send = (page: Page) => page.locator('[type=submit]:enabled:visible').first().click();

test('the pages without a session', async () => {
  const { email } = await signUp(site.app);
  const page = await site.open('login', narrow);
  await page.locator('[type=submit]:enabled').waitFor();
  await look(page, 'login');
  await send(page);
  await look(page, 'login, with nothing filled in');
  await page.getByLabel('Email address').fill(email);
  await page.getByLabel('Password', { exact: true }).fill('not the password');
  await send(page);
  await page.locator('#password-error:not(:empty)').waitFor();
  await look(page, 'login, refused');

  await page.goto(site.page('register'));
  await page.getByLabel('Email address').fill(email);
  await page.getByLabel('Password', { exact: true }).fill('correct horse');
  await send(page);
  await page.getByRole('link', { name: 'Sign in instead' }).waitFor();
  await look(page, 'register, taken');
  const long = `${'long.name.'.repeat(6)}@example.org`;
  await page.getByLabel('Email address').fill(long);
  await send(page);
  await page.getByRole('heading', { name: 'Check your email' }).waitFor();
  await page.getByRole('button', { name: 'Send it again' }).click();
  await page.getByText('Sent again.').waitFor();
  await look(page, 'register, sent');

  await page.goto(site.page('forgot'));
  await look(page, 'forgot');
  await page.getByLabel('Email address').fill(email);
  await send(page);
  await page.getByRole('heading', { name: 'Check your email' }).waitFor();
  await look(page, 'forgot, sent');
});

test('the pages that mails and providers lead to', async () => {
  const page = await site.open('verify?token=x', narrow);
  await page.locator('[data-confirm]:enabled').waitFor();
  await look(page, 'verify');
  await page.locator('[data-confirm]').click();
  await page.getByRole('heading', { name: 'This link no longer works' }).waitFor();
  await look(page, 'verify, expired');

  const email = newAddress();
  for (const password of ['correct horse', 'battery staple']) {
    await site.app.rest('POST', '/register', { email, password });
  }
  await site.app.nextMail(email);
  await page.goto(linkIn(await site.app.nextMail(email)));
  await page.locator('[data-confirm]').click();
  await page.getByRole('heading', { name: 'Choose your password' }).waitFor();
  await look(page, 'verify, password');

  await page.goto(site.page('reset-password?token=x'));
  await page.getByLabel('New password').fill('a brand new password');
  await look(page, 'reset-password');
  await send(page);
  await page.getByRole('heading', { name: 'This link no longer works' }).waitFor();
  await look(page, 'reset-password, expired');

  await page.goto(site.page('accept-invitation?token=x'));
  await page.getByLabel('Password', { exact: true }).fill('a brand new password');
  await look(page, 'accept-invitation');
  await send(page);
  await page.getByRole('heading', { name: 'This link no longer works' }).waitFor();
  await look(page, 'accept-invitation, expired');

  await page.goto(site.page('confirm-email-change?token=x'));
  await page.locator('[data-confirm]:enabled').waitFor();
  await look(page, 'confirm-email-change');
  await page.goto(site.page('oauth-complete?id=x'));
  await page.getByRole('heading', { name: 'This sign-in was started elsewhere' }).waitFor();
  await look(page, 'oauth-complete');
  await page.evaluate(`sessionStorage.setItem('svc.mfa_pending_token', 'x');
    sessionStorage.setItem('svc.mfa_methods', '["sms"]')`);
  await page.goto(site.page('mfa'));
  await page.getByLabel('Code').fill('123456');
  await send(page);
  await page.locator('[role=alert]:not(:empty)').waitFor();
  await look(page, 'mfa, refused');
});

test('the account page, with everything open', async () => {
  const { token, password } = await signUp(site.app, `${'longer.name.'.repeat(5)}@example.org`);
  await site.app.rest('PATCH', '/me', { full_name: 'W'.repeat(200) }, { token });
  const page = await site.openSignedIn('me', token, narrow);
  await page.getByRole('heading', { name: 'Your account' }).waitFor();
  await look(page, 'me');
  for (const summary of await page.locator('summary').all()) await summary.click();
  await look(page, 'me, open');
  await page.getByLabel('Phone number').fill('+447700900140');
  await page.locator('#phone-password').fill(password);
  await page.getByRole('button', { name: 'Send a code' }).click();
  await page.getByLabel('Code').waitFor();
  await look(page, 'me, with a code on its way');
  await page.getByRole('button', { name: 'Delete…' }).click();
  await page.getByRole('button', { name: 'Delete my account' }).click();
  await look(page, 'me, deleting');
});

test('where the system chooses the colours, borders say what colours said, and nothing sticks out', async () => {
  const { token } = await signUpSuperuser(site.app);
  const account = await site.openSignedIn('me', token, narrow);
  await account.getByText('Administrator').waitFor();
  await look(account, 'me, of an administrator');
  const page = await site.openSignedIn('admin', token, { forcedColors: 'active' });
  await page.locator('tbody .badge').first().waitFor();
  const widths = (selector: string, side: string) =>
    page
      .locator(selector)
      .evaluateAll((all, name) => all.map(each => getComputedStyle(each).getPropertyValue(name)), side);
  const [present, ...others] = await widths('.tab', 'border-bottom-width');
  expect([present, ...new Set(others)]).toEqual(['3px', '0px']);
  expect(new Set(await widths('tbody .badge', 'border-top-width'))).toEqual(new Set(['1px']));
});

test('everything can be reached and used by keyboard alone, and the focus is always to be seen', async () => {
  const { email, password } = await signUp(site.app);
  const page = await site.open('login');
  await page.locator('[type=submit]:enabled').waitFor();
  const focused = async () => {
    await page.keyboard.press('Tab');
    return page.evaluate(`(() => {
      const { outlineStyle, outlineWidth } = getComputedStyle(document.activeElement);
      const text = document.activeElement.ariaLabel || document.activeElement.textContent.trim();
      return (text || document.activeElement.id) + (outlineStyle === 'none' || outlineWidth === '0px' ? ' (not seen)' : '');
    })()`);
  };
  const order = ['Skip to the content', 'email', 'password', 'Show password', 'Forgot password?', 'Sign in'];
  for (const name of order) expect(await focused()).toBe(name);
  expect(await focused()).toBe('Continue with Google');
  expect(await focused()).toBe('Create an account');
  await page.locator('#email').focus();
  await page.keyboard.type(email);
  await page.keyboard.press('Tab');
  await page.keyboard.type(password);
  await page.keyboard.press('Enter');

  await page.locator('h1:focus').waitFor();
  expect(await focused()).toContain('Name');
  await page.keyboard.press('Enter');
  expect(await focused()).toBe('full_name');
  await page.keyboard.type('Ada');
  await page.keyboard.press('Enter');
  await page.getByText('Your name is saved.').waitFor();
  await page.locator('summary:focus').waitFor();

  await page.getByRole('button', { name: 'Delete…' }).focus();
  await page.keyboard.press('Enter');
  expect(await page.locator('dialog').isVisible()).toBe(true);
  await page.keyboard.press('Escape');
  expect(await page.locator('dialog').isVisible()).toBe(false);
  await page.locator('[data-open-deletion]:focus').waitFor();
});
