import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import type { ConfigInput } from '../../src/config/schema.ts';
import { type App, startApp } from '../support/app.ts';
import { findChromium } from '../support/chromium.ts';
import { type Oidc, startOidc } from '../support/oidc.ts';

/** An app with every feature on, and a browser to look at it. Both live as long as the test file. */
export interface Site {
  readonly app: App;
  readonly oidc: Oidc;
  readonly browser: Browser;
  /** The address of one of our pages. */
  page(name: string): string;
  /** A browser profile of its own, at one of our pages or at a whole address; closed when the test ends. */
  open(address: string, options?: BrowserContextOptions): Promise<Page>;
  /** Signs in without the form, at one of our pages. */
  openSignedIn(address: string, token: string, options?: BrowserContextOptions): Promise<Page>;
  /** Says that a complaint which fits is what this test is about. */
  expectComplaint(pattern: RegExp): void;
}

const flags = [
  ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
];

/** How long a page may take to show what a test waits for, in milliseconds. */
const patienceMs = 10_000;

/**
 * Starts a site for the tests of a file. A test fails when its pages caused an error on the console, an exception, a
 * violation of the Content-Security-Policy, a request to anybody else, or a cookie.
 */
export function useSite(settings: ConfigInput = {}): Site {
  let app: App;
  let oidc: Oidc;
  let browser: Browser;
  let complaints: string[] = [];
  let expected: RegExp[] = [];
  const address = (name: string) => `${app.origin}${app.gatehouse.config.uiPrefix}/${name}`;

  beforeAll(async () => {
    app = await startApp({
      settings: async origin => {
        oidc = await startOidc(origin);
        const features = {
          enableUiRouter: true,
          enableAdminRouter: true,
          enableSms2fa: true,
          enableOauth: true,
        };
        return { baseUrl: origin, ...features, oauth: oidc.settings, ...settings };
      },
    });
    browser = await chromium.launch({ executablePath: await findChromium(), args: flags });
  });

  afterEach(async () => {
    const contexts = browser.contexts();
    const cookies = (await Promise.all(contexts.map(context => context.cookies(app.origin)))).flat();
    await Promise.all(contexts.map(context => context.close()));
    const unexpected = complaints.filter(complaint => !expected.some(pattern => pattern.test(complaint)));
    complaints = [];
    expected = [];
    expect(unexpected).toEqual([]);
    expect(cookies.filter(({ path }) => path === '/' || !path.startsWith('/interaction'))).toEqual([]);
  });

  afterAll(async () => {
    await browser?.close();
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
      const { origin, protocol } = new URL(request.url());
      if (protocol !== 'data:' && origin !== app.origin && origin !== oidc.issuer)
        complaints.push(`request to ${origin}`);
      const referer = request.headers().referer;
      if (referer) complaints.push(`Referer to ${request.url()}`);
    });
  }

  async function open(where: string, options: BrowserContextOptions = {}, token?: string): Promise<Page> {
    const context = await browser.newContext({ reducedMotion: 'reduce', ...options });
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
    get browser() {
      return browser;
    },
    page: address,
    open: (where, options) => open(where, options),
    openSignedIn: (where, token, options) => open(where, options, token),
    expectComplaint: pattern => void expected.push(pattern),
  };
}

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
