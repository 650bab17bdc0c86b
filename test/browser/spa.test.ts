import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import express from 'express';
import type { Page } from 'playwright-core';
import { build } from 'vite';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { type App, startApp } from '../support/app.ts';
import { compile } from '../support/compiler.ts';
import { type Oidc, startOidc } from '../support/oidc.ts';
import { codeIn } from '../support/people.ts';
import { look } from './look.ts';
import { useBrowser } from './use-browser.ts';

// examples/spa, built and used: what a front end of somebody's own needs of the API is there.

const root = join(import.meta.dirname, '../..');
const example = join(root, 'examples/spa');

let app: App;
let oidc: Oidc;
let origin: string;
const browser = useBrowser();
let page: Page;
const complaints: string[] = [];

beforeAll(async () => {
  const built = await mkdtemp(join(inject('temporaryFolder'), 'spa-'));
  // The package, as it is in this working copy.
  const client = join(root, 'src/client/index.ts');
  const compilerOptions = { paths: { 'gatehouse-auth/client': [client] } };
  const project = join(built, 'tsconfig.json');
  const settings = {
    extends: join(example, 'tsconfig.json'),
    compilerOptions,
    include: [join(example, 'src')],
  };
  await writeFile(project, JSON.stringify(settings));
  expect(await compile(project)).toEqual([]);
  await build({
    ...{ root: example, logLevel: 'error', build: { outDir: built, emptyOutDir: true } },
    resolve: { alias: { 'gatehouse-auth/client': client } },
  });
  const index = await readFile(join(built, 'index.html'), 'utf8');
  app = await startApp({
    before: [
      express.static(built, { index: false }),
      (req, res, next) => (req.path.startsWith('/api/') ? next() : void res.type('html').send(index)),
    ],
    settings: async address => {
      origin = address.replace('127.0.0.1', 'localhost');
      oidc = await startOidc(origin);
      return {
        ...{ baseUrl: origin, enableSms2fa: true, enableOauth: true, oauth: oidc.settings },
        urls: {
          login: `${origin}/login`,
          verify: `${origin}/verify`,
          resetPassword: `${origin}/reset-password`,
          confirmEmailChange: `${origin}/confirm-email-change`,
          oauthComplete: `${origin}/oauth-complete`,
          account: `${origin}/`,
        },
      };
    },
  });
  if (!browser.current) return;
  page = await browser.current.newPage({ viewport: { width: 320, height: 640 } });
  page.setDefaultTimeout(30_000);
  page.on('pageerror', error => complaints.push(error.message));
});
afterAll(async () => {
  await app?.close();
  await oidc?.close();
});

const email = 'ada@example.org';
const linkIn = ({ text }: { text: string }) => /https?:\S+/.exec(text)?.[0] ?? '';
const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
const title = (name: string) => page.getByRole('heading', { level: 1, name }).waitFor();
const fill = (label: string, text: string, within: { getByLabel: Page['getByLabel'] } = page) =>
  within.getByLabel(label).first().fill(text);
const section = (name: string) =>
  page.locator('section').filter({ has: page.getByRole('heading', { name }) });

/** The link to this page in the last of so many mails. */
async function mailedLink(path: string, mails = 1): Promise<string> {
  const find = () => app.mails.map(linkIn).filter(link => link.startsWith(`${origin}${path}`))[mails - 1];
  await expect.poll(find).toBeDefined();
  return find()!;
}

async function signIn(password: string): Promise<void> {
  await page.goto(`${origin}/login`);
  await fill('Email', email);
  await fill('Password', password);
  await press('Sign in');
}

test('somebody registers, follows the link of the mail, and signs in', async () => {
  await page.goto(`${origin}/register`);
  await fill('Email', 'ada at example');
  await fill('Password, at least 8 characters', 'short');
  await press('Create account');
  await page.getByText('must have 8 to 128 characters').waitFor();
  await page.getByText('Enter an email address, such as').waitFor();
  await look(page, 'spa: register, refused');
  await fill('Email', email);
  await fill('Password, at least 8 characters', 'correct horse');
  await press('Create account');
  await title('Check your email');
  await look(page, 'spa: check your mail');
  await press('Send it again');
  await page.locator('.said:not(:empty)').waitFor();

  await page.goto(await mailedLink('/verify', 2));
  await title('Confirm your address');
  expect(page.url()).toBe(`${origin}/verify`);
  await press('This address is mine');
  await title('Sign in');
  await page.getByText('Your address is confirmed.').waitFor();
  await look(page, 'spa: login');
  await signIn('not the password');
  await page.getByText('The address or the password is wrong.').waitFor();
  await signIn('correct horse');
  await title(email);
  await look(page, 'spa: account');
});

test('a phone becomes the second step', async () => {
  const phone = '+4915112345678';
  const second = section('Second step');
  await fill('Phone', phone, second);
  await fill('Current password', 'correct horse', second);
  await press('Send a code to this phone');
  await fill('Code', codeIn(await app.nextText(phone)), second);
  await press('Use this phone');
  await page.getByRole('button', { name: `Stop sending codes to ${phone}` }).waitFor();
  await press('Sign out');
  await title('Sign in');
  await signIn('correct horse');
  await title('Enter your code');
  await look(page, 'spa: code');
  await fill('Code', codeIn(await app.nextText(phone)));
  await press('Sign in');
  await title(email);
});

test('a forgotten password is set anew, and ends the session', async () => {
  await page.goto(`${origin}/forgot`);
  await fill('Email', email);
  await press('Send me a link');
  await page.getByText('is on its way').waitFor();
  await page.goto(await mailedLink('/reset-password'));
  await fill('New password', 'battery staple');
  await press('Set password');
  await page.getByText('Your password is set.').waitFor();
  await page.goto(origin);
  await title('Sign in');
});

test('somebody comes in through a provider, and keeps the last way to sign in', async () => {
  await page.goto(`${origin}/login`);
  await press('Continue with Google');
  await page.waitForURL(url => url.origin === oidc.issuer);
  await page.locator('[name=login]').fill('grace');
  await page.keyboard.press('Enter');
  await title('grace@');
  expect(page.url()).toBe(`${origin}/`);
  await section('Other ways').getByRole('button', { name: 'Unlink google' }).click();
  await page.getByText('last sign-in method').waitFor();
  expect(complaints).toEqual([]);
});
