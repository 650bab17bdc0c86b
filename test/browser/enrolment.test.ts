import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { logIn, signUp } from '../support/app.ts';
import { addressOf } from '../support/oidc.ts';
import { codeIn, isAlive, signUpSuperuser } from '../support/people.ts';
import { nextCodeOf, setUpTotp, strongSettings } from '../support/strong.ts';
import { panelOf, setUpApp } from './factors.ts';
import { look } from './look.ts';
import { signInBy, tokenIn, useSite } from './support.ts';
import { attachAuthenticator } from './virtual-authenticator.ts';

// Accounts that must have a second factor (`mfa_required`), and accounts without a password.

describe('where everybody must have a second factor', () => {
  const site = useSite({ ...strongSettings, enableApiKeys: true, mfaRequired: 'everyone' });

  test('an account without one is led to setting it up, and is free afterwards', async () => {
    const { email, password } = await signUp(site.app);
    const page = await site.open('login');
    await signInBy(page, email, password);
    await page.getByText('Your account needs a second way to prove that it is you.').waitFor();
    await page.locator('#signing-in:focus').waitFor();
    for (const name of ['About you', 'Connected accounts', 'Leaving'])
      expect(await page.getByRole('heading', { name }).isVisible()).toBe(false);
    await look(page, 'me, something must be set up');

    const panel = panelOf(page, 'Authenticator app');
    await setUpApp(page, () => site.app.clock.now());
    await page.getByRole('button', { name: 'I have stored them' }).click();
    await page.getByText('Your authenticator app is set up.').waitFor();
    expect(await page.getByText('Your account needs a second way').isVisible()).toBe(false);
    await page.getByRole('heading', { name: 'About you' }).waitFor();
    await page.getByText('Not connected').waitFor();

    await panelOf(page, 'API keys').locator('summary').click();
    await page.getByRole('checkbox', { name: 'profile' }).waitFor();
    await page.locator('#api-key-create [type=submit]:enabled').waitFor();

    await panel.locator('summary').click();
    await panel.getByRole('button', { name: 'Remove Authenticator app' }).click();
    await page.getByRole('button', { name: 'Remove it' }).click();
    // The session is one of both proofs now: nothing is asked for again.
    await page.getByText('This is your last one, and your account must have one.').waitFor();
  });

  test('the console leads to the account page', async () => {
    const { id, token } = await signUp(site.app);
    await site.app.gatehouse.repositories.users.change(id, { set: { isSuperuser: true } });
    const page = await site.openSignedIn('admin', token);
    await page.getByText('Your account needs a second way to prove that it is you.').waitFor();
  });

  test('an account that has only a phone is not asked for more', async () => {
    const { password, token } = await signUp(site.app);
    const page = await site.openSignedIn('me', token);
    await page.getByText('Your account needs a second way').waitFor();
    await panelOf(page, 'Text messages').locator('summary').click();
    await page.getByLabel('Phone number').fill('+447700900220');
    await page.locator('#phone-password').fill(password);
    await page.getByRole('button', { name: 'Send a code' }).click();
    await page.locator('#phone-code').fill(codeIn(await site.app.nextText('+447700900220')));
    await page.getByRole('button', { name: 'Turn it on' }).click();
    await page.getByText('Two-step verification is on.').waitFor();
    // The session was made without it, and a phone's set-up gives no other.
    const again = page.getByRole('dialog', { name: 'Sign in again to go on' });
    await again.getByLabel('Password', { exact: true }).fill(password);
    await page.keyboard.press('Enter');
    await page.locator('#again-sms-code:focus').waitFor();
    await page.keyboard.type(codeIn(await site.app.nextText('+447700900220')));
    await page.keyboard.press('Enter');
    await page.getByText('Not connected').waitFor();
    expect(await page.getByText('Your account needs a second way').isVisible()).toBe(false);
    await page.getByRole('heading', { name: 'About you' }).waitFor();
  });

  test('a session that lacks the factor which was set up elsewhere is signed in to again', async () => {
    const owner = await signUp(site.app);
    const token = await logIn(site.app, owner);
    const { secret } = await setUpTotp(site.app, owner);
    const page = await site.openSignedIn('me', token);
    const again = page.getByRole('dialog', { name: 'Sign in again to go on' });
    await again.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('You signed in without the second step that your account has now.').waitFor();
    await look(page, 'me, signed in without the second step');
    await page.getByRole('button', { name: 'Try again' }).click();
    await again.getByLabel('Password', { exact: true }).fill(owner.password);
    await page.keyboard.press('Enter');
    await page.locator('#again-totp-code:focus').waitFor();
    await page.keyboard.type(nextCodeOf(site.app, secret));
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'About you' }).waitFor();
    expect(await isAlive(site.app, token)).toBe(false);
  });

  test('the console asks such a session to sign in again', async () => {
    const owner = await signUpSuperuser(site.app);
    const token = await logIn(site.app, owner);
    await setUpTotp(site.app, owner);
    const page = await site.openSignedIn('admin', token);
    await page.getByRole('dialog', { name: 'Sign in again to go on' }).waitFor();
  });
});

describe('an account without a password', () => {
  const site = useSite(strongSettings);

  /** Signs somebody in at the provider, up to the account page or the second step. */
  async function enterBy(page: Page, login: string): Promise<void> {
    await page.getByRole('button', { name: 'Continue with Google' }).click();
    await page.getByLabel('Name').fill(login);
    await page.getByRole('button', { name: 'Continue' }).click();
  }

  /** As before, at a provider that still knows who it is. */
  const enterAgain = (page: Page) => page.getByRole('button', { name: 'Continue with Google' }).click();

  test('signs in again with its passkey, or out and in the way it did', async () => {
    const page = await site.open('login');
    await page.addInitScript('PublicKeyCredential.isConditionalMediationAvailable = async () => false;');
    await enterBy(page, 'no-password');
    await page.getByRole('heading', { name: 'Your account' }).waitFor();
    const authenticator = await attachAuthenticator(page);
    const panel = panelOf(page, 'Passkeys');
    await panel.locator('summary').click();
    await page.getByRole('button', { name: 'I have stored them' }).click();
    await page.getByText('Your passkey is set up.').waitFor();
    expect(await authenticator.credentials()).toHaveLength(1);

    site.app.clock.advance(1_000_000);
    await panelOf(page, 'Recovery codes').locator('summary').click();
    await page.getByRole('button', { name: 'Make new codes' }).click();
    const again = page.getByRole('dialog', { name: 'Sign in again to go on' });
    await again.getByText('Your account has no password.').waitFor();
    expect(await again.getByLabel('Password', { exact: true }).isVisible()).toBe(false);
    await again.locator('[data-passkey]:focus').waitFor();
    await look(page, 'me, signing in again without a password');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'I have stored them' }).click();

    site.app.clock.advance(1_000_000);
    // The account is read again; the button is busy meanwhile.
    await page.locator('[data-replace-codes]:not([aria-busy])').click();
    await again.getByRole('button', { name: 'Sign out and in again' }).click();
    await page.getByText('Sign in again to go on.').waitFor();
    // A session at the provider may be days old, so the provider is told how recent this sign-in has to be, once.
    const started = page.waitForRequest(/\/oauth\/google\/start\?/);
    await enterAgain(page);
    expect(new URL((await started).url()).searchParams.get('max_age')).toBe('60');
    await page.getByRole('heading', { name: 'Your account' }).waitFor();
    await page.getByText(addressOf('no-password')).first().waitFor();
    expect(await page.evaluate("sessionStorage.getItem('svc.recent_sign_in')")).toBeNull();
  });

  test('takes its second step after the provider, by any of its methods', async () => {
    const page = await site.open('login');
    await enterBy(page, 'second-step');
    await page.getByRole('heading', { name: 'Your account' }).waitFor();
    const { recoveryCodes } = await setUpTotp(site.app, { token: (await tokenIn(page))! });
    await page.evaluate('localStorage.clear()');
    await page.goto(site.page('login'));
    await enterAgain(page);
    await page.getByRole('heading', { name: 'One more step' }).waitFor();
    await page.getByRole('button', { name: 'Use a recovery code' }).click();
    await page.keyboard.type(recoveryCodes[0]!);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Your account' }).waitFor();
  });
});
