import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import express from 'express';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { startServer } from '../../src/cli/server.ts';
import type { ConfigInput } from '../../src/config/schema.ts';
import { type App, dataEncryptionKey, startApp } from '../support/app.ts';
import { listen } from '../support/listening.ts';

// The pages in other people's applications, and with other people's templates.

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function start(settings: ConfigInput = {}): Promise<App> {
  const app = await startApp({ settings: { enableUiRouter: true, ...settings } });
  closing.push(() => app.close());
  return app;
}

async function serve(host: RequestListener): Promise<string> {
  const { origin, close } = await listen(host);
  closing.push(close);
  return origin;
}

describe('which pages there are', () => {
  const always = ['login', 'verify', 'accept-invitation', 'confirm-email-change', 'me', 'oauth-complete'];
  const optional: Record<string, [off: ConfigInput, on: ConfigInput]> = {
    register: [{ allowRegistration: false }, {}],
    forgot: [{ enablePasswordReset: false }, {}],
    'reset-password': [{ enablePasswordReset: false }, {}],
    mfa: [{}, { enableSms2fa: true }],
    admin: [{}, { enableAdminRouter: true }],
    'not-me': [{}, { notifyNewSignIn: true, enableSessionList: true, dataEncryptionKey }],
  };

  async function statuses(app: App) {
    const names = [...always, ...Object.keys(optional), 'layout', 'field', 'nothing', ''];
    const answers = await Promise.all(
      names.map(name => fetch(`${app.origin}/account/${name}`, { redirect: 'manual' })),
    );
    return names.filter((_, i) => answers[i]!.status === 200);
  }
  const merged = (which: 0 | 1) => Object.assign({}, ...Object.values(optional).map(flags => flags[which]));

  test('with every feature off, those that need none', async () => {
    const app = await start(merged(0));
    expect(await statuses(app)).toEqual(always);
    const login = await (await fetch(`${app.origin}/account/login`)).text();
    expect(login).not.toMatch(/register|forgot|oauth/);
    expect(await (await fetch(`${app.origin}/account/me`)).text()).not.toMatch(
      /phone|data-providers|\/admin/,
    );
  });

  test('with every feature on, all of them', async () => {
    const app = await start(merged(1));
    expect(await statuses(app)).toEqual([...always, ...Object.keys(optional)]);
  });

  test('with account deletion off, the account page offers none', async () => {
    const app = await start({ enableAccountDeletion: false });
    expect(await (await fetch(`${app.origin}/account/me`)).text()).not.toContain('eletion');
  });

  test('the console needs GraphQL: without, it is not there and nothing leads to it', async () => {
    const app = await start({ enableAdminRouter: true, enableGraphql: false });
    expect((await fetch(`${app.origin}/account/admin`)).status).toBe(404);
    expect(await (await fetch(`${app.origin}/account/me`)).text()).not.toContain('/admin');
  });

  test('with the pages off, none, and no style sheet: the host answers', async () => {
    const app = await start({ enableUiRouter: false });
    for (const path of ['/account/login', '/svc-static/core.css', '/account']) {
      expect(await (await fetch(`${app.origin}${path}`)).text()).toBe('not known to the host');
    }
  });
});

describe('hosts', () => {
  const settings = { uiPrefix: '/team/account', staticPrefix: '/team/assets', apiPrefix: '/team/api' };

  // @ts-expect-error: no types; what it does with a router is what the newer one does.
  const express4 = async (): Promise<typeof express> => (await import('express-4')).default;

  test.each([
    ['Express 5', async () => express],
    ['Express 4', express4],
  ])('%s may mount them below another application', async (_, load) => {
    const { gatehouse } = await start(settings);
    const make = await load();
    const team = make();
    team.use('/account', gatehouse.uiRouter);
    team.use('/assets', gatehouse.staticFiles);
    const host = make();
    host.use('/team', team);
    const origin = await serve(host);
    const page = await fetch(`${origin}/team/account/login`);
    expect(page.status).toBe(200);
    const html = await page.text();
    expect(html).toContain('data-svc-api="/team/api" data-svc-ui="/team/account"');
    for (const [, address] of html.matchAll(/(?:href|src)="(\/team\/assets\/[^"]+)"/g)) {
      expect((await fetch(`${origin}${address}`)).status).toBe(200);
    }
    expect((await fetch(`${origin}/team/account/nothing`)).status).toBe(404);
  });

  test('a host that compresses everything compresses the pages once', async () => {
    const { default: compression } = await import('compression');
    const { gatehouse } = await start();
    const host = express();
    host.use(compression());
    host.use('/account', gatehouse.uiRouter);
    const response = await fetch(`${await serve(host)}/account/login`, {
      headers: { 'Accept-Encoding': 'gzip' },
    });
    expect(response.headers.get('Content-Encoding')).toBe('gzip');
    expect(await response.text()).toContain('<!doctype html>');
  });

  // A token in a log is a token in a backup.
  test('`svc serve` logs the pattern of a page, and nothing of its address', async () => {
    const { gatehouse } = await start({ port: 0 });
    const records: object[] = [];
    const log = (fields: object) => void records.push(fields);
    const server = await startServer(gatehouse, { debug: log, info: log, warn: log, error: log });
    await fetch(`${server.url}/account/verify?token=s3cret`).then(response => response.text());
    await fetch(`${server.url}/svc-static/core.css?v=s3cret`).then(response => response.text());
    await server.stop();
    expect(records).toMatchObject([{ route: '/account/verify' }, { route: '/svc-static/core.css' }]);
    expect(JSON.stringify(records)).not.toContain('s3cret');
  });
});

test('`svc serve` tells a browser in a page that there is none, and everybody else in a problem', async () => {
  const { gatehouse } = await start({ port: 0 });
  const none = () => {};
  const server = await startServer(gatehouse, { debug: none, info: none, warn: none, error: none });
  const ask = (path: string, Accept: string) => fetch(`${server.url}${path}`, { headers: { Accept } });
  const page = await ask('/account/nothing', 'text/html,*/*;q=0.8');
  expect(page.status).toBe(404);
  expect(page.headers.get('Content-Security-Policy')).toContain("default-src 'none'");
  expect(await page.text()).toContain('There is no such page');
  for (const [path, accept] of [
    ['/account/nothing', '*/*'],
    ['/api/auth/nothing', 'text/html'],
  ] as const) {
    const problem = await ask(path, accept);
    expect(problem.status).toBe(404);
    expect(problem.headers.get('Content-Type')).toContain('application/problem+json');
    await problem.text();
  }
  await server.stop();
});

describe('templates of the host', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-pages-'));
  mkdirSync(join(folder, 'pages'));
  const template = (name: string, source: string) =>
    writeFileSync(join(folder, 'pages', `${name}.liquid`), source);
  afterAll(() => rmSync(folder, { recursive: true }));

  test('come first, file by file, and values are escaped in them too', async () => {
    template(
      'login',
      "{% layout 'pages/layout.liquid' %}{% block content %}<p>Ours: {{ app_name }}</p>{% endblock %}",
    );
    const app = await start({ extraTemplateDirs: [folder], appName: '<b>A&B</b>', brandTagline: '"it\'s"' });
    const login = await (await fetch(`${app.origin}/account/login`)).text();
    expect(login).toContain('<p>Ours: &lt;b&gt;A&amp;B&lt;/b&gt;</p>');
    expect(login).toContain('&#34;it&#39;s&#34;');
    expect(login).not.toContain('<b>');
    expect(await (await fetch(`${app.origin}/account/register`)).text()).toContain('Create an account');
  });

  test('may use the static files by name', async () => {
    template('verify', "{{ 'core.css' | asset }}");
    const app = await start({ extraTemplateDirs: [folder], staticPrefix: '/files' });
    expect(await (await fetch(`${app.origin}/account/verify`)).text()).toMatch(
      /^\/files\/core\.css\?v=[\w-]{16}$/,
    );
  });
});
