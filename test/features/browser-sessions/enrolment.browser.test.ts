import { Router } from 'express';
import { expect, test } from 'vitest';
import type { Gatehouse } from '../../../src/gatehouse.ts';
import { setUpApp } from '../../browser/factors.ts';
import { fillLogin, useSite } from '../../browser/support.ts';
import { logIn, signUp } from '../../support/app.ts';
import { nextCodeOf, setUpTotp, strongSettings } from '../../support/strong.ts';

// Pages that the host renders, for accounts that must have a second factor (`mfa_required`).

const routes = (gatehouse: Gatehouse) =>
  Router().get('/orders', gatehouse.requireSession({ browser: true }), (req, res) => {
    const { email } = req.auth.user;
    res.send(
      `<!doctype html><title>Orders</title><link rel="icon" href="data:,"><h1>Orders</h1><p>${email}</p>`,
    );
  });

const site = useSite({ ...strongSettings, mfaRequired: 'everyone', enableBrowserSessions: true }, { routes });

test('an account without one is led to setting it up, and then to the page', async () => {
  const member = await signUp(site.app);
  const page = await site.open(`${site.origin}/orders`);
  await fillLogin(page, member.email, member.password);
  await page.getByText('Your account needs a second way to prove that it is you.').waitFor();
  expect(page.url()).toBe(site.page('me'));
  expect(await page.context().cookies(site.origin)).toEqual([]);
  await setUpApp(page, () => site.app.clock.now());
  await page.getByRole('button', { name: 'I have stored them' }).click();
  await page.getByText('Your authenticator app is set up.').waitFor();
  await page.goto(`${site.origin}/orders`);
  await page.getByRole('heading', { name: 'Orders' }).waitFor();
});

test('a session that lacks the factor which was set up elsewhere is signed in to again, and then led to the page', async () => {
  const member = await signUp(site.app);
  const token = await logIn(site.app, member);
  const { secret } = await setUpTotp(site.app, member);
  const page = await site.openSignedIn(site.page('login?next=/orders'), token);
  const again = page.getByRole('dialog', { name: 'Sign in again to go on' });
  await again.getByLabel('Password', { exact: true }).fill(member.password);
  await page.keyboard.press('Enter');
  await page.locator('#again-totp-code:focus').waitFor();
  await page.keyboard.type(nextCodeOf(site.app, secret));
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Orders' }).waitFor();
});

test('whose cookie cannot be set takes the place of the person before', async () => {
  const [ada, eve] = [await signUp(site.app), await signUp(site.app)];
  const { token } = await setUpTotp(site.app, ada);
  // The session of somebody else is still in the browser, but its token is not.
  const page = await site.openSignedIn(site.page('login?next=/orders'), token);
  await page.getByText(ada.email).waitFor();
  await page.evaluate('localStorage.clear()');
  await page.goto(site.page('login'));
  await fillLogin(page, eve.email, eve.password);
  await page.getByText('Your account needs a second way to prove that it is you.').waitFor();
  await page.goto(`${site.origin}/orders`);
  await page.getByText('Your account needs a second way to prove that it is you.').waitFor();
  expect(page.url()).toBe(site.page('me'));
});
