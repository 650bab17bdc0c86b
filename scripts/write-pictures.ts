// Takes the screenshots of docs/theming.md: every page, in light and dark mode.
import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { newUser } from '../src/domain/new-user.ts';
import type { User } from '../src/tables/user.ts';
import { launchBrowser } from '../test/browser/browser.ts';
import { panelOf } from '../test/browser/factors.ts';
import { type App, logIn, type Member, signUp, startApp } from '../test/support/app.ts';
import { startOidc } from '../test/support/oidc.ts';
import { setUpTotp, strongSettings } from '../test/support/strong.ts';

interface Scene {
  page: Page;
  /** A superuser, with a name and no phone. */
  ada: Member;
  /** Somebody with an authenticator app, several sessions and a history. */
  grace: Member;
  /** Opens one of Gatehouse's pages. */
  open(name: string): Promise<void>;
  /** Like `open`, signed in. */
  openSignedIn(name: string, token: string): Promise<void>;
}

/** The content of each picture; its name is the name of the page. */
const pictures: Record<string, (scene: Scene) => Promise<void>> = {
  login: ({ open }) => open('login'),
  register: async ({ page, open }) => {
    await open('register');
    await page.getByLabel('Your name').fill('Ada Lovelace');
    await page.getByLabel('Email address').fill('ada@example.org');
    await page.getByLabel('Password', { exact: true }).fill('correct horse');
  },
  verify: ({ open }) => open('verify?token=x'),
  forgot: ({ open }) => open('forgot'),
  'reset-password': ({ open }) => open('reset-password?token=x'),
  'accept-invitation': ({ open }) => open('accept-invitation?token=x'),
  'confirm-email-change': ({ open }) => open('confirm-email-change?token=x'),
  mfa: async ({ page, open }) => {
    await open('login');
    await page.evaluate("sessionStorage.setItem('svc.mfa_pending_token', 'x')");
    await page.evaluate(`sessionStorage.setItem('svc.mfa_methods', '["totp","sms","recovery_code"]')`);
    await open('mfa');
  },
  me: async ({ page, ada, openSignedIn }) => {
    await openSignedIn('me', ada.token);
    await page.getByRole('heading', { name: 'Your account' }).waitFor();
  },
  'me-sessions': async ({ page, grace, openSignedIn }) => {
    await openSignedIn('me', grace.token);
    for (const label of ['Sessions', 'Activity']) await panelOf(page, label).locator('summary').click();
    await page.locator('[data-activity] .item').first().waitFor();
  },
  'me-app': async ({ page, ada, openSignedIn }) => {
    await openSignedIn('me', ada.token);
    await panelOf(page, 'Authenticator app').locator('summary').click();
    await page.locator('[data-qr] svg').waitFor();
  },
  'me-forms': async ({ page, grace, openSignedIn }) => {
    await openSignedIn('me', grace.token);
    for (const label of ['Email address', 'Password', 'Authenticator app', 'Text messages', 'Recovery codes'])
      await panelOf(page, label).locator('summary').click();
  },
  'me-delete': async ({ page, ada, openSignedIn }) => {
    await openSignedIn('me', ada.token);
    await page.locator('[data-open-deletion]').click();
  },
  'me-saved': async ({ page, ada, openSignedIn }) => {
    await openSignedIn('me', ada.token);
    await panelOf(page, 'Name').locator('summary').click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Your name is saved.').waitFor();
  },
  'login-refused': async ({ page, open }) => {
    await open('login?error=email_in_use');
    await page.getByLabel('Email address').fill('ada@example.org');
    await page.getByLabel('Password', { exact: true }).fill('not the password');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.locator('#password-error:not(:empty)').waitFor();
  },
  'register-sent': async ({ page, open }) => {
    await open('register');
    await page.getByLabel('Email address').fill(`${randomUUID().slice(0, 8)}@example.org`);
    await page.getByLabel('Password', { exact: true }).fill('correct horse battery');
    await page.getByRole('button', { name: 'Create my account' }).click();
    await page.getByRole('heading', { name: 'Check your email' }).waitFor();
  },
  'not-me': ({ open }) => open('not-me?token=x'),
  'not-found': ({ open }) => open('no-such-page'),
  'oauth-complete': ({ open }) => open('oauth-complete?id=x'),
  admin: ({ ada, openSignedIn }) => openSignedIn('admin', ada.token),
  'admin-user': async ({ page, ada, openSignedIn }) => {
    await openSignedIn('admin#users?search=grace', ada.token);
    await page.getByRole('link', { name: 'grace.hopper@example.org' }).click();
    await page.getByRole('heading', { name: 'Facts' }).waitFor();
  },
};

/** The users in the console, oldest first, with the properties that differ from the usual. */
const people: [string, Partial<User>][] = [
  ['Tony Hoare', {}],
  ['Frances Allen', { isVerified: false }],
  ['Grace Hopper', { isSuperuser: true, isMfaEnabled: true, phoneNumber: '+447700900140' }],
  ['Alan Turing', { isActive: false }],
  ['Radia Perlman', {}],
  ['Barbara Liskov', { isMfaEnabled: true, phoneNumber: '+447700900141' }],
];

async function addPeople(app: App): Promise<void> {
  for (const [fullName, unusual] of people) {
    app.clock.advance(7_777_000);
    const email = `${fullName.toLowerCase().replace(' ', '.')}@example.org`;
    const user = newUser(app.clock.now(), { email, fullName, hashedPassword: null, isVerified: true });
    await app.gatehouse.repositories.users.add({ ...user, lastLogin: app.clock.now(), ...unusual });
  }
  await app.rest('POST', '/register', {
    email: 'jean.bartik@example.org',
    password: 'correct horse battery',
  });
  // Each account is newer than the one before, so that the list has one order.
  app.clock.advance(60_000);
}

/** Somebody who uses several devices, and an authenticator app. */
async function withHistory(app: App): Promise<Member> {
  const member = await signUp(app, 'grace@example.org');
  await app.rest('PATCH', '/me', { full_name: 'Grace Hopper' }, member);
  const { email, password } = member;
  for (const agent of agents)
    await app.rest('POST', '/login', { email, password }, { headers: { 'User-Agent': agent } });
  await app.rest('POST', '/login', { email, password: 'not the password' });
  const { token } = await setUpTotp(app, member, 'iPhone');
  return { ...member, token };
}

const apple = 'AppleWebKit/605.1.15 (KHTML, like Gecko)';
const agents = [
  `Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) ${apple} Version/18.1 Mobile/15E148 Safari/604.1`,
  'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0',
];

const folder = join(import.meta.dirname, '../docs/images');
mkdirSync(folder, { recursive: true });
const oidc = await startOidc();
const app = await startApp({
  databaseUrl: 'sqlite:///:memory:',
  settings: async address => ({
    ...{ baseUrl: address.replace('127.0.0.1', 'localhost'), enableUiRouter: true, enableAdminRouter: true },
    ...{ enableSms2fa: true, enableOauth: true, enableAccountDeletion: true, ...strongSettings },
    ...{ auditStore: 'database', notifyNewSignIn: true, supportContact: 'help@example.org', homeUrl: '/' },
    footerLinks: {
      terms: { url: '/terms', label: 'Terms of use' },
      privacy: { url: '/privacy', label: 'Privacy' },
    },
    oauth: oidc.settings,
  }),
});
const browser = await launchBrowser();
await addPeople(app);
const ada = await signUp(app, 'ada@example.org');
await app.rest('PATCH', '/me', { full_name: 'Ada Lovelace' }, { token: ada.token });
const found = await app.gatehouse.repositories.users.find(ada.id);
await app.gatehouse.repositories.users.change(found!.id, { set: { isSuperuser: true } });
ada.token = await logIn(app, ada);
const grace = await withHistory(app);

/** The widths of a phone and of a desk, in pixels; the names of the wide ones are in the docs. */
const widths = { 1280: '', 320: '-narrow' };

for (const colorScheme of ['light', 'dark'] as const) {
  for (const [width, suffix] of Object.entries(widths)) {
    for (const [name, show] of Object.entries(pictures)) {
      const viewport = { width: Number(width), height: 720 };
      const context = await browser.newContext({ colorScheme, viewport, reducedMotion: 'reduce' });
      const page = await context.newPage();
      const open = async (of: string) => {
        await page.goto(`${app.gatehouse.config.baseUrl}/account/${of}`, { waitUntil: 'networkidle' });
      };
      const openSignedIn = async (of: string, token: string) => {
        await context.addInitScript(`localStorage.setItem('svc.access_token', ${JSON.stringify(token)})`);
        await open(of);
      };
      await show({ page, ada, grace, open, openSignedIn });
      await page.screenshot({
        path: join(folder, `${name}-${colorScheme}${suffix}.png`),
        animations: 'disabled',
        caret: 'hide',
        // A dialog covers what can be seen of its page.
        fullPage: (await page.locator('dialog[open]').count()) === 0,
      });
      await context.close();
    }
  }
}
await browser.close();
await app.close();
await oidc.close();
