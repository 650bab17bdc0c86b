import { expect, test } from 'vitest';
import { signUp } from '../support/app.ts';
import { linkIn, signInBy, tokenIn, useSite } from './support.ts';

// The whole life of an account, by the pages alone.

const site = useSite();

test('an account is made, confirmed, used, changed and deleted', async () => {
  const email = 'ada@example.org';
  const page = await site.open('register');
  await page.getByLabel('Your name').fill('Ada Lovelace');
  await page.getByLabel('Email address').fill(email);
  await page.getByLabel('Password', { exact: true }).fill('correct horse');
  await page.getByRole('button', { name: 'Create my account' }).click();
  await page.getByRole('heading', { name: 'Check your email' }).waitFor();
  expect(await page.title()).toBe('Check your email · Gatehouse');

  await page.goto(linkIn(await site.app.nextMail(email)));
  await page.getByRole('button', { name: 'Confirm my address' }).click();
  await page.getByText('ada@example.org is confirmed.').waitFor();
  await page.getByRole('link', { name: 'Sign in' }).click();

  await page.getByLabel('Email address').fill(email);
  await page.getByLabel('Password', { exact: true }).fill('correct horse');
  await page.locator('[type=submit]:enabled').waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Your account' }).waitFor();
  expect(new URL(page.url()).pathname).toBe('/account/me');

  await page.getByText('Name', { exact: true }).click();
  await page.getByLabel('Your name').fill('Countess Lovelace');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Your name is saved.').waitFor();
  expect(await page.locator('summary').first().textContent()).toContain('Countess Lovelace');

  await page.getByText('Password', { exact: true }).first().click();
  await page.locator('#change-current').fill('correct horse');
  await page.locator('#new_password').fill('battery staple');
  await page.getByRole('button', { name: 'Change the password' }).click();
  await page.getByText('Your password was changed. Sign in with the new one.').waitFor();
  await signInBy(page, email, 'battery staple');

  await page.getByText('Email address', { exact: true }).click();
  await page.getByLabel('New email address').fill('countess@example.org');
  await page.locator('#email-password').fill('battery staple');
  await page.getByRole('button', { name: 'Send the link' }).click();
  await page.getByText('Open the link in the email to countess@example.org').waitFor();
  await page.goto(linkIn(await site.app.nextMail('countess@example.org')));
  await page.getByRole('button', { name: 'Use the new address' }).click();
  await page.getByText('It is countess@example.org now.').waitFor();
  expect(await tokenIn(page)).toBeNull();
  await page.getByRole('link', { name: 'Sign in' }).click();
  await signInBy(page, 'countess@example.org', 'battery staple');

  await page.getByRole('button', { name: 'Delete…' }).click();
  await page.getByRole('button', { name: 'Delete my account' }).click();
  await page.getByText('Enter your email address, to be sure.').waitFor();
  await page.getByLabel('Your email address, to be sure').fill('somebody@example.org');
  await page.locator('#deletion-password').fill('battery staple');
  await page.getByRole('button', { name: 'Delete my account' }).click();
  await page.getByText('This is not countess@example.org.').waitFor();
  await page.getByLabel('Your email address, to be sure').fill('countess@example.org');
  await page.getByRole('button', { name: 'Delete my account' }).click();
  await page.getByText('Your account was deleted.').waitFor();
  expect(await tokenIn(page)).toBeNull();
});

test('a forgotten password is replaced by mail, and the link works once', async () => {
  const { email } = await signUp(site.app);
  const page = await site.open('login');
  await page.getByRole('link', { name: 'Forgot password?' }).click();
  await page.getByLabel('Email address').fill(email);
  await page.getByRole('button', { name: 'Send me a link' }).click();
  await page.getByRole('heading', { name: 'Check your email' }).waitFor();
  await page.getByRole('button', { name: 'Send it again' }).click();
  await page.getByText('Sent again.').waitFor();
  const again = page.getByRole('button', { name: 'Send it again (0:' });
  expect(await again.getAttribute('aria-disabled')).toBe('true');
  // Who came by keyboard stays there, and a press sends nothing.
  expect(await page.locator(':focus').textContent()).toContain('Send it again (0:');
  let asked = 0;
  page.on('request', () => void asked++);
  await again.press('Enter');
  expect(asked).toBe(0);

  const link = linkIn(await site.app.nextMail(email));
  await page.goto(link);
  await page.getByLabel('New password').fill('a brand new password');
  await page.getByRole('button', { name: 'Save the password' }).click();
  await page.getByText('Your new password is saved.').waitFor();
  await page.getByText(`Signed in as ${email}`).waitFor();

  await page.goto(link);
  await page.getByLabel('New password').fill('yet another password');
  await page.getByRole('button', { name: 'Save the password' }).click();
  await page.getByRole('heading', { name: 'This link no longer works' }).waitFor();
  await page.getByRole('link', { name: 'Ask for a new link' }).click();
  await page.getByRole('heading', { name: 'Forgot your password?' }).waitFor();
});

// A phone: what happens far down the page is said where it can be seen.
test('the result of a panel is shown within sight, until the next step', async () => {
  const { token, password } = await signUp(site.app);
  const page = await site.openSignedIn('me', token, { viewport: { width: 320, height: 640 } });
  const notice = page.locator('[data-notice]');
  await page.getByText('Name', { exact: true }).click();
  await page.getByLabel('Your name').fill('Ada');
  await page.keyboard.press('Enter');
  await page.getByText('Your name is saved.').waitFor();
  await page.getByText('Email address', { exact: true }).click();
  await page.getByRole('button', { name: 'Send the link' }).click();
  await page.getByText('Enter your new email address.').waitFor();
  expect(await notice.textContent()).toBe('');
  await page.getByLabel('New email address').fill('phone@example.org');
  await page.locator('#email-password').fill(password);
  await page.keyboard.press('Enter');
  await page.getByText('Open the link in the email to phone@example.org').waitFor();
  await page.locator('summary:focus').waitFor();
  const { y, height } = (await notice.boundingBox())!;
  expect(y).toBeGreaterThanOrEqual(0);
  expect(y + height).toBeLessThan(640);
});

test('Escape closes a panel and goes back to its line', async () => {
  const { token } = await signUp(site.app);
  const page = await site.openSignedIn('me', token);
  await page.getByText('Name', { exact: true }).click();
  await page.getByLabel('Your name').focus();
  await page.keyboard.press('Escape');
  await page.locator('details:not([open]) > summary:focus').waitFor();
});

test('a mistyped address is corrected where the mail was announced', async () => {
  const page = await site.open('register');
  await page.getByLabel('Email address').fill('hedy@exampel.org');
  await page.getByLabel('Password', { exact: true }).fill('correct horse');
  await page.getByRole('button', { name: 'Create my account' }).click();
  await page.getByRole('button', { name: 'Correct it' }).click();
  await page.locator('#email:focus').waitFor();
  expect(await page.getByLabel('Email address').inputValue()).toBe('hedy@exampel.org');
  await page.getByLabel('Email address').fill('hedy@example.org');
  await page.getByLabel('Password', { exact: true }).fill('correct horse');
  await page.getByRole('button', { name: 'Create my account' }).click();
  await page.getByText('We sent a link to hedy@example.org').waitFor();
  await site.app.nextMail('hedy@example.org');
});

// Shows asvs/7.4.4.
test('signing out ends the session here, or on every device', async () => {
  const { token, email, password } = await signUp(site.app);
  const page = await site.openSignedIn('me', token);
  await page.getByRole('button', { name: 'Sign out', exact: true }).click();
  await page.getByText('You are signed out.').waitFor();
  expect(await tokenIn(page)).toBeNull();
  expect((await site.app.rest('GET', '/me', undefined, { token })).status).toBe(401);

  await signInBy(page, email, password);
  const elsewhere = await site.app.rest('POST', '/login', { email, password });
  await page.getByRole('button', { name: 'Sign out everywhere' }).click();
  await page.getByText('You are signed out on every device.').waitFor();
  const reply = await site.app.rest('GET', '/me', undefined, { token: elsewhere.body.access_token });
  expect(reply.status).toBe(401);
});

// Scanners of mail follow links, and some run scripts: whatever they load, the account stays as it is.
test('opening a mailed link changes nothing, and its token leaves the address at once', async () => {
  const email = 'grace@example.org';
  await site.app.rest('POST', '/register', { email, password: 'correct horse' });
  const link = linkIn(await site.app.nextMail(email));
  const page = await site.open(link);
  await page.getByRole('button', { name: 'Confirm my address' }).waitFor();
  await page.locator('[data-confirm]:enabled').waitFor();
  expect(page.url()).toBe(site.page('verify'));
  const login = await site.app.rest('POST', '/login', { email, password: 'correct horse' });
  expect(login.body.code).toBe('email_not_verified');
  await page.reload();
  await page.getByRole('button', { name: 'Confirm my address' }).click();
  await page.getByText('grace@example.org is confirmed.').waitFor();
  // A phone loads its pages again.
  await page.reload();
  await page.getByText('grace@example.org is confirmed.').waitFor();
  expect(await page.getByRole('link', { name: 'Sign in' }).getAttribute('href')).toBe('/account/login');
});

test('an address that was registered more than once gets the password of the person who opens the mail', async () => {
  const email = 'contested@example.org';
  for (const password of ['a stranger chose this one', 'the owner chose this one']) {
    await site.app.rest('POST', '/register', { email, password });
  }
  await site.app.nextMail(email);
  const page = await site.open(linkIn(await site.app.nextMail(email)));
  await page.getByRole('button', { name: 'Confirm my address' }).click();
  await page.getByRole('heading', { name: 'Choose your password' }).waitFor();
  expect(await page.title()).toBe('Choose your password · Gatehouse');
  await page.getByRole('button', { name: 'Confirm my address' }).click();
  await page.getByText('Enter your password.').waitFor();
  await page.getByLabel('Password', { exact: true }).fill('short');
  await page.getByRole('button', { name: 'Confirm my address' }).click();
  await page.getByText('Use at least 8 characters; this has 5.').waitFor();
  // The link stays good, whatever is loaded in between.
  await page.reload();
  await page.getByRole('button', { name: 'Confirm my address' }).click();
  await page.getByLabel('Password', { exact: true }).fill('chosen from the mail');
  await page.getByRole('button', { name: 'Confirm my address' }).click();
  await page.getByText(`Signed in as ${email}`).waitFor();
});

test('an account that is not confirmed is told so, and gets a link, before it sets anything up', async () => {
  const { id, email, token, password } = await signUp(site.app);
  await site.app.gatehouse.repositories.users.change(id, { set: { isVerified: false } });
  const page = await site.openSignedIn('me', token);
  await page.getByRole('button', { name: 'Connect Google' }).click();
  await page.getByText('Confirm your address first').waitFor();
  await page.getByRole('button', { name: 'Send the email again' }).click();
  await page.getByText('a new link is on its way').waitFor();
  expect((await site.app.nextMail(email)).text).toContain('/verify?token=');

  await page.getByText('Two-step verification', { exact: true }).click();
  await page.getByLabel('Phone number').fill('+49 151 12345678');
  await page.locator('#phone-start [type=password]').fill(password);
  await page.locator('#phone-start [type=submit]').click();
  await page.locator('#phone-start').getByText('Confirm your address first').waitFor();
  await page.locator('#phone-start').getByRole('button', { name: 'Send the email again' }).click();
  expect((await site.app.nextMail(email)).text).toContain('/verify?token=');
});

// Stored cross-site scripting: a name, or an address, is markup that runs where it is shown.
test('a name and an address that hold markup are text', async () => {
  const email = "o'brien&{{x}}@example.org";
  const { token } = await signUp(site.app, email);
  const full_name = '<img src=x onerror="document.title=1">{{ 7 | times: 6 }}';
  await site.app.rest('PATCH', '/me', { full_name }, { token });
  const page = await site.openSignedIn('me', token);
  await page.getByRole('heading', { name: 'Your account' }).waitFor();
  expect(await page.locator('[data-fill="full_name"]').textContent()).toBe(full_name);
  expect(await page.locator('strong[data-fill="email"]').textContent()).toBe(email);
  expect(await page.locator('img').count()).toBe(0);
});
