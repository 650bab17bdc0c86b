// Takes the screenshots of docs/theming.md: every page, in light and dark mode.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { newUser } from '../src/domain/new-user.ts';
import type { User } from '../src/tables/user.ts';
import { launchBrowser } from '../test/browser/browser.ts';
import { strongSignIn } from '../test/browser/factors.ts';
import { type App, logIn, type Member, signUp, startApp } from '../test/support/app.ts';
import { startOidc } from '../test/support/oidc.ts';

interface Scene {
  page: Page;
  /** A superuser, with a name and no phone. */
  ada: Member;
  /** Opens one of Gatehouse's pages. */
  open(name: string): Promise<void>;
  /** Like `open`, signed in. */
  openSignedIn(name: string, token: string): Promise<void>;
}

/** What each picture shows; its name is the name of the page. */
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
  // Whoever comes next is newer, so that the list has one order.
  app.clock.advance(60_000);
}

const folder = join(import.meta.dirname, '../docs/images');
mkdirSync(folder, { recursive: true });
const oidc = await startOidc();
const app = await startApp({
  settings: async address => ({
    ...{ baseUrl: address.replace('127.0.0.1', 'localhost'), enableUiRouter: true, enableAdminRouter: true },
    ...{ enableSms2fa: true, enableOauth: true, ...strongSignIn },
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

for (const colorScheme of ['light', 'dark'] as const) {
  for (const [name, show] of Object.entries(pictures)) {
    const isWide = name.startsWith('admin');
    const viewport = { width: isWide ? 1120 : 880, height: isWide ? 840 : name === 'me' ? 1120 : 700 };
    const context = await browser.newContext({ colorScheme, viewport, reducedMotion: 'reduce' });
    const page = await context.newPage();
    const open = async (of: string) => {
      await page.goto(`${app.gatehouse.config.baseUrl}/account/${of}`, { waitUntil: 'networkidle' });
    };
    const openSignedIn = async (of: string, token: string) => {
      await context.addInitScript(`localStorage.setItem('svc.access_token', ${JSON.stringify(token)})`);
      await open(of);
    };
    await show({ page, ada, open, openSignedIn });
    await page.screenshot({
      path: join(folder, `${name}-${colorScheme}.png`),
      animations: 'disabled',
      caret: 'hide',
    });
    await context.close();
  }
}
await browser.close();
await app.close();
await oidc.close();
