import { expect, test } from 'vitest';
import { signUp } from '../support/app.ts';
import { fillLogin, linkIn, signInBy, tokenIn, useSite } from './support.ts';

// Messages of the pages about refusals, and where each leads.

const site = useSite({ supportContact: 'help@example.org' });
const problem = (status: number, code: string) => ({
  status,
  contentType: 'application/problem+json',
  body: JSON.stringify({ code, status, detail: 'Words of the API.' }),
});

test('a disabled account says where to ask for help', async () => {
  const { id, email, password } = await signUp(site.app);
  await site.app.gatehouse.repositories.users.change(id, { set: { isActive: false } });
  const page = await site.open('login');
  await fillLogin(page, email, password);
  await page
    .getByText('This account is disabled. Ask the people who run this site (help@example.org).')
    .waitFor();
});

test('an account that other data refers to cannot be deleted, and that is said', async () => {
  const { email, password, token } = await signUp(site.app);
  const page = await site.openSignedIn('me', token);
  await page.route('**/account', route => route.fulfill(problem(409, 'user_in_use')));
  await page.getByRole('button', { name: 'Delete…' }).click();
  await page.getByLabel('Your email address, to be sure').fill(email);
  await page.locator('#deletion-password').fill(password);
  await page.getByRole('button', { name: 'Delete my account' }).click();
  await page.getByText('Your account cannot be deleted while other data').waitFor();
  await page.getByText('help@example.org').waitFor();
});

test('a locked account says when to try again, and counts down to it', async () => {
  const { email, password } = await signUp(site.app);
  for (let i = 0; i < 5; i++) await site.app.rest('POST', '/login', { email, password: 'not the password' });
  const page = await site.open('login');
  await page.clock.install();
  await fillLogin(page, email, password);
  const alert = page.getByRole('alert');
  await page.getByText('Too many failed attempts. Try again in').waitFor();
  expect(await alert.locator('.visually-hidden').textContent()).toBe('15 minutes');
  expect(await alert.locator('span[aria-hidden]').textContent()).toMatch(/^1[45]:\d\d$/);
  await page.clock.fastForward('10:00');
  expect(await alert.locator('span[aria-hidden]').textContent()).toMatch(/^[45]:\d\d$/);
  await page.clock.fastForward('05:01');
  expect(await alert.textContent()).toBe('You can try again now.');
});

test('wrong input is explained beside each field, and the focus goes to the first', async () => {
  const page = await site.open('register');
  await page.getByLabel('Email address').fill('ada at example');
  await page.getByLabel('Password', { exact: true }).fill('short');
  await page.getByRole('button', { name: 'Create my account' }).click();
  await page.locator('#email[aria-invalid=true]:focus').waitFor();
  expect(await page.locator('#email-error').textContent()).toContain('not an email address');
  expect(await page.locator('#password-error').textContent()).toBe('Use at least 8 characters; this has 5.');
  expect(await page.locator('#password-hint').isVisible()).toBe(false);
  for (const id of ['email', 'password']) {
    expect(await page.locator(`#${id}`).getAttribute('aria-describedby')).toContain(`${id}-error`);
  }
  await page.getByLabel('Email address').fill('');
  await page.keyboard.press('Enter');
  expect(await page.locator('#email-error').textContent()).toBe('Enter your email address.');
});

test('the length of a password is counted as the server counts it', async () => {
  const page = await site.open('register');
  const field = page.getByLabel('Password', { exact: true });
  const hint = page.locator('#password-hint');
  await page.locator('[type=submit]:enabled').waitFor();
  // Seven faces are fourteen units of a string; eight letters with their accents behind them are eight after NFC.
  await field.fill('\u{1F600}'.repeat(7));
  expect(await hint.textContent()).toContain('Too short');
  await field.fill('e\u0301'.repeat(8));
  expect(await hint.textContent()).toContain('Long enough');
  await field.fill('x'.repeat(16));
  expect(await hint.textContent()).toContain('very good');
  await field.fill('x'.repeat(129));
  expect(await hint.textContent()).toContain('Too long');
});

test('a password can be shown, and is hidden again when the form is sent', async () => {
  const page = await site.open('login');
  await page.getByLabel('Password', { exact: true }).fill('correct horse');
  await page.getByRole('button', { name: 'Show password' }).click();
  expect(await page.locator('#password').getAttribute('type')).toBe('text');
  await page.getByRole('button', { name: 'Sign in' }).click();
  expect(await page.locator('#password').getAttribute('type')).toBe('password');
});

test('an address that has an account is told so, with the way in', async () => {
  const { email } = await signUp(site.app);
  const page = await site.open('register');
  await page.getByLabel('Email address').fill(email);
  await page.getByLabel('Password', { exact: true }).fill('correct horse');
  await page.getByRole('button', { name: 'Create my account' }).click();
  await page.getByRole('link', { name: 'Sign in instead' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
});

test('an account that is not confirmed yet gets its mail again from the login page', async () => {
  const email = 'waiting@example.org';
  await site.app.rest('POST', '/register', { email, password: 'correct horse' });
  await site.app.nextMail(email);
  const page = await site.open('login');
  await fillLogin(page, email, 'correct horse');
  await page.getByRole('button', { name: 'Send the email again' }).click();
  await page.getByText('a new link is on its way').waitFor();
  expect(linkIn(await site.app.nextMail(email))).toContain('/account/verify?token=');
});

test('an outage is said in words, keeps what was entered, and the next try goes through', async () => {
  const { email, password } = await signUp(site.app);
  const page = await site.open('login');
  await page.route('**/api/auth/login', route => route.fulfill(problem(503, 'unavailable')), { times: 1 });
  await fillLogin(page, email, password);
  await page.getByText('The service is unavailable at the moment.').waitFor();
  await page.route('**/api/auth/login', route => route.abort(), { times: 1 });
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('The server cannot be reached.').waitFor();
  await page.route('**/api/auth/login', route => route.fulfill({ status: 502, body: '<h1>Bad gateway' }), {
    times: 1,
  });
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('The service is unavailable at the moment.').waitFor();
  await page.route('**/api/auth/me', route => route.fulfill(problem(503, 'unavailable')), { times: 1 });
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Your account cannot be shown' }).waitFor();
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('heading', { name: 'Your account', exact: true }).waitFor();
});

test('a page whose script is cut off on its way says so', async () => {
  site.expectComplaint(/dynamically imported module/);
  const page = await site.open('forgot');
  await page.route('**/sign-in.js*', route => route.abort());
  await page.goto(site.page('login'));
  await page.getByText('This page did not load completely.').waitFor();
});

test('while an answer is on its way the button says so, and a second press sends nothing', async () => {
  const page = await site.open('forgot');
  let calls = 0;
  let answer = () => {};
  await page.route('**/forgot-password', route => {
    calls++;
    answer = () => void route.continue();
  });
  await page.getByLabel('Email address').fill('ada@example.org');
  const button = page.getByRole('button', { name: 'Send me a link' });
  await button.click();
  await page.locator('button[aria-busy=true]').waitFor();
  await button.click();
  await page.keyboard.press('Enter');
  expect(calls).toBe(1);
  answer();
  await page.getByRole('heading', { name: 'Check your email' }).waitFor();
});

test('a session that ended leads to the login page and back', async () => {
  const { email, password, token } = await signUp(site.app);
  const page = await site.openSignedIn('me', token);
  await page.getByText('Name', { exact: true }).click();
  await site.app.rest('POST', '/logout', { everywhere: true }, { token });
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Your session has ended.').waitFor();
  expect(new URL(page.url()).search).toBe('?next=%2Faccount%2Fme');
  expect(await tokenIn(page)).toBeNull();
  await signInBy(page, email, password);
});

test('a session that ended before changes nothing about where somebody was going', async () => {
  const { email, password, token } = await signUp(site.app);
  await site.app.rest('POST', '/logout', undefined, { token });
  const page = await site.openSignedIn('login?next=/account/forgot', token);
  await fillLogin(page, email, password);
  await page.getByRole('heading', { name: 'Forgot your password?' }).waitFor();
});

test('the account page without a session leads to the login page', async () => {
  const page = await site.open('me');
  await page.getByText('Sign in to continue.').waitFor();
});

test('a tab whose session was ended in another one leaves the account page', async () => {
  const { token } = await signUp(site.app);
  const page = await site.openSignedIn('me', token);
  await page.getByRole('heading', { name: 'Your account' }).waitFor();
  const other = await page.context().newPage();
  await other.goto(site.page('me'));
  await other.getByRole('button', { name: 'Sign out', exact: true }).click();
  await page.getByText('You are signed out.').waitFor();
});

test('a tab shows the account that signed in in another one', async () => {
  const [former, latter] = [await signUp(site.app), await signUp(site.app)];
  const page = await site.openSignedIn('me', former.token);
  await page.getByText(former.email).first().waitFor();
  const other = await page.context().newPage();
  await other.goto(site.page('forgot'));
  await other.evaluate(`localStorage.setItem('svc.access_token', '${latter.token}')`);
  await page.getByText(latter.email).first().waitFor();
});

// Open redirect: a link to our login page that leads, after a real sign-in, to a page of the attacker's.
test('signing in never leads to another site', async () => {
  const { token } = await signUp(site.app);
  const page = await site.openSignedIn('forgot', token);
  const attacks = [
    ...[
      '//evil.example',
      '///evil.example',
      '/\\evil.example',
      '\\\\evil.example',
      '/\t/evil.example',
      '/\n/x',
      '',
    ],
    ...[
      'https://evil.example',
      'https:evil.example',
      'javascript:alert(1)',
      'data:text/html,x',
      ' //evil.example',
    ],
    ...[site.origin.replace('//', '//user@'), `${site.origin}.evil.example`, `${site.origin}@evil.example`],
    ...['/.//evil.example', '/a/..//evil.example', `${site.origin}//evil.example`],
    ...['evil', 'http:/evil.example', `${site.origin}\\@evil.example`, '/%09/../\\evil.example'],
  ];
  const judge = (addresses: string[]) =>
    page.evaluate(
      `import('/svc-static/client.js').then(({ samePage }) => ${JSON.stringify(addresses)}.map(samePage))`,
    );
  expect(await judge(attacks)).toEqual(attacks.map(() => null));
  const fine = `${site.origin}/account/forgot?x=1#y`;
  expect(await judge(['/account/forgot?x=1#y', fine])).toEqual([fine, fine]);

  // A person who is signed in already goes on without the form.
  await page.goto(site.page(`login?${new URLSearchParams({ next: '//evil.example' })}`));
  await page.waitForURL(site.page('me'));
  await page.goto(site.page(`login?${new URLSearchParams({ next: '/account/forgot?x=1#y' })}`));
  await page.waitForURL(site.page('forgot?x=1#y'));
});
