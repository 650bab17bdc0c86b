import express from 'express';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { Gatehouse } from '../../../src/gatehouse.ts';
import { panelOf } from '../../browser/factors.ts';
import { look } from '../../browser/look.ts';
import { fillLogin, tokenIn, useSite } from '../../browser/support.ts';
import { attachAuthenticator } from '../../browser/virtual-authenticator.ts';
import { logIn, signUp, tokenOf } from '../../support/app.ts';
import { addressOf } from '../../support/oidc.ts';
import { nextCodeOf, setUpTotp, strongSettings } from '../../support/strong.ts';

// Pages that the host renders know the session (CONTRACT §15.1).

const orders: string[] = [];

/** What a host without any script renders. */
function routes(gatehouse: Gatehouse) {
  const html = (title: string, content = '') =>
    `<!doctype html><title>${title}</title><link rel="icon" href="data:,"><h1>${title}</h1>${content}`;
  const form = '<form method="post"><input name="thing" aria-label="Thing"><button>Order</button></form>';
  const browser = true;
  return express
    .Router()
    .use(express.urlencoded())
    .get('/orders', gatehouse.requireSession({ browser }), (req, res) => {
      res.send(html(`Orders of ${req.auth.user.email}`, `<p>${orders.join()}</p>${form}`));
    })
    .post('/orders', gatehouse.requireSession({ browser }), (req, res) => {
      orders.push(req.body.thing);
      res.redirect(303, '/orders');
    })
    .get('/payouts', gatehouse.requireSession({ browser, recentSeconds: 300 }), (_req, res) => {
      res.send(html('Payouts'));
    })
    .get(
      '/vault',
      gatehouse.requireSession({ browser, mfa: true }),
      (_req, res) => void res.send(html('Vault')),
    )
    .get('/front', gatehouse.optionalSession({ browser }), (req, res) => {
      res.send(html(req.auth ? 'Welcome back' : 'Welcome'));
    })
    .get('/forgetful', (_req, res) => res.redirect(303, '/account/login?next=/forgetful'));
}

// Without the list, ending the other sessions replaces this one.
const settings = { ...strongSettings, enableSessionList: false, enableBrowserSessions: true };
const site = useSite(settings, { routes });

const heading = (page: Page, name: string) => page.getByRole('heading', { name }).waitFor();
const at = (path: string) => site.origin + path;
const cookies = (page: Page) => page.context().cookies(site.origin);

test('a person opens a page, signs in, is led there, sends a form, signs out, and is asked again', async () => {
  // Pages of a host have their own rules.
  site.expectComplaint(/^Referer with \/orders/);
  const { email, password } = await signUp(site.app);
  const page = await site.open(at('/orders?from=mail'));
  expect(page.url()).toBe(site.page('login?next=%2Forders%3Ffrom%3Dmail'));
  await fillLogin(page, email, password);
  await heading(page, `Orders of ${email}`);
  expect(page.url()).toBe(at('/orders?from=mail'));
  await page.getByLabel('Thing').fill('A lamp');
  await page.getByRole('button', { name: 'Order' }).click();
  await page.getByText('A lamp').waitFor();
  expect(await page.evaluate('document.cookie')).toBe('');

  await page.goto(site.page('me'));
  await page.getByRole('button', { name: 'Sign out', exact: true }).click();
  await page.getByText('You are signed out.').waitFor();
  expect(await cookies(page)).toEqual([]);
  await page.goto(at('/orders'));
  await heading(page, 'Sign in');
  expect(page.url()).toBe(site.page('login?next=%2Forders'));
});

test('a sibling site makes no order, and reads none', async () => {
  const { email, password } = await signUp(site.app);
  const page = await site.open(at('/orders'));
  await fillLogin(page, email, password);
  await heading(page, `Orders of ${email}`);
  const before = [...orders];
  // Another port of this machine is the same site: browsers send the cookie there, SameSite or not.
  site.expectComplaint(/^(request to|console: )/);
  const sibling = await page.context().newPage();
  await sibling.route('http://localhost:1/**', route =>
    route.fulfill({
      contentType: 'text/html',
      body: `<form method="post" action="${at('/orders')}"><input name="thing" value="A bomb"><button>Win</button></form>`,
    }),
  );
  await sibling.goto('http://localhost:1/');
  const sent = sibling.waitForResponse(at('/orders'));
  await sibling.getByRole('button', { name: 'Win' }).click();
  const response = await sent;
  expect((await response.request().allHeaders()).cookie).toMatch(/^svc=/);
  expect(response.status()).toBe(401);
  await sibling.goto('http://localhost:1/');
  const read = `fetch('${at('/orders')}', { credentials: 'include' }).then(r => r.text(), () => 'refused')`;
  expect(await sibling.evaluate(read)).toBe('refused');
  const post = `fetch('${at('/orders')}', { method: 'POST', credentials: 'include', mode: 'no-cors',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' }, body: 'thing=A+bomb' }).then(() => 'answered', () => 'kept from the page')`;
  await sibling.evaluate(post);
  expect(orders).toEqual(before);
});

test('a browser that has forgotten the cookie gets it again, without a form', async () => {
  const { token, email } = await signUp(site.app);
  const page = await site.openSignedIn(at('/orders'), token);
  await heading(page, `Orders of ${email}`);
  await page.context().clearCookies();
  await page.goto(at('/front'));
  await heading(page, 'Welcome');
  await page.goto(at('/orders'));
  await heading(page, `Orders of ${email}`);
  await page.goto(at('/front'));
  await heading(page, 'Welcome back');
});

test('a session that has ended is forgotten, and asked for by the form', async () => {
  const { token, email, password } = await signUp(site.app);
  const page = await site.openSignedIn(at('/orders'), token);
  await heading(page, `Orders of ${email}`);
  await site.app.rest('POST', '/logout', {}, { token });
  await page.goto(at('/orders'));
  await heading(page, 'Sign in');
  await page.locator('[type=submit]:enabled').first().waitFor();
  await expect.poll(() => tokenIn(page)).toBeNull();
  await expect.poll(() => cookies(page)).toEqual([]);
  await fillLogin(page, email, password);
  await heading(page, `Orders of ${email}`);
});

test('a page that never recognises the session ends in words, and not in a circle', async () => {
  const { token } = await signUp(site.app);
  const page = await site.openSignedIn(at('/forgetful'), token);
  await page.getByText('that page does not recognise it').waitFor();
  await look(page, 'login, led back');
  expect(page.url()).toBe(site.page('login?next=/forgetful'));
});

test('the second step leads there', async () => {
  const member = await signUp(site.app);
  const { secret } = await setUpTotp(site.app, member);
  const page = await site.open(at('/orders'));
  await fillLogin(page, member.email, member.password);
  await page.getByRole('heading', { name: 'One more step' }).waitFor();
  await page.getByLabel('Code').first().fill(nextCodeOf(site.app, secret));
  await page.getByRole('button', { name: 'Sign in', exact: true }).first().click();
  await heading(page, `Orders of ${member.email}`);
});

test('a provider leads there', async () => {
  const page = await site.open(at('/orders'));
  await page.getByRole('button', { name: 'Continue with Google' }).click();
  await page.getByLabel('Name').fill('shopper');
  await page.getByRole('button', { name: 'Continue' }).click();
  await heading(page, `Orders of ${addressOf('shopper')}`);
});

test('a new account leads there, also when the address is confirmed elsewhere', async () => {
  const [email, password] = ['new-shopper@example.org', 'correct horse battery'];
  const page = await site.open(at('/orders'));
  await page.locator('[type=submit]:enabled').waitFor();
  await page.getByRole('link', { name: 'Create an account' }).click();
  await page.getByLabel('Email address').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Create my account' }).click();
  await heading(page, 'Check your email');
  await site.app.rest('POST', '/verify', { token: tokenOf(await site.app.nextMail(email)) });
  await page.getByRole('link', { name: 'Sign in', exact: true }).click();
  await fillLogin(page, email, password);
  await heading(page, `Orders of ${email}`);
});

test('a passkey leads there, and its set-up may replace the session', async () => {
  const { token, email } = await signUp(site.app);
  const page = await site.openSignedIn('me', token);
  // The login page, which comes later, does not offer the passkey by itself.
  await page.addInitScript('PublicKeyCredential.isConditionalMediationAvailable = async () => false;');
  await attachAuthenticator(page);
  const panel = panelOf(page, 'Passkeys');
  // The press that opens the panel begins.
  await panel.locator('summary').click();
  await page.getByRole('button', { name: 'I have stored them' }).click();
  await page.getByText('Your passkey is set up.').waitFor();
  expect(await tokenIn(page)).not.toBe(token);
  await page.goto(at('/front'));
  await heading(page, 'Welcome back');
  await page.goto(site.page('me'));
  await page.getByRole('button', { name: 'Sign out', exact: true }).click();
  await page.getByText('You are signed out.').waitFor();

  await page.goto(at('/orders'));
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
  await heading(page, `Orders of ${email}`);
});

test('a page that needs a recent sign-in asks for it, and the session is replaced', async () => {
  const { token, email, password } = await signUp(site.app);
  const page = await site.openSignedIn(at('/orders'), token);
  await heading(page, `Orders of ${email}`);
  site.app.clock.advance(301_000);
  await page.goto(at('/payouts'));
  const dialog = page.getByRole('dialog', { name: 'Sign in again to go on' });
  await dialog.waitFor();
  await look(page, 'login, sign in again');
  await dialog.getByLabel('Password', { exact: true }).fill(password);
  await dialog.getByRole('button', { name: 'Go on' }).click();
  await heading(page, 'Payouts');
  expect(await tokenIn(page)).not.toBe(token);
  expect(await site.app.gatehouse.authenticate(token)).toBeNull();
  await page.goto(at('/orders'));
  await heading(page, `Orders of ${email}`);
});

test('a page that needs a second factor leads to where one is set up', async () => {
  const { token } = await signUp(site.app);
  const page = await site.openSignedIn(at('/vault'), token);
  await page.getByText('That page needs a second factor.').waitFor();
  expect(page.url()).toBe(site.page('me'));
});

test('a sign-out elsewhere takes the cookie away, and a session that replaces another sets it', async () => {
  const member = await signUp(site.app);
  const page = await site.openSignedIn(at('/orders'), member.token);
  await heading(page, `Orders of ${member.email}`);
  const tab = await page.context().newPage();
  await tab.goto(site.page('me'));
  await heading(tab, 'Your account');
  const other = await logIn(site.app, member);
  await tab.evaluate(`localStorage.setItem('svc.access_token', '${other}')`);
  await site.app.rest('POST', '/logout', {}, { token: member.token });
  await page.goto(at('/orders'));
  await heading(page, `Orders of ${member.email}`);
  await tab.bringToFront();
  await tab.goto(site.page('me'));
  await tab.getByRole('button', { name: 'Sign out everywhere' }).click();
  await tab.getByText('You are signed out on every device.').waitFor();
  await page.goto(at('/orders'));
  await heading(page, 'Sign in');
});

test('no page leads to another site', async () => {
  const { token } = await signUp(site.app);
  const page = await site.openSignedIn('me', token);
  for (const next of [
    '//evil.example',
    '/\\evil.example',
    'javascript:alert(1)',
    'https://evil.example',
    '/\t/evil.example',
  ]) {
    await page.goto(site.page(`login?${new URLSearchParams({ next })}`));
    await page.waitForURL(site.page('me'));
  }
});
