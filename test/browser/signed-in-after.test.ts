import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { signUp } from '../support/app.ts';
import { newAddress } from '../support/people.ts';
import { codeOf, strongSettings } from '../support/strong.ts';
import { look } from './look.ts';
import { linkIn, tokenIn, useSite } from './support.ts';

// A password that was just set is not asked for again.

const site = useSite(strongSettings);
const password = 'battery staple horse';
const saved = (page: Page) => page.getByText('Your new password is saved.').waitFor();

async function resetLink(email: string): Promise<string> {
  await site.app.rest('POST', '/forgot-password', { email });
  for (;;) {
    const mail = await site.app.nextMail(email);
    if (mail.kind === 'password-reset') return linkIn(mail);
  }
}

async function choose(page: Page, label = 'New password'): Promise<void> {
  await page.getByLabel(label, { exact: true }).fill(password);
  await page.locator('[type=submit]:enabled:visible').click();
}

test('a reset signs in, in any browser, and its page says for whom', async () => {
  const { email } = await signUp(site.app);
  const page = await site.open(await resetLink(email));
  await page.getByText(`For ${email}.`).waitFor();
  // Password managers store it under this name.
  expect(await page.locator('input[autocomplete=username]').inputValue()).toBe(email);
  await choose(page);
  await saved(page);
  await page.getByText(`Signed in as ${email}`).waitFor();
  await page.reload();
  await page.getByText(`Signed in as ${email}`).waitFor();
  expect(await page.getByText('Your new password is saved.').count()).toBe(0);
});

test('… up to the second step, where the account has one', async () => {
  const { email, token } = await signUp(site.app);
  const { id, secret } = (await site.app.rest('POST', '/totp/start', {}, { token })).body;
  const code = () => codeOf(site.app, secret);
  await site.app.rest('POST', '/totp/confirm', { id, code: code() }, { token });
  const page = await site.open(await resetLink(email));
  await choose(page);
  await page.getByRole('heading', { name: 'One more step' }).waitFor();
  await saved(page);
  await look(page, 'mfa, after a reset');
  expect(await tokenIn(page)).toBeNull();
  site.app.clock.advance(30_000);
  await page.locator('#step-totp-code').fill(code());
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByText(`Signed in as ${email}`).waitFor();
});

test('a sign-in that is refused leads to the login page, which has the address and says that the password is saved', async () => {
  const { id, email } = await signUp(site.app);
  const link = await resetLink(email);
  const page = await site.open(link);
  await page.route('**/api/auth/login', async route => {
    await site.app.gatehouse.repositories.users.change(id, { set: { isActive: false } });
    await route.continue();
  });
  await choose(page);
  await page.getByText('Your password was changed. Sign in with the new one.').waitFor();
  await page.locator('#password:focus').waitFor();
  expect(await page.getByLabel('Email address').inputValue()).toBe(email);
  await page.reload();
  await page.locator('#password:focus').waitFor();
  expect(await page.getByLabel('Email address').inputValue()).toBe(email);
});

test('a link of an earlier version, without an account, leads to the login page', async () => {
  const { id, email } = await signUp(site.app);
  const user = (await site.app.gatehouse.repositories.users.find(id))!;
  // As the version before made it.
  const { Tokens } = await import('../../src/crypto/tokens.ts');
  const { jwtSecret } = await import('../support/app.ts');
  const tokens = new Tokens({
    ...{ secret: jwtSecret, algorithm: 'HS256', clock: site.app.clock },
    lifetimes: { password_reset: 60 } as never,
  });
  const issuedAt = new Date((user.lastIssuedAt?.getTime() ?? 0) + 1);
  const token = tokens.sign('password_reset', { sub: id, issuedAt });
  const page = await site.open(`reset-password?token=${token}`);
  await choose(page);
  await page.getByText('Your password was changed. Sign in with the new one.').waitFor();
  expect(await page.getByLabel('Email address').inputValue()).toBe('');
  await page.getByLabel('Email address').fill(email);
});

test('a contested registration that gets its password signs in', async () => {
  const email = newAddress();
  for (const first of ['correct horse', 'battery staple'])
    await site.app.rest('POST', '/register', { email, password: first });
  await site.app.nextMail(email);
  const page = await site.open(linkIn(await site.app.nextMail(email)));
  await page.locator('[data-confirm]').click();
  await page.getByRole('heading', { name: 'Choose your password' }).waitFor();
  await choose(page, 'Password');
  await saved(page);
  await page.getByText(`Signed in as ${email}`).waitFor();
});

test('an address that was changed is filled in on the login page', async () => {
  const member = await signUp(site.app);
  const email = newAddress();
  const input = { current_password: member.password, new_email: email };
  await site.app.rest('POST', '/change-email', input, { token: member.token });
  const page = await site.open(linkIn(await site.app.nextMail(email)));
  await page.locator('[data-confirm]').click();
  await page.getByRole('link', { name: 'Sign in' }).click();
  await page.locator('#password:focus').waitFor();
  expect(await page.getByLabel('Email address').inputValue()).toBe(email);
});
