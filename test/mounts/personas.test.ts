import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { cp, readdir, readFile } from 'node:fs/promises';
import { createServer, request as forward, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { useBrowser } from '../browser/use-browser.ts';
import { backends, type TestDatabase } from '../support/backends.ts';
import { installExamples, whySkipped } from '../support/installed-examples.ts';
import { Program } from '../support/program.ts';
import { freePort } from '../support/server-process.ts';

// One team, from the packed tarball: a shop on Express and PostgreSQL with pages of its own behind a proxy, a React application
// at another origin, services on Fastify and Hono that only check sessions, a page in Next.js, and the shop's own tests. What
// its people type stands in test/mounts/personas, and is counted.

const run = promisify(execFile);
// A build takes as long as the machine takes; no rule here is about that.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

const personas = join(import.meta.dirname, 'personas');
const password = 'correct horse battery';
/** The client that the proxy names. */
const clientAddress = '203.0.113.7';

const postgresql = backends.find(({ name }) => name === 'postgresql')!;
const installed = postgresql.available
  ? await installExamples(['../test/mounts/personas'], {}, ['@mikro-orm/postgresql'])
  : { reason: `no PostgreSQL: ${postgresql.reason}` };

/** The commands that somebody types until the shop runs, after the installation. */
const commands = [['init', '--yes'], ['migrate'], ['validate']];

/** How many lines each of them types at most; a change that needs more has to be noticed. */
const mostLines = { shop: 80, services: 40, next: 30, spa: 45 };

describe.skipIf('reason' in installed)(`a team${whySkipped(installed)}`, () => {
  const { folder } = installed as { folder: string };
  const at = (...path: string[]) => join(folder, ...path);
  const browser = useBrowser();
  const began = performance.now();
  let database: TestDatabase;
  let proxy: Server;
  let shop: string;
  let spa: Server;
  let env: Record<string, string>;
  let printed = '';
  const programs: Program[] = [];

  async function start(args: string[], cwd: string, ready: RegExp) {
    const port = await freePort();
    const program = new Program(args, { cwd, env: { ...env, PORT: String(port) } });
    programs.push(program);
    await program.waitFor(ready);
    return { program, port, origin: `http://localhost:${port}` };
  }
  const svc = (args: string[], more: Record<string, string> = {}) =>
    run(process.execPath, [at('node_modules/gatehouse-auth/dist/cli/main.js'), ...args], {
      cwd: at('shop'),
      env: { PATH: process.env.PATH, ...env, ...more },
    });

  let shopProgram: Program;
  beforeAll(async () => {
    for (const name of await readdir(personas)) {
      if (name !== 'package.json') await cp(join(personas, name), at(name), { recursive: true });
    }
    database = await postgresql.createDatabase();
    let target = 0;
    proxy = createServer((req, res) => {
      const headers = { ...req.headers, 'x-forwarded-for': clientAddress };
      const passed = forward(
        { host: '127.0.0.1', port: target, method: req.method, path: req.url, headers },
        answer => {
          res.writeHead(answer.statusCode!, answer.rawHeaders);
          answer.pipe(res);
        },
      );
      req.pipe(passed.on('error', () => res.destroy()));
    }).listen(0);
    await once(proxy, 'listening');
    shop = `http://localhost:${(proxy.address() as AddressInfo).port}`;
    spa = createServer(async (req, res) => {
      const isScript = req.url === '/main.js';
      res.setHeader('Content-Type', isScript ? 'text/javascript' : 'text/html');
      res.end(isScript ? await bundled() : spaPage);
    }).listen(0);
    await once(spa, 'listening');
    env = {
      SVC_BASE_URL: shop,
      SVC_DATABASE_URL: database.url.replace('+asyncpg', ''),
      SVC_CORS_ORIGINS: originOf(spa),
      NEXT_TELEMETRY_DISABLED: '1',
    };
    for (const command of commands) printed += (await svc(command)).stdout;
    const started = await start(['server.js'], at('shop'), /listening/);
    shopProgram = started.program;
    target = started.port;
    const { status } = await fetch(`${shop}/orders`, { headers: { Accept: 'application/json' } });
    expect(status).toBe(401);
    say(`first protected route: ${commands.length + 2} commands, ${seconds(began)} after the installation`);
  });
  afterAll(async () => {
    await Promise.all(programs.map(program => program.kill()));
    for (const server of [proxy, spa]) {
      server?.close();
      server?.closeAllConnections();
    }
    await database?.drop();
    say(`in all: ${seconds(began)}`);
  });

  let bundle: Promise<Uint8Array> | undefined;
  function bundled(): Promise<Uint8Array> {
    bundle ??= build({
      entryPoints: [at('spa/main.jsx')],
      ...{ bundle: true, format: 'esm', jsx: 'automatic', write: false, absWorkingDir: folder },
      define: { API: JSON.stringify(shop), 'process.env.NODE_ENV': '"production"' },
    }).then(({ outputFiles }) => outputFiles[0]!.contents);
    return bundle;
  }

  async function ask(url: string, { body, token, cookie, ...more }: Asked = {}) {
    const response = await fetch(url, {
      method: body === undefined ? 'GET' : 'POST',
      redirect: 'manual',
      ...more,
      headers: {
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...(token && { Authorization: `Bearer ${token}` }),
        ...(cookie && { Cookie: cookie }),
        ...more.headers,
      },
      ...(body !== undefined && { body: body instanceof URLSearchParams ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = /json/.test(response.headers.get('Content-Type') ?? '') && text !== '';
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
  }
  const api = (path: string, asked: Asked = {}) => ask(`${shop}/api/auth${path}`, asked);

  /** Registers a customer of the shop and signs in. */
  async function customer(email: string, company: string) {
    const from = shopProgram.output.length;
    const registered = await api('/register', { body: { email, password, fields: { company } } });
    expect([registered.status, registered.body]).toEqual([201, expect.any(Object)]);
    const [link] = await shopProgram.waitFor(/http\S+token=[\w.-]+/, from);
    expect(link).toContain(`${shop}/account/verify?`);
    const user = await api('/verify', { body: { token: new URL(link).searchParams.get('token') } });
    const { access_token: token } = (await api('/login', { body: { email, password } })).body;
    const kept = await api('/browser-session', { method: 'POST', token });
    return { id: user.body.id as string, token, cookie: kept.headers.getSetCookie()[0]!.split(';')[0]! };
  }

  test('configures and checks the shop with three commands', () => {
    expect(printed).toMatch(/ 0 failed, /);
  });

  test('sells to people who are signed in, on pages that the shop renders', async () => {
    const page = (asked: Asked = {}) =>
      ask(`${shop}/orders`, { ...asked, headers: { Accept: 'text/html', ...asked.headers } });
    const stranger = await page();
    expect([stranger.status, stranger.headers.get('Location')]).toEqual([
      303,
      `${shop}/account/login?next=%2Forders`,
    ]);
    const { cookie, token, id } = await customer('ada@example.org', 'Acme <Ltd>');
    expect((await page({ cookie })).body).toContain('Orders of Acme &lt;Ltd&gt;');

    const form = { cookie, body: new URLSearchParams({ item: 'Lantern' }) };
    const typed = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const elsewhere = await page({ ...form, headers: { ...typed, Origin: 'https://evil.example' } });
    expect(elsewhere.status).toBe(401);
    const own = await page({ ...form, headers: { ...typed, Origin: shop } });
    expect([own.status, own.headers.get('Location')]).toEqual([303, '/orders']);
    expect((await page({ cookie })).body).toContain('<li>Lantern</li>');
    // The cookie counts for nothing at the API.
    expect((await api('/me', { cookie })).status).toBe(401);

    // The proxy's client is who signs in.
    const { items } = (await api('/sessions', { token })).body;
    expect(items).toMatchObject([{ ip: clientAddress }]);
    // An order refers to its customer.
    const gone = await api('/account', { method: 'DELETE', token, body: { current_password: password } });
    expect([gone.status, gone.body.code]).toEqual([409, 'user_in_use']);
    expect((await api('/me', { token })).body.id).toBe(id);
  });

  test('refuses rivals, and registrations without a company', async () => {
    const rival = { email: 'eve@rival.example', password, fields: { company: 'Rival' } };
    expect((await api('/register', { body: rival })).body).toMatchObject({
      code: 'refused_by_host',
      detail: 'Rivals buy elsewhere.',
    });
    const nameless = await api('/register', { body: { email: 'bob@example.org', password } });
    expect(nameless.body.code).toBe('invalid_input');
  });

  test('lets editors to the desk, whom an administrator has made editors', async () => {
    const { token, id } = await customer('grace@example.org', 'Navy');
    const desk = () => ask(`${shop}/desk`, { token });
    expect((await desk()).status).toBe(403);
    const own = await api('/me', { method: 'PATCH', token, body: { roles: ['editor'] } });
    expect(own.body.code).toBe('invalid_input');
    await svc(['create-admin', '--email', 'root@example.org'], { SVC_ADMIN_PASSWORD: password });
    const admin = (await api('/login', { body: { email: 'root@example.org', password } })).body;
    const changed = await api(`/admin/users/${id}`, {
      method: 'PATCH',
      token: admin.access_token,
      body: { roles: ['editor'] },
    });
    expect(changed.body.roles).toEqual(['editor']);
    expect((await desk()).body).toEqual({ desk: 'open' });
  });

  test('has services that only check sessions, which end everywhere at once', async () => {
    const { token } = await customer('alan@example.org', 'Bletchley');
    for (const service of ['fastify', 'hono']) {
      const { origin } = await start([`${service}.js`], at('services'), /listening/);
      const stock = (bearer?: string) => ask(`${origin}/stock`, { token: bearer });
      expect((await stock(token)).body, service).toEqual({ for: 'alan@example.org' });
      for (const bearer of [undefined, 'made.up.token', `${token}x`])
        expect((await stock(bearer)).status, service).toBe(401);
      if (service === 'hono') {
        await api('/logout', { token, body: {} });
        expect((await stock(token)).status, service).toBe(401);
      }
    }
  });

  test('has a page in Next.js that knows who is signed in', async () => {
    const next = at('node_modules/next/dist/bin/next');
    await run(process.execPath, [next, 'build'], {
      cwd: at('next'),
      env: { PATH: process.env.PATH, ...env },
    });
    const { origin } = await start([next, 'start'], at('next'), /Ready in/);
    const { cookie, token } = await customer('edith@example.org', 'Clarke');
    const members = (given?: string) => ask(`${origin}/members`, { cookie: given });
    expect((await members(cookie)).body).toContain('Clarke');
    const stranger = await members();
    expect([stranger.status, stranger.headers.get('Location')]).toEqual([307, `${shop}/account/login`]);
    await api('/logout', { token, body: { everywhere: true } });
    expect((await members(cookie)).status).toBe(307);
  });

  test('has a React application at another origin', async () => {
    await customer('mary@example.org', 'Somerville');
    const page = await (await browser.current!.newContext()).newPage();
    await page.goto(originOf(spa));
    await page.getByLabel('Email').fill('mary@example.org');
    await page.getByLabel('Password').fill('wrong password');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').waitFor();
    await page.getByLabel('Email').fill('mary@example.org');
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Somerville').waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Email').waitFor();
    // No other origin may call.
    const stranger = await api('/features', { headers: { Origin: 'https://evil.example' } });
    expect(stranger.headers.get('Access-Control-Allow-Origin')).toBeNull();
    await page.context().close();
  });

  test('has tests of its own, which need no server', async () => {
    const { stdout } = await run(process.execPath, ['--test', '--test-reporter', 'tap', 'shop.test.js'], {
      cwd: at('shop'),
      env: { PATH: process.env.PATH },
    });
    expect(stdout).toMatch(/^# pass 1$/m);
    expect(stdout).toMatch(/^# fail 0$/m);
  });
});

test('no persona types more than is stated here', async () => {
  const typed: Record<string, number> = {};
  for (const persona of Object.keys(mostLines)) {
    const files = await readdir(join(personas, persona), { recursive: true, withFileTypes: true });
    for (const file of files.filter(each => each.isFile())) {
      const text = await readFile(join(file.parentPath, file.name), 'utf8');
      const lines = text.split('\n').filter(line => line.trim() !== '').length;
      typed[persona] = (typed[persona] ?? 0) + lines;
    }
  }
  say(
    `lines: ${Object.entries(typed)
      .map(([name, count]) => `${name} ${count}`)
      .join(', ')}`,
  );
  for (const [persona, most] of Object.entries(mostLines)) {
    expect([persona, typed[persona]! <= most]).toEqual([persona, true]);
  }
});

interface Asked {
  method?: string;
  body?: object;
  token?: string | undefined;
  cookie?: string | undefined;
  headers?: Record<string, string>;
}

const spaPage =
  '<!doctype html><title>Shop</title><div id="root"></div><script type="module" src="/main.js"></script>';

const originOf = (server: Server) => `http://localhost:${(server.address() as AddressInfo).port}`;

const seconds = (began: number) => `${((performance.now() - began) / 1000).toFixed(1)} s`;

/** Past the reporter, which is silent about what passes. */
const say = (line: string) => void process.stdout.write(`personas: ${line}\n`);
