import type { RequestHandler, Router } from 'express';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import type { ConfigInput } from '../../src/config/schema.ts';
import type { Hooks } from '../../src/domain/hooks.ts';
import type { Gatehouse } from '../../src/gatehouse.ts';
import { type App, startApp } from '../support/app.ts';
import { type Oidc, startOidc } from '../support/oidc.ts';
import { useBrowser } from './use-browser.ts';

/** An app with every feature on, and a browser to look at it. Both live as long as the test file. */
export interface Site {
  readonly app: App;
  readonly oidc: Oidc;
  /** Where the browser finds the app; cookies know no port, so the provider is at another name of this machine. */
  readonly origin: string;
  /** The address of one of our pages. */
  page(name: string): string;
  /** A browser profile of its own, at one of our pages or at a whole address; closed when the test ends. */
  open(address: string, options?: BrowserContextOptions): Promise<Page>;
  /** Signs in without the form, at one of our pages. */
  openSignedIn(address: string, token: string, options?: BrowserContextOptions): Promise<Page>;
  /** Says that a complaint which fits is what this test is about. */
  expectComplaint(pattern: RegExp): void;
}

/** How long a page may take to show what a test waits for, in milliseconds. */
const patienceMs = 30_000;

/** What the host of a site adds. */
interface HostParts {
  routes?: (gatehouse: Gatehouse) => Router;
  hooks?: Hooks;
}

/**
 * Starts a site for the tests of a file. A test fails when its pages caused an error on the console, an exception, a
 * violation of the Content-Security-Policy, a request to anybody else, or a cookie. A host with routes of its own has the
 * cookie of browser sessions, which no script may read and no call of the API may carry.
 */
export function useSite(settings: ConfigInput = {}, { routes, hooks }: HostParts = {}): Site {
  let app: App;
  let oidc: Oidc;
  let origin: string;
  let hosts: Router | undefined;
  const browser = useBrowser();
  let complaints: string[] = [];
  let expected: RegExp[] = [];
  const address = (name: string) => `${origin}${app.gatehouse.config.uiPrefix}/${name}`;
  /** The cookie of the language, which pages have where there is a choice. */
  const ofLanguage = (settings.locales?.length ?? 1) > 1 ? /^svc-locale=[A-Za-z-]+$/ : /^$/;

  /** What a browser must never send here: a cookie, or where it was before on this site. */
  const watchHeaders: RequestHandler = ({ headers, url }, _res, next) => {
    const sent = headers.cookie?.split('; ').filter(cookie => !ofLanguage.test(cookie)) ?? [];
    if (sent.length > 0 && !(routes && mayHaveCookie(url))) complaints.push(`Cookie with ${url}`);
    if (headers.referer?.startsWith(origin)) complaints.push(`Referer with ${url}`);
    next();
  };

  beforeAll(async () => {
    app = await startApp({
      before: [watchHeaders, (req, res, next) => (hosts ? hosts(req, res, next) : next())],
      hooks,
      settings: async address => {
        origin = address.replace('127.0.0.1', 'localhost');
        oidc = await startOidc(origin);
        const features = {
          enableUiRouter: true,
          enableAdminRouter: true,
          enableSms2fa: true,
          enableOauth: true,
        };
        const oauth = { ...oidc.settings, ...settings.oauth };
        return { baseUrl: origin, ...features, ...settings, oauth };
      },
    });
    hosts = routes?.(app.gatehouse);
  });

  afterEach(async () => {
    const contexts = browser.current?.contexts() ?? [];
    const cookies = (await Promise.all(contexts.map(context => context.cookies(origin)))).flat();
    await Promise.all(contexts.map(context => context.close()));
    const unexpected = complaints.filter(complaint => !expected.some(pattern => pattern.test(complaint)));
    complaints = [];
    expected = [];
    expect(unexpected).toEqual([]);
    const kept = {
      name: 'svc',
      httpOnly: true,
      sameSite: 'Lax',
      path: '/',
      expires: -1,
      domain: 'localhost',
    };
    const others = cookies.filter(({ name, value }) => !ofLanguage.test(`${name}=${value}`));
    for (const cookie of others) expect(cookie).toMatchObject(routes ? kept : { name: 'none at all' });
  });

  afterAll(async () => {
    await app?.close();
    await oidc?.close();
  });

  function watch(page: Page): void {
    page.on('console', message => {
      // The browser reports every answer of 400 and more; the pages put them into words.
      if (message.type() === 'error' && !/^Failed to load resource/.test(message.text()))
        complaints.push(`console: ${message.text()}`);
    });
    page.on('pageerror', error => complaints.push(`exception: ${error.message}`));
    page.on('request', request => {
      const { origin: to, protocol } = new URL(request.url());
      if (protocol !== 'data:' && to !== origin && to !== oidc.issuer) complaints.push(`request to ${to}`);
    });
  }

  async function open(where: string, options: BrowserContextOptions = {}, token?: string): Promise<Page> {
    const context = await browser.current!.newContext({ reducedMotion: 'reduce', ...options });
    context.setDefaultTimeout(patienceMs);
    const page = await context.newPage();
    watch(page);
    if (token) await context.addInitScript(signIn, token);
    await page.goto(where.includes('://') ? where : address(where));
    return page;
  }

  return {
    get app() {
      return app;
    },
    get oidc() {
      return oidc;
    },
    get origin() {
      return origin;
    },
    page: address,
    open: (where, options) => open(where, options),
    openSignedIn: (where, token, options) => open(where, options, token),
    expectComplaint: pattern => void expected.push(pattern),
  };
}

/** Pages, and the one operation that sets it; what the browser opens is a page too, as the return from a provider. */
const mayHaveCookie = (url: string) =>
  !url.startsWith('/api/') ||
  /^\/api\/auth\/(browser-session$|logout$|oauth\/\w+\/(start|callback)\?)/.test(url);

/** Runs in the browser, before each page's own scripts, and only the first time. */
function signIn(token: string): void {
  const { localStorage, sessionStorage } = globalThis as unknown as Record<
    'localStorage' | 'sessionStorage',
    { getItem(key: string): string | null; setItem(key: string, value: string): void }
  >;
  if (sessionStorage.getItem('test.signed_in')) return;
  sessionStorage.setItem('test.signed_in', 'yes');
  localStorage.setItem('svc.access_token', token);
}

/** The link in a mail, to be opened as its reader would. */
export function linkIn({ text }: { text: string }): string {
  const link = /^https?:\/\/\S+$/m.exec(text)?.[0];
  if (!link) throw new Error(`There is no link in:\n${text}`);
  return link;
}

/** The session token that the browser keeps for this site. */
export const tokenIn = (page: Page): Promise<string | null> =>
  page.evaluate("localStorage.getItem('svc.access_token')");

/** Fills the form of the login page in, and waits for the account page. */
export async function signInBy(page: Page, email: string, password: string): Promise<void> {
  await fillLogin(page, email, password);
  await page.getByRole('heading', { name: 'Your account' }).waitFor();
}

/** Fills the form of the login page in and sends it. */
export async function fillLogin(page: Page, email: string, password: string): Promise<void> {
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await page.getByLabel('Email address').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}
