import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { signUp } from '../support/app.ts';
import { codeIn } from '../support/people.ts';
import { setUpPhone } from '../support/strong.ts';
import { fillLogin, tokenIn, useSite } from './support.ts';

const site = useSite();

/** One that is not this. */
const otherThan = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, '0');

const enter = async (page: Page, code: string) => {
  await page.getByLabel('Code').fill(code);
  await page.getByRole('button', { name: 'Sign in' }).click();
};

test('a phone is set up, asked for at the next sign-in, and taken off', async () => {
  const { email, password, token } = await signUp(site.app);
  const page = await site.openSignedIn('me', token);
  await page.getByText('Two-step verification').click();
  await page.getByLabel('Phone number').fill('+44 7700 900-123');
  await page.locator('#phone-password').fill(password);
  await page.getByRole('button', { name: 'Send a code' }).click();
  const code = codeIn(await site.app.nextText('+447700900123'));
  // The text message was read in another app, and the browser has forgotten the page meanwhile.
  await page.getByLabel('Code').waitFor();
  await page.reload();
  await page.getByText('Two-step verification').click();
  await page.getByLabel('Code').fill(otherThan(code));
  await page.getByRole('button', { name: 'Turn it on' }).click();
  await page.getByText('That code is wrong. You have 4 tries left.').waitFor();
  await page.getByLabel('Code').fill(`${code.slice(0, 3)} ${code.slice(3)}`);
  await page.getByRole('button', { name: 'Turn it on' }).click();
  await page.getByText('Two-step verification is on.').waitFor();
  await page.getByText('On, by text message to +447700900123').waitFor();

  await page.getByRole('button', { name: 'Sign out', exact: true }).click();
  await fillLogin(page, email, password);
  await page.getByRole('heading', { name: 'Enter the code' }).waitFor();
  expect(await tokenIn(page)).toBeNull();
  expect(
    await page.evaluate(
      "Object.keys(localStorage).length + ':' + sessionStorage['svc.mfa_pending_token'].length",
    ),
  ).toMatch(/^0:\d{3}$/);
  await enter(page, codeIn(await site.app.nextText('+447700900123')));
  await page.getByRole('heading', { name: 'Your account' }).waitFor();
  expect(await page.evaluate("sessionStorage.getItem('svc.mfa_pending_token')")).toBeNull();

  await page.getByText('Two-step verification').click();
  await page.locator('#phone-remove-password').fill('not the password');
  await page.getByRole('button', { name: 'Turn it off' }).click();
  await page.getByText('The current password is wrong.').waitFor();
  await page.locator('#phone-remove-password').fill(password);
  await page.getByRole('button', { name: 'Turn it off' }).click();
  await page.getByText('Your phone is removed.').waitFor();
});

test('a code whose tries are used up leads to a new one', async () => {
  const member = await signUp(site.app);
  const { email, password } = member;
  const phone = await setUpPhone(site.app, member);
  const page = await site.open('login?next=/account/forgot');
  await fillLogin(page, email, password);
  const code = codeIn(await site.app.nextText(phone));
  for (const left of ['4 tries', '3 tries', '2 tries', '1 try']) {
    await enter(page, otherThan(code));
    await page.getByText(`You have ${left} left.`).waitFor();
  }
  await enter(page, otherThan(code));
  await page.getByText('That was the last try for this code.').waitFor();
  await page.getByRole('alert').getByRole('link').click();
  await fillLogin(page, email, password);
  await enter(page, codeIn(await site.app.nextText(phone)));
  // Where they were going at first.
  await page.getByRole('heading', { name: 'Forgot your password?' }).waitFor();
});

test('a code that expired leads to a new one', async () => {
  const member = await signUp(site.app);
  const { email, password } = member;
  const phone = await setUpPhone(site.app, member);
  const page = await site.open('login');
  await fillLogin(page, email, password);
  const code = codeIn(await site.app.nextText(phone));
  site.app.clock.advance(301_000);
  await page.getByRole('heading', { name: 'Enter the code' }).waitFor();
  await enter(page, code);
  await page.getByText('This code has expired. Send a new one.').waitFor();
  await page.getByRole('button', { name: 'Send another one' }).click();
  await page.getByText('A new code is on its way.').waitFor();
  await enter(page, codeIn(await site.app.nextText(phone)));
  await page.getByRole('heading', { name: 'Your account' }).waitFor();
});

test('the second step without a first one leads to the login page', async () => {
  const page = await site.open('mfa');
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
});

test('a number that is none is explained beside its field, which gets the focus', async () => {
  const { password, token } = await signUp(site.app);
  const page = await site.openSignedIn('me', token);
  await page.getByText('Two-step verification').click();
  await page.getByLabel('Phone number').fill('07700 900123');
  await page.locator('#phone-password').fill(password);
  await page.getByRole('button', { name: 'Send a code' }).click();
  await page.locator('#phone_number-error:not(:empty)').waitFor();
  expect(await page.locator('#phone_number-error').textContent()).toMatch(/^Phone number must /);
  await page.locator('#phone_number[aria-invalid=true]:focus').waitFor();
});
