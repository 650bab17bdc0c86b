import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import express from 'express';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest';
import { type App, signUp, startApp } from '../support/app.ts';
import { fewOf } from '../support/repetitions.ts';
import { codeOf, setUpTotp, strongSettings } from '../support/strong.ts';
import { useBrowser } from './use-browser.ts';
import { attachAuthenticator } from './virtual-authenticator.ts';

// The hooks in a browser, on a page that a server has rendered, in StrictMode (CONTRACT §14).

const root = join(import.meta.dirname, '../..');
const reacts = [
  { version: 18, door: 'rest', alias: { react: 'react-18', 'react-dom': 'react-dom-18' } },
  { version: 19, door: 'graphql', alias: {} },
] as const;

describe.each(reacts)('React $version, through $door', ({ version, door, alias }) => {
  let app: App;
  let origin: string;
  let markup: string;
  const browser = useBrowser();
  const complaints: string[] = [];

  beforeAll(async () => {
    const outdir = await mkdtemp(join(inject('temporaryFolder'), 'react-'));
    const source = join(import.meta.dirname, 'react-app');
    const common = { bundle: true, alias, outdir, absWorkingDir: root, logLevel: 'error' } as const;
    await build({ ...common, entryPoints: [join(source, 'browser.ts')], format: 'esm' });
    const server = { platform: 'node', format: 'cjs', outExtension: { '.js': '.cjs' } } as const;
    await build({ ...common, ...server, entryPoints: [join(source, 'server.ts')] });
    const { rendered } = (await import(pathToFileURL(join(outdir, 'server.cjs')).href)) as {
      rendered(door: string): string;
    };
    markup = rendered(door);
    const page = `<!doctype html><title>App</title><link rel="icon" href="data:,"><body data-door="${door}">
      <main>${markup}</main><script type="module" src="/app/browser.js"></script>`;
    app = await startApp({
      before: [
        express
          .Router()
          .get('/', (_req, res) => void res.send(page))
          .use('/app', express.static(outdir)),
      ],
      settings: async address => {
        origin = address.replace('127.0.0.1', 'localhost');
        return { ...strongSettings, baseUrl: origin };
      },
    });
  });
  afterAll(() => app?.close());

  let context: BrowserContext;
  afterEach(async () => {
    await context?.close();
    expect(complaints.splice(0)).toEqual([]);
  });

  async function open(): Promise<Page> {
    context = await browser.current!.newContext();
    context.setDefaultTimeout(30_000);
    return tab();
  }

  async function tab(): Promise<Page> {
    const page = await context.newPage();
    // Hydration that differs from the server's markup is an error on the console.
    page.on('console', message => {
      const text = message.text();
      if (message.type() === 'error' && !/^Failed to load resource/.test(text)) complaints.push(text);
    });
    page.on('pageerror', error => complaints.push(error.message));
    await page.goto(origin);
    return page;
  }

  const told = (page: Page, name: string) => page.locator(`[data-${name}]`);
  const says = (page: Page, name: string, text: string) =>
    page.locator(`[data-${name}]:text-is("${text}")`).waitFor({ state: 'attached' });
  const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
  async function signIn(page: Page, { email, password }: { email: string; password: string }): Promise<void> {
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password').fill(password);
    await press(page, 'Sign in');
  }

  test('a server renders a session that is not known yet, and needs no browser', () => {
    expect(markup).toContain(`<output data-react="true">${version}.`);
    expect(markup).toContain('<output data-status="true">loading</output>');
    expect(markup).toContain('<output data-step="true">credentials</output>');
  });

  test('somebody signs in, is known after a reload, and signs out', async () => {
    const member = await signUp(app);
    const page = await open();
    await says(page, 'status', 'signed-out');
    await signIn(page, { ...member, password: 'not the password' });
    await says(page, 'error', 'invalid_credentials');
    await says(page, 'pending', 'false');
    await signIn(page, member);
    await says(page, 'user', member.email);
    await says(page, 'status', 'signed-in');
    await says(page, 'step', 'done');
    expect(await told(page, 'error').textContent()).toBe('');

    await page.reload();
    await says(page, 'user', member.email);
    await page.getByLabel('Name').fill('Ada');
    await press(page, 'Rename');
    await says(page, 'name', 'Ada');
    await press(page, 'Sign out');
    await says(page, 'status', 'signed-out');
    await says(page, 'user', '');
    await says(page, 'step', 'credentials');
    expect(await page.title()).toBe('App');
    expect(await page.evaluate('localStorage.length')).toBe(0);
  });

  test('the second step takes the codes of an app, and can be begun again', async () => {
    const member = await signUp(app);
    const { secret } = await setUpTotp(app, member);
    const page = await open();
    await signIn(page, member);
    await says(page, 'step', 'second-step');
    await says(page, 'methods', 'totp recovery_code');
    await says(page, 'status', 'signed-out');
    await press(page, 'Start again');
    await says(page, 'step', 'credentials');
    await says(page, 'methods', '');
    await signIn(page, member);
    await page.getByLabel('Code').fill('000000');
    await press(page, 'Confirm by totp');
    await says(page, 'error', 'mfa_code_wrong');
    app.clock.advance(30_000);
    await page.getByLabel('Code').fill(codeOf(app, secret));
    await press(page, 'Confirm by totp');
    await says(page, 'user', member.email);
    await says(page, 'step', 'done');
  });

  // What follows is work of the client, which is the same below each version.
  if (fewOf([18, 19], 19).includes(version)) {
    test('a passkey is added, signs in by itself, and takes the second step', async () => {
      const member = await signUp(app);
      const page = await open();
      const device = await attachAuthenticator(page);
      await signIn(page, member);
      await says(page, 'user', member.email);
      await press(page, 'Add a passkey');
      await expect.poll(device.credentials).toHaveLength(1);
      const list = () => app.rest('GET', '/authenticators', undefined, { token: member.token });
      await expect
        .poll(async () => (await list()).body.items)
        .toMatchObject([{ kind: 'passkey', name: 'Key' }]);
      await press(page, 'Sign out');
      await says(page, 'status', 'signed-out');
      await press(page, 'Use a passkey');
      await says(page, 'user', member.email);
      await press(page, 'Sign out');
      await says(page, 'status', 'signed-out');

      await setUpTotp(app, member);
      await signIn(page, member);
      await says(page, 'methods', 'passkey totp recovery_code');
      await press(page, 'Use a passkey');
      await says(page, 'user', member.email);
    });

    test('a device without a passkey says so', async () => {
      const page = await open();
      await attachAuthenticator(page, { hasUserVerification: false });
      await press(page, 'Use a passkey');
      await says(page, 'error', 'passkey_cancelled');
      await says(page, 'step', 'credentials');
    });

    test('another tab is noticed, when it signs in and when it signs out', async () => {
      const member = await signUp(app);
      const page = await open();
      const other = await tab();
      await says(other, 'status', 'signed-out');
      await signIn(page, member);
      await says(other, 'user', member.email);
      await press(other, 'Sign out');
      await says(page, 'status', 'signed-out');
      expect(await page.title()).toBe('App');
    });

    test('a session that the server has ended is told once', async () => {
      const member = await signUp(app);
      const page = await open();
      await signIn(page, member);
      await says(page, 'status', 'signed-in');
      await app.rest('POST', '/logout', { everywhere: true }, { token: member.token });
      await press(page, 'Refresh');
      await says(page, 'status', 'signed-out');
      expect(await page.title()).toBe('App ended');
    });

    test('a server that cannot be reached at first is asked again', async () => {
      const member = await signUp(app);
      const page = await open();
      await signIn(page, member);
      await says(page, 'status', 'signed-in');
      let failures = 2;
      await page.route(/\/api\/auth\//, route => (failures-- > 0 ? route.abort() : route.fallback()));
      await page.reload();
      await says(page, 'status', 'loading');
      await says(page, 'user', member.email);
      expect(failures).toBeLessThan(0);
    });
  }
});
