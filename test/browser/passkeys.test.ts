import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { signUp } from '../support/app.ts';
import { codeIn } from '../support/people.ts';
import { setUpPhone, strongSettings } from '../support/strong.ts';
import { panelOf } from './factors.ts';
import { look } from './look.ts';
import { fillLogin, tokenIn, useSite } from './support.ts';
import { attachAuthenticator } from './virtual-authenticator.ts';

// Passkeys, through the pages, with the authenticator that Chromium simulates.

const site = useSite(strongSettings);

const signedIn = (page: Page) => page.getByRole('heading', { name: 'Your account' }).waitFor();
const signOut = (page: Page) => page.getByRole('button', { name: 'Sign out', exact: true }).click();

async function addPasskey(page: Page, name: string): Promise<void> {
  const panel = panelOf(page, 'Passkeys');
  // The press that opens the panel begins.
  await page.locator('#passkey-name').evaluate((field: HTMLInputElement, text) => {
    field.value = text;
  }, name);
  await panel.locator('summary').click();
  await storeCodes(page);
  await page.getByText('Your passkey is set up.').waitFor();
}

const storeCodes = (page: Page) => page.getByRole('button', { name: 'I have stored them' }).click();

/** Keeps the simulated user from accepting the offer of autofill before the button is pressed. */
const withoutOffer = `PublicKeyCredential.isConditionalMediationAvailable = async () => false;`;

/** Removes what browsers before WebAuthn Level 3 do not have. */
const asOlderBrowser = `
  delete PublicKeyCredential.parseCreationOptionsFromJSON;
  delete PublicKeyCredential.parseRequestOptionsFromJSON;
  delete PublicKeyCredential.prototype.toJSON;
`;

for (const [kind, script, traits] of [
  ['a browser of today', '', { isSynced: true }],
  ['a browser that does not convert JSON', asOlderBrowser, { isSynced: false }],
] as const) {
  test(`a passkey is added, once for each device, signs in by the button, and is removed, in ${kind}`, async () => {
    const { token } = await signUp(site.app);
    const page = await site.openSignedIn('me', token);
    await page.addInitScript(withoutOffer + script);
    await page.reload();
    const authenticator = await attachAuthenticator(page, traits);
    await addPasskey(page, 'My laptop');
    const [credential] = await authenticator.credentials();
    expect(credential).toMatchObject({ isResidentCredential: true, rpId: 'localhost' });

    const panel = panelOf(page, 'Passkeys');
    await panel.getByText('My laptop').first().waitFor();

    await panel.locator('summary').click();
    await panel.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByText('This device has a passkey for your account already.').waitFor();
    expect(await authenticator.credentials()).toHaveLength(1);

    await signOut(page);
    expect(await page.locator('#email').getAttribute('autocomplete')).toBe('username webauthn');
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await signedIn(page);
    const used = await site.app.rest('GET', '/authenticators', undefined, { token: (await tokenIn(page))! });
    expect(used.body.items).toMatchObject([{ name: 'My laptop', is_synced: traits.isSynced }]);
    expect(used.body.items[0].last_used_at).not.toBeNull();

    await panel.locator('summary').click();
    await panel.getByRole('button', { name: 'Remove My laptop' }).click();
    await page.getByRole('button', { name: 'Remove it' }).click();
    await page.getByText('My laptop was removed.').waitFor();
    await signOut(page);
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.getByText('This passkey does not work here.').waitFor();
    expect(await tokenIn(page)).toBeNull();
  });
}

// Shows 63b/2.2.2#phishing-resistant-option.
test('a passkey is offered where the address is typed in', async () => {
  const { token } = await signUp(site.app);
  const page = await site.openSignedIn('me', token);
  await attachAuthenticator(page);
  await addPasskey(page, 'My laptop');
  expect(await page.evaluate('PublicKeyCredential.isConditionalMediationAvailable()')).toBe(true);
  // The simulated user accepts the offer at once, so nothing of the login page may be there any more.
  const atLogin = page.waitForURL(/\/login/, { waitUntil: 'commit' });
  await signOut(page);
  await atLogin;
  await signedIn(page);
  expect(await page.evaluate("document.querySelector('#email')")).toBeNull();
});

test('an authenticator without user verification cannot be added', async () => {
  const { token } = await signUp(site.app);
  const page = await site.openSignedIn('me', token);
  const authenticator = await attachAuthenticator(page, { hasUserVerification: false });
  await panelOf(page, 'Passkeys').locator('summary').click();
  await panelOf(page, 'Passkeys')
    .getByRole('alert')
    .filter({ hasText: /passkey/ })
    .waitFor();
  expect(await authenticator.credentials()).toEqual([]);
});

// Shows 63b/2.2.1#combination, 63b/3.1.7.2#verified-flag.
test('a person who is not verified by the device is not signed in', async () => {
  const { token } = await signUp(site.app);
  const page = await site.openSignedIn('me', token);
  const authenticator = await attachAuthenticator(page);
  await addPasskey(page, 'My laptop');
  await page.addInitScript(withoutOffer);
  await authenticator.verifies(false);
  await signOut(page);
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
  await page.getByText('No passkey was used.').waitFor();
  expect(await tokenIn(page)).toBeNull();
});

test('a passkey is the second step of a password, and signs in again in the dialog', async () => {
  const member = await signUp(site.app);
  const { email, password, token } = member;
  const phone = await setUpPhone(site.app, member);
  const page = await site.openSignedIn('me', token);
  await attachAuthenticator(page);
  // The session was made without the second step that is due now.
  await panelOf(page, 'Passkeys').locator('summary').click();
  await page.getByRole('dialog', { name: 'Sign in again to go on' }).waitFor();
  await page.keyboard.type(password);
  await page.keyboard.press('Enter');
  await page.locator('#again-sms-code:focus').waitFor();
  await page.keyboard.type(codeIn(await site.app.nextText(phone)));
  await page.keyboard.press('Enter');
  await storeCodes(page);
  await page.getByText('Your passkey is set up.').waitFor();

  await page.addInitScript(withoutOffer);
  await signOut(page);
  await fillLogin(page, email, password);
  await page.locator('[data-use-passkey]:focus').waitFor();
  await look(page, 'mfa, passkey');
  await page.keyboard.press('Enter');
  await signedIn(page);

  site.app.clock.advance(1_000_000);
  await panelOf(page, 'Recovery codes').locator('summary').click();
  await page.getByRole('button', { name: 'Make new codes' }).click();
  const again = page.getByRole('dialog', { name: 'Sign in again to go on' });
  await again.getByRole('button', { name: 'Use a passkey' }).click();
  await storeCodes(page);
  expect(await again.isVisible()).toBe(false);
});

test('sessions are listed and ended, one and all others', async () => {
  const { email, password, token } = await signUp(site.app);
  const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0';
  const logIn = async (agent: string) =>
    (await site.app.rest('POST', '/login', { email, password }, { headers: { 'User-Agent': agent } })).body
      .access_token as string;
  const [linux, unknown] = [await logIn(firefox), await logIn('curl/8')];
  const page = await site.openSignedIn('me', linux);
  const panel = panelOf(page, 'Sessions');
  await panel.getByText('3 sessions').waitFor();
  await panel.locator('summary').click();
  // The one that is looked at comes first.
  const first = panel.getByRole('listitem').first();
  await first.getByText('This one').waitFor();
  await first.getByText('Firefox on Linux', { exact: true }).waitFor();
  await panel.getByText('just now').first().waitFor();
  await look(page, 'me, sessions');
  await panel.getByRole('button', { name: 'Sign out: ' }).first().click();
  await page.getByText('The session has ended').waitFor();
  await panel.locator('summary:focus').waitFor();
  const status = async (of: string) => (await site.app.rest('GET', '/me', undefined, { token: of })).status;
  expect([await status(token), await status(unknown)].sort()).toEqual([200, 401]);
  await panel.getByRole('button', { name: 'Sign out everywhere else' }).click();
  await page.getByText('One session has ended.').waitFor();
  await panel.getByText('Only this one').waitFor();
  expect([await status(token), await status(unknown), await status(linux)]).toEqual([401, 401, 200]);
});
