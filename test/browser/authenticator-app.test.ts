import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { logIn, signUp } from '../support/app.ts';
import { eventually } from '../support/eventually.ts';
import { codeIn, isAlive } from '../support/people.ts';
import { codeOf, setUpPhone, setUpTotp, strongSettings } from '../support/strong.ts';
import { beginAppSetup, panelOf } from './factors.ts';
import { look } from './look.ts';
import { fillLogin, tokenIn, useSite } from './support.ts';
import { attachAuthenticator } from './virtual-authenticator.ts';

// An authenticator app and recovery codes, through the pages.

const site = useSite({ ...strongSettings, supportContact: 'help@example.org' });
const narrow = { viewport: { width: 320, height: 640 } };

const codeNow = (secret: string) => codeOf(site.app, secret);
/** The codes of the next time step, so that none is used twice. */
const nextCode = (secret: string) => {
  site.app.clock.advance(30_000);
  return codeNow(secret);
};

/** Reads the recovery codes of a new app, closes their dialog, and waits until the page has read the account again. */
async function takeCodes(page: Page): Promise<string[]> {
  const dialog = page.getByRole('dialog', { name: 'Your recovery codes' });
  await dialog.waitFor();
  const codes = await dialog.getByRole('listitem').allTextContents();
  await dialog.getByRole('button', { name: 'I have stored them' }).click();
  // The panel closes then, and a press before that would open or close it at the wrong time.
  await panelOf(page, 'Authenticator app').locator('summary:focus').waitFor();
  return codes;
}

/** A member with an app. */
async function withApp() {
  const member = await signUp(site.app);
  return { ...member, ...(await setUpTotp(site.app, member)) };
}

async function signOut(page: Page) {
  await page.getByRole('button', { name: 'Sign out', exact: true }).click();
}

const signedIn = (page: Page) => page.getByRole('heading', { name: 'Your account' }).waitFor();

test('an app is set up, ends every other session, is asked for at the next sign-in, renamed and removed', async () => {
  const member = await signUp(site.app);
  const { email, password, token } = member;
  const other = await logIn(site.app, member);
  const page = await site.openSignedIn('me', token);
  const panel = panelOf(page, 'Authenticator app');
  await panel.locator('summary').getByText('Set up', { exact: true }).waitFor();
  const secret = await beginAppSetup(page);
  expect(secret).toMatch(/^([A-Z2-7]{4} ){7}[A-Z2-7]{4}$/);
  const link = await panel.getByRole('link', { name: 'Open it with this entry' }).getAttribute('href');
  expect(new URL(link!).searchParams.get('secret')).toBe(secret.replaceAll(' ', ''));

  await panel.getByRole('textbox', { name: 'Code', exact: true }).fill('12345');
  await panel.getByRole('button', { name: 'Turn it on' }).click();
  await panel.getByText('Enter the 6 digits that the app shows now.').waitFor();
  await panel
    .getByRole('textbox', { name: 'Code', exact: true })
    .fill(codeNow(secret) === '000000' ? '111111' : '000000');
  await panel.getByRole('button', { name: 'Turn it on' }).click();
  await panel.locator('#totp-code[aria-invalid=true]:focus').waitFor();
  await panel.getByRole('textbox', { name: 'Code', exact: true }).fill(codeNow(secret));
  await panel.getByLabel('Name of the app').fill('My <b>phone</b>');
  await panel.getByRole('button', { name: 'Turn it on' }).click();
  const codes = await takeCodes(page);
  expect(new Set(codes).size).toBe(10);
  expect(await isAlive(site.app, other)).toBe(false);
  await page.getByText('Your authenticator app is set up.').waitFor();
  await panel.getByText('My <b>phone</b>').first().waitFor();
  await panelOf(page, 'Recovery codes').getByText('10 left').waitFor();
  // The secret does not stay in the page, nor do the codes.
  expect(await page.content()).not.toContain(secret);
  for (const code of codes) expect(await page.content()).not.toContain(code);

  await signOut(page);
  await fillLogin(page, email, password);
  await page.getByRole('heading', { name: 'One more step' }).waitFor();
  await page.locator('#step-totp-code:focus').waitFor();
  expect(await tokenIn(page)).toBeNull();
  await page.getByRole('textbox', { name: 'Code', exact: true }).fill(codeNow(secret));
  await page.getByRole('button', { name: 'Sign in' }).click();
  // It was used for the set-up, and costs no try.
  await page.getByText('This code was used already. Wait for the next one.').first().waitFor();
  await page
    .getByRole('textbox', { name: 'Code', exact: true })
    .fill(codeNow(secret) === '000000' ? '111111' : '000000');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('That code is wrong. You have 4 tries left.').first().waitFor();
  const code = nextCode(secret);
  await page.getByRole('textbox', { name: 'Code', exact: true }).fill(`${code.slice(0, 3)} ${code.slice(3)}`);
  await page.keyboard.press('Enter');
  await signedIn(page);
  expect(await page.evaluate("Object.keys(sessionStorage).filter(key => key.includes('mfa'))")).toEqual([]);

  await panel.locator('summary').click();
  await panel.getByRole('button', { name: 'Rename My <b>phone</b>' }).click();
  await page.getByRole('dialog').getByLabel('New name').fill('Old phone');
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await page.getByText('It is now called Old phone.').waitFor();
  await panel.locator('summary:focus').waitFor();
  await panel.getByRole('button', { name: 'Remove Old phone' }).click();
  await page
    .getByRole('dialog', { name: 'Remove Old phone?' })
    .getByRole('button', { name: 'Keep it' })
    .click();
  await panel.getByRole('button', { name: 'Remove Old phone' }).click();
  await page
    .getByRole('dialog', { name: 'Remove Old phone?' })
    .getByRole('button', { name: 'Remove it' })
    .click();
  await page.getByText('Old phone was removed.').waitFor();
  await panel.locator('summary').getByText('None yet').waitFor();
  expect(await panelOf(page, 'Recovery codes').isVisible()).toBe(false);
});

test('a recovery code signs in where the app is not at hand, and the codes are replaced', async () => {
  const { email, password, recoveryCodes: codes } = await withApp();
  const page = await site.open('login', { permissions: ['clipboard-read', 'clipboard-write'] });
  await fillLogin(page, email, password);
  await page.getByRole('button', { name: 'Use a recovery code' }).click();
  await page.locator('#step-recovery-code:focus').waitFor();
  await page.getByText('I lost all of them').click();
  await page.getByText('help@example.org').waitFor();
  await page.getByRole('textbox', { name: 'Recovery code' }).fill(codes[0]!.toLowerCase());
  await page.keyboard.press('Enter');
  await signedIn(page);

  const panel = panelOf(page, 'Recovery codes');
  await panel.getByText('9 left').waitFor();
  await panel.locator('summary').click();
  await panel.getByRole('button', { name: 'Make new codes' }).click();
  const dialog = page.getByRole('dialog', { name: 'Your recovery codes' });
  await dialog.waitFor();
  const next = await dialog.getByRole('listitem').allTextContents();
  expect(next.filter(code => codes.includes(code))).toEqual([]);
  await dialog.getByRole('button', { name: 'Copy' }).click();
  await dialog.getByText('Copied.').waitFor();
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(`${next.join('\n')}\n`);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    dialog.getByRole('button', { name: 'Download' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('recovery-codes.txt');
  await page.evaluate("window.print = () => { document.title = 'printed'; }");
  await dialog.getByRole('button', { name: 'Print' }).click();
  expect(await page.title()).toBe('printed');
  // Printed is the dialog alone, without its buttons.
  await page.emulateMedia({ media: 'print' });
  expect(await page.locator('.site-header').isVisible()).toBe(false);
  expect(await dialog.getByRole('button', { name: 'Print' }).isVisible()).toBe(false);
  expect(await dialog.getByText(next[0]!).isVisible()).toBe(true);
  await page.emulateMedia({ media: 'screen' });
  await page.keyboard.press('Escape');
  await dialog.locator('[data-stored]:focus').waitFor();
  await page.keyboard.press('Enter');
  await panel.getByText('10 left').waitFor();
});

test('text messages are one of several ways', async () => {
  const member = await withApp();
  const { email, password, secret } = member;
  const phone = await setUpPhone(site.app, member);
  const nextCodeToPhone = async () => codeIn(await site.app.nextText(phone));

  const page = await site.open('login');
  await fillLogin(page, email, password);
  await page.locator('#step-totp-code:focus').waitFor();
  await page.getByRole('button', { name: 'Get a text message' }).click();
  await page.locator('#step-sms-code:focus').waitFor();
  await nextCodeToPhone();
  await page.getByRole('button', { name: 'Send another one' }).click();
  await page.getByText('A new code is on its way.').waitFor();
  const newest = await nextCodeToPhone();
  // Back to the app and here again sends nothing by itself.
  await page.getByRole('button', { name: 'Use your authenticator app' }).click();
  await page.getByRole('button', { name: 'Get a text message' }).click();
  await page.getByRole('textbox', { name: 'Code', exact: true }).fill(newest);
  await page.keyboard.press('Enter');
  await signedIn(page);

  // Taking the phone off leaves the app.
  await panelOf(page, 'Text messages').getByText(phone).first().waitFor();
  await panelOf(page, 'Text messages').locator('summary').click();
  await page.locator('#phone-remove-password').fill(password);
  await page.getByRole('button', { name: 'Turn it off' }).click();
  await page.getByText('Your phone is removed.').waitFor();
  await signOut(page);
  await fillLogin(page, email, password);
  await page.locator('#step-totp-code:focus').waitFor();
  expect(await page.getByRole('button', { name: 'Get a text message' }).isVisible()).toBe(false);
  await page.getByRole('textbox', { name: 'Code', exact: true }).fill(nextCode(secret));
  await page.keyboard.press('Enter');
  await signedIn(page);
});

test('a second factor is added minutes after the first, and nothing is asked for again', async () => {
  const page = await site.openSignedIn('me', (await withApp()).token);
  await attachAuthenticator(page);
  site.app.clock.advance(300_000);
  await panelOf(page, 'Passkeys').locator('summary').click();
  await page.getByText('Your passkey is set up.').waitFor();
  expect(await page.locator('#sign-in-again').isVisible()).toBe(false);
  // It has the name of this browser until its owner chooses another one.
  await panelOf(page, 'Passkeys')
    .locator('summary')
    .getByText(/^Chrome on /)
    .waitFor();
});

test('tries that are used up lead back to the login page', async () => {
  const { email, password, secret } = await withApp();
  const page = await site.open('login');
  await fillLogin(page, email, password);
  const wrong = codeNow(secret) === '000000' ? '111111' : '000000';
  for (const left of ['4 tries', '3 tries', '2 tries', '1 try']) {
    await page.getByRole('textbox', { name: 'Code', exact: true }).fill(wrong);
    await page.keyboard.press('Enter');
    await page.getByText(`You have ${left} left.`).first().waitFor();
  }
  await page.keyboard.press('Enter');
  await page.getByRole('alert').getByRole('link', { name: 'Sign in again' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
});

test('a sign-in that is not recent is repeated in a dialog, and what was begun goes on', async () => {
  const { token: before, password, secret } = await withApp();
  site.app.clock.advance(1_000_000);
  const page = await site.openSignedIn('me', before);
  const panel = panelOf(page, 'Authenticator app');
  await panel.locator('summary').click();
  await panel.getByRole('button', { name: 'Remove Authenticator app' }).click();
  const remove = page.getByRole('dialog', { name: 'Remove Authenticator app?' });
  const again = page.getByRole('dialog', { name: 'Sign in again to go on' });

  // Cancelled: nothing is changed, and the focus is where it was.
  await remove.getByRole('button', { name: 'Remove it' }).click();
  await page.locator('#again-password:focus').waitFor();
  await look(page, 'me, signing in again');
  await again.getByRole('button', { name: 'Cancel' }).click();
  await remove.getByText('Nothing was changed').waitFor();
  await remove.locator('[type=submit]:focus').waitFor();

  await page.keyboard.press('Enter');
  await page.locator('#again-password:focus').waitFor();
  await page.keyboard.type('not the password');
  await page.keyboard.press('Enter');
  await page.locator('#again-password[aria-invalid=true]').waitFor();
  await again.getByLabel('Password', { exact: true }).fill(password);
  await page.keyboard.press('Enter');
  await page.locator('#again-totp-code:focus').waitFor();
  await look(page, 'me, signing in again, second step');
  await page.keyboard.type(nextCode(secret));
  await page.keyboard.press('Enter');
  await page.getByText('Authenticator app was removed.').waitFor();
  expect(await tokenIn(page)).not.toBe(before);
  // The former session has ended.
  expect((await site.app.rest('GET', '/me', undefined, { token: before })).status).toBe(401);
});

test('an app leaves the other sessions where its owner wants that', async () => {
  const member = await signUp(site.app);
  const other = await logIn(site.app, member);
  const page = await site.openSignedIn('me', member.token);
  const panel = panelOf(page, 'Authenticator app');
  const secret = await beginAppSetup(page);
  await panel.getByRole('textbox', { name: 'Code', exact: true }).fill(codeNow(secret));
  await panel.getByLabel('Sign out everywhere else').uncheck();
  await panel.getByRole('button', { name: 'Turn it on' }).click();
  await takeCodes(page);
  expect(await isAlive(site.app, other)).toBe(true);
  // The session of the page goes on as one of both proofs, in place of the one before.
  expect(await tokenIn(page)).not.toBe(member.token);
  await eventually(async () => expect(await isAlive(site.app, member.token)).toBe(false));
});

test('the page and the second step in each state can be used by everybody', async () => {
  const { token, email, password } = await signUp(site.app);
  const page = await site.openSignedIn('me', token, narrow);
  await signedIn(page);
  await look(page, 'me, nothing set up');
  for (const summary of await page.locator('summary:visible').all()) await summary.click();
  await page.getByRole('img', { name: 'QR code' }).waitFor();
  await look(page, 'me, setting up an app');
  const secret = (await page.locator('[data-fill="totp_secret"]').textContent())!;
  await page.locator('#totp-code').fill(codeNow(secret));
  await page.getByRole('button', { name: 'Turn it on' }).click();
  await page.getByRole('dialog', { name: 'Your recovery codes' }).waitFor();
  await look(page, 'me, recovery codes');
  await takeCodes(page);
  for (const label of ['Authenticator app', 'Recovery codes']) {
    await panelOf(page, label).locator('summary').click();
  }
  await look(page, 'me, with an app');
  await page.getByRole('button', { name: 'Rename Authenticator app' }).click();
  await look(page, 'me, renaming');
  await page.getByRole('button', { name: 'Cancel' }).and(page.locator(':visible')).last().click();
  await page.getByRole('button', { name: 'Remove Authenticator app' }).click();
  await look(page, 'me, removing');
  await page.getByRole('button', { name: 'Keep it' }).and(page.locator('#authenticator-remove *')).click();
  await signOut(page);
  await fillLogin(page, email, password);
  await page.locator('#step-totp-code:focus').waitFor();
  await look(page, 'mfa, app');
  await page.getByRole('button', { name: 'Use a recovery code' }).click();
  await page.getByText('I lost all of them').click();
  await look(page, 'mfa, recovery code');
});

test('an app is set up, used and removed by keyboard alone', async () => {
  const { email, password, token } = await signUp(site.app);
  const page = await site.openSignedIn('me', token);
  await signedIn(page);
  /** Goes on with the key until this has the focus. */
  const tabTo = async (selector: string, key = 'Tab') => {
    await page.locator(selector).first().waitFor();
    for (let presses = 0; presses < 40; presses++) {
      if (await page.locator(`${selector}:focus-visible`).count()) return;
      await page.keyboard.press(key);
    }
    throw new Error(`The focus did not come to ${selector}.`);
  };
  const summary = page.locator('details:has([data-authenticators="totp"]) > summary');
  await tabTo('details:has([data-authenticators="totp"]) > summary');
  await page.keyboard.press('Enter');
  await page.locator('[data-qr]:focus').waitFor();
  const secret = (await page.locator('[data-fill="totp_secret"]').textContent())!;
  await tabTo('[data-otpauth]');
  await tabTo('#totp-confirm [data-copy]');
  await tabTo('#totp-code');
  await page.keyboard.type(codeNow(secret));
  await page.keyboard.press('Enter');
  await page.locator('#recovery-codes-title:focus').waitFor();
  await tabTo('[data-download]');
  await tabTo('[data-stored]');
  await page.keyboard.press('Enter');
  await page.getByText('Your authenticator app is set up.').waitFor();
  expect(await summary.evaluate('document.activeElement.tagName')).toBe('SUMMARY');

  await tabTo('[data-sign-out]', 'Shift+Tab');
  await page.keyboard.press('Enter');
  await tabTo('#email');
  await page.keyboard.type(email);
  await tabTo('#password');
  await page.keyboard.type(password);
  await tabTo('[data-passkey]');
  await tabTo('form [type=submit]', 'Shift+Tab');
  await page.keyboard.press('Enter');
  await page.locator('#step-totp-code:focus').waitFor();
  await tabTo('[data-choose=recovery_code]');
  await page.keyboard.press('Enter');
  await page.locator('#step-recovery-code:focus').waitFor();
  await tabTo('summary');
  await tabTo('[data-choose=totp]', 'Shift+Tab');
  await page.keyboard.press('Enter');
  await page.locator('#step-totp-code:focus').waitFor();
  await page.keyboard.type(nextCode(secret));
  await page.keyboard.press('Enter');

  await signedIn(page);
  await tabTo('details:has([data-authenticators="totp"]) > summary');
  await page.keyboard.press('Enter');
  await tabTo('[data-authenticators="totp"] button[aria-label^="Remove"]');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Escape');
  // The focus is back where it was.
  await page.locator('[data-authenticators="totp"] button[aria-label^="Remove"]:focus').waitFor();
  await page.keyboard.press('Enter');
  await tabTo('#authenticator-remove [type=submit]');
  await page.keyboard.press('Enter');
  await page.getByText('Authenticator app was removed.').waitFor();
});
