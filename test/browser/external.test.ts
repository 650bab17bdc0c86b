import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { signUp } from '../support/app.ts';
import { addressOf } from '../support/oidc.ts';
import { codeIn } from '../support/people.ts';
import { fewOf } from '../support/repetitions.ts';
import { setUpPhone } from '../support/strong.ts';
import { tokenIn, useSite } from './support.ts';

const site = useSite();

/** Signs in at the provider's own page. */
async function atProvider(page: Page, login: string): Promise<void> {
  await page.getByLabel('Name').fill(login);
  await page.getByRole('button', { name: 'Continue' }).click();
}

// Shows asvs/7.6.2.
test('somebody new comes in through the provider, and back where they were going', async () => {
  const page = await site.open('login?next=/account/me?from=shop');
  const addresses: string[] = [];
  page.on('framenavigated', frame => void addresses.push(frame.url()));
  await page.getByRole('button', { name: 'Continue with Google' }).click();
  await atProvider(page, 'newcomer');
  await page.getByRole('heading', { name: 'Your account' }).waitFor();
  expect(new URL(page.url()).search).toBe('?from=shop');
  expect(await page.locator('strong[data-fill="email"]').textContent()).toBe(addressOf('newcomer'));
  const token = await tokenIn(page);
  expect(addresses.join()).not.toContain(token);
  expect(await page.evaluate("sessionStorage.getItem('svc.oauth_verifier')")).toBeNull();
});

// Login forgery: an attacker finishes a sign-in of their own and has the victim open the link that picks it up.
test('a sign-in that was started in another browser is not picked up', async () => {
  const attacker = await site.open('login');
  let id = '';
  await attacker.route('**/oauth/exchange', route => {
    id = route.request().postDataJSON().id;
    return route.abort();
  });
  await attacker.getByRole('button', { name: 'Continue with Google' }).click();
  await atProvider(attacker, 'attacker');
  await attacker.getByRole('heading', { name: 'That did not work yet' }).waitFor();
  expect(attacker.url()).toBe(site.page('oauth-complete'));

  const victim = await site.open(`oauth-complete?id=${id}`);
  await victim.getByRole('heading', { name: 'This sign-in was started elsewhere' }).waitFor();
  expect(await tokenIn(victim)).toBeNull();

  // In the browser where it began it still works.
  await attacker.unroute('**/oauth/exchange');
  await attacker.getByRole('button', { name: 'Try again' }).click();
  await attacker.getByRole('heading', { name: 'Your account' }).waitFor();
});

// The same, with a flow that the attacker has started without the challenge that would tell the browsers apart.
test('a sign-in that was started without a challenge is not picked up either', async () => {
  const attacker = await site.open('login');
  let id: string | null = null;
  attacker.on('request', request => {
    id ??= new URL(request.url()).searchParams.get('id');
  });
  await attacker.goto(`${site.origin}/api/auth/oauth/google/start`);
  await atProvider(attacker, 'careless-attacker');
  await attacker.getByRole('heading', { name: 'This sign-in was started elsewhere' }).waitFor();

  const victim = await site.open(`oauth-complete?id=${id}`);
  await victim.getByRole('heading', { name: 'This sign-in was started elsewhere' }).waitFor();
  expect(await tokenIn(victim)).toBeNull();
});

test('a sign-in that is over says so', async () => {
  const page = await site.open('login');
  await page.evaluate("sessionStorage.setItem('svc.oauth_verifier', 'of-a-sign-in-that-began-here')");
  await page.goto(site.page('oauth-complete?id=of-nothing'));
  await page.getByRole('heading', { name: 'This sign-in is over' }).waitFor();
  await page.getByRole('link', { name: 'Start again' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
});

test('the second step comes after the provider, too', async () => {
  const member = await signUp(site.app);
  const phone = await setUpPhone(site.app, member);
  const page = await site.openSignedIn('me', member.token);
  await page.getByRole('button', { name: 'Connect Google' }).click();
  await atProvider(page, 'careful');
  await page.getByText('Google is connected.').waitFor();
  await page.getByRole('button', { name: 'Sign out', exact: true }).click();

  await page.getByRole('button', { name: 'Continue with Google' }).click();
  await page.getByRole('heading', { name: 'Enter the code' }).waitFor();
  expect(await tokenIn(page)).toBeNull();
  await page.getByLabel('Code').fill(codeIn(await site.app.nextText(phone)));
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText(member.email).first().waitFor();
});

test('an identity is connected and disconnected on the account page', async () => {
  const { token } = await signUp(site.app);
  const page = await site.openSignedIn('me', token);
  await page.getByRole('button', { name: 'Connect Google' }).click();
  await atProvider(page, 'connected');
  await page.getByText('Google is connected.').waitFor();
  expect(page.url()).toBe(site.page('me'));
  await page.getByText(addressOf('connected')).waitFor();
  await page.getByRole('button', { name: 'Disconnect Google' }).click();
  await page.getByText('Google is disconnected.').waitFor();
  await page.getByText('Not connected').waitFor();
  // The claim in the address is shown only when it is true.
  for (const claim of ['linked=google', 'linked=call-0800-1234']) {
    await page.goto(site.page(`me?${claim}`));
    await page.getByRole('heading', { name: 'Your account' }).waitFor();
    expect(await page.locator('[data-notice]').textContent()).toBe('');
    expect(page.url()).toBe(site.page('me'));
  }
});

test('the last way in cannot be disconnected', async () => {
  const page = await site.open('login');
  await page.getByRole('button', { name: 'Continue with Google' }).click();
  await atProvider(page, 'only');
  await page.getByRole('button', { name: 'Disconnect Google' }).click();
  await page.getByText('This is your last sign-in method.').waitFor();
});

test('an address that has an account already is told to sign in and connect', async () => {
  await signUp(site.app, addressOf('owner'));
  const page = await site.open('login');
  await page.getByRole('button', { name: 'Continue with Google' }).click();
  await atProvider(page, 'owner');
  await page.getByText('There is already an account with this address.').waitFor();
  expect(page.url()).toBe(site.page('login'));
});

// Content spoofing: a link to our login page that says what the attacker wants.
test('an unknown code in the address is not shown', async () => {
  const page = await site.open('login?error=Call+0800+1234+and+tell+us+your+password');
  await page.locator('[type=submit]:enabled').waitFor();
  expect(await page.getByRole('alert').textContent()).toBe('');
  expect(await page.textContent('body')).not.toContain('0800');
  expect(page.url()).toBe(site.page('login'));
});

test('every code of a failed sign-in is said in words', async () => {
  const codes = [
    ...['bad_state', 'state_expired', 'id_token_failed', 'email_in_use', 'identity_in_use', 'already_linked'],
    ...[
      'oauth_failed',
      'missing_code_or_state',
      'token_exchange_failed',
      'user_inactive',
      'unknown_provider',
    ],
    ...['email_missing', 'email_not_verified', 'registration_closed', 'unavailable'],
    'issuer_mismatch',
  ];
  const page = await site.open('login');
  // Each is a page of its own.
  for (const code of fewOf(codes, 'bad_state', 'email_in_use', 'issuer_mismatch')) {
    await page.goto(site.page(`login?error=${code}`));
    await page.locator('[role=alert]:not(:empty)').waitFor();
    expect(await page.getByRole('alert').textContent()).toMatch(/^[A-Z][^_]{20,}\.$/);
  }
});
