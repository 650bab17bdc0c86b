import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type App, startApp } from '../support/app.ts';

// Headers of the pages for browsers, caches and proxies.

let app: App;
beforeAll(async () => {
  app = await startApp({
    settings: {
      enableUiRouter: true,
      baseUrl: 'https://accounts.example',
      themeCssUrl: 'https://cdn.example/theme.css; script-src *',
      brandLogoUrl: '/logo.svg',
    },
  });
});
afterAll(() => app?.close());

const ask = (path: string, init: RequestInit = {}) => fetch(`${app.origin}${path}`, init);

test('a page allows nothing but itself and the style and logo of the host', async () => {
  const { headers } = await ask('/account/login');
  const policy = new Map(
    headers
      .get('Content-Security-Policy')!
      .split('; ')
      .map(directive => [directive.split(' ')[0], directive.split(' ').slice(1).join(' ')]),
  );
  expect(Object.fromEntries(policy)).toEqual({
    'default-src': "'none'",
    'script-src': "'self'",
    'style-src': "'self' https://cdn.example",
    'font-src': "'self' https://cdn.example",
    'img-src': "'self' https://cdn.example",
    'connect-src': "'self'",
    'form-action': "'self'",
    'base-uri': "'none'",
    'frame-ancestors': "'none'",
    'require-trusted-types-for': "'script'",
    'trusted-types': "'none'",
  });
  expect(headers.get('Referrer-Policy')).toBe('no-referrer');
  expect(headers.get('X-Content-Type-Options')).toBe('nosniff');
  expect(headers.get('Cross-Origin-Opener-Policy')).toBe('same-origin');
  expect(headers.get('Content-Type')).toBe('text/html; charset=utf-8');
  expect(headers.get('Set-Cookie')).toBeNull();
});

test('pages that get a token in their address, or show an account, are stored nowhere', async () => {
  for (const page of [
    ...['verify', 'reset-password', 'accept-invitation', 'confirm-email-change'],
    ...['oauth-complete', 'me'],
  ]) {
    expect((await ask(`/account/${page}?token=secret`)).headers.get('Cache-Control')).toBe('no-store');
  }
  expect((await ask('/account/login')).headers.get('Cache-Control')).toBe('no-cache');
});

test('a page says nothing of the request', async () => {
  const plain = await (await ask('/account/login')).text();
  const headers = { 'X-Forwarded-Host': 'evil.example', Forwarded: 'host=evil.example' };
  expect(await (await ask('/account/login?next=<script>&error=bad_state', { headers })).text()).toBe(plain);
});

test('no page holds inline script or style', async () => {
  for (const page of [
    'login',
    'register',
    'verify',
    'forgot',
    'reset-password',
    'accept-invitation',
    'confirm-email-change',
    'me',
  ]) {
    const html = await (await ask(`/account/${page}`)).text();
    expect(html).not.toMatch(/<style|\sstyle=|\son\w+=|javascript:|<script(?![^>]* src=)[^>]*>/);
    expect(html).toMatch(/<body data-svc-api="\/api\/auth" data-svc-ui="\/account"/);
  }
});

describe('style sheets and scripts', () => {
  test('may be kept for ever under the address that the pages use', async () => {
    const html = await (await ask('/account/login')).text();
    const addresses = [...html.matchAll(/(?:href|src)="(\/svc-static\/[^"]+)"/g)].map(match => match[1]!);
    expect(addresses.length).toBeGreaterThanOrEqual(4);
    for (const address of addresses) {
      const { status, headers } = await ask(address);
      expect(status).toBe(200);
      expect(address).toMatch(/\?v=[\w-]{16}$/);
      expect(headers.get('Cache-Control')).toBe('public, max-age=31536000, immutable');
      expect(headers.get('X-Content-Type-Options')).toBe('nosniff');
    }
  });

  test('are asked for again under their plain names, or with an old hash', async () => {
    for (const name of ['core.css', 'theme.css', 'svc.js', 'core.css?v=of-an-old-version']) {
      const { status, headers } = await ask(`/svc-static/${name}`);
      expect(status).toBe(200);
      expect(headers.get('Cache-Control')).toBe('no-cache');
    }
  });

  test('name the modules that they import by their hashes too', async () => {
    const script = await (await ask('/svc-static/svc.js')).text();
    const imported = [...script.matchAll(/["'`]\.\/([^"'`]+\.js[^"'`]*)["'`]/g)].map(match => match[1]!);
    expect(imported.length).toBeGreaterThan(3);
    for (const address of imported) {
      const { status, headers } = await ask(`/svc-static/${address}`);
      expect({ address, status }).toEqual({ address, status: 200 });
      expect(headers.get('Cache-Control')).toContain('immutable');
    }
  });

  // Path traversal: a name that leads out of the folder reads any file of the machine.
  test.each(['../package.json', '..%2fpackage.json', '%2e%2e/package.json', 'core.css%00', 'CORE.CSS', ''])(
    'leave %j to the host',
    async name => {
      expect(await (await ask(`/svc-static/${name}`)).text()).toBe('not known to the host');
    },
  );
});

test('both are compressed, and not sent again to browsers that have them', async () => {
  for (const path of ['/account/login', '/svc-static/core.css']) {
    const first = await ask(path, { headers: { 'Accept-Encoding': 'gzip' } });
    expect(first.headers.get('Content-Encoding')).toBe('gzip');
    expect(first.headers.get('Vary')).toContain('Accept-Encoding');
    const again = await ask(path, { headers: { 'If-None-Match': first.headers.get('ETag')! } });
    expect(again.status).toBe(304);
    expect(await again.text()).toBe('');
  }
});

test('the prefix alone leads to the account, with nothing of the request', async () => {
  for (const [path, method] of [
    ['/account', 'GET'],
    ['/account/?next=//evil.example', 'GET'],
    ['/account', 'HEAD'],
  ] as const) {
    const { status, headers } = await ask(path, { method, redirect: 'manual' });
    expect({ status, to: headers.get('Location') }).toEqual({ status: 302, to: '/account/me' });
  }
  expect(await (await ask('/account', { method: 'POST' })).text()).toBe('not known to the host');
});

test('HEAD answers as GET does, without the body; other methods are refused', async () => {
  for (const path of ['/account/login', '/svc-static/core.css']) {
    const [get, head] = [await ask(path), await ask(path, { method: 'HEAD' })];
    expect(head.status).toBe(200);
    expect(await head.text()).toBe('');
    expect(head.headers.get('ETag')).toBe(get.headers.get('ETag'));
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
      const { status, headers } = await ask(path, { method });
      expect({ status, allow: headers.get('Allow') }).toEqual({ status: 405, allow: 'GET, HEAD' });
    }
  }
});
