import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { compile } from './support/compiler.ts';
import { startExample } from './support/example.ts';
import { installPacked, type Packed } from './support/packed.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '..');
const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));

/** A build takes as long as the machine takes; no rule here is about that. */
const buildTimeoutMs = 180_000;

/** Where the package is installed, with its dependencies and without any optional peer. */
let folder: string;
let packed: Packed;

beforeAll(async () => {
  folder = await mkdtemp(join(inject('temporaryFolder'), 'package-'));
  // Packages that a host has installed itself.
  packed = await installPacked(folder, ['express', '@types/node', '@types/express']);
}, buildTimeoutMs);

const environment = { PATH: process.env.PATH, SVC_JWT_SECRET: 'a signing secret of the package tests' };

/** Runs a file of the host's, in its folder. */
async function host(name: string, text: string) {
  await writeFile(join(folder, name), text);
  const { stdout } = await run(process.execPath, [name], { cwd: folder, env: environment });
  return JSON.parse(stdout);
}

describe('the tarball', () => {
  test('is under two and a half megabytes and holds nothing but what runs, its sources, types and documents', () => {
    expect(packed.size).toBeLessThan(2_500_000);
    const kinds =
      /^((dist|browser)\/.*\.(js|js\.map|d\.ts)|src\/.*\.ts|views\/.*\.liquid|docs\/[\w-]+\.md|static\/((built|development)\/[\w.-]+|[\w-]+\.(css|svg))|locales\/(parsed\/)?[\w-]+\.(arb|json)|data\/[\w-]+\.br|[\w.-]+\.(json|md|graphql)|llms\.txt|LICENSE)$/;
    expect(packed.files.map(file => file.path).filter(path => !kinds.test(path))).toEqual([]);
  });

  test('holds our own code alone, and its maps lead to the sources in the package', async () => {
    const installed = join(folder, 'node_modules/gatehouse-auth');
    const paths = new Set(packed.files.map(file => file.path));
    const named = [...Object.keys(manifest.dependencies), ...Object.keys(manifest.peerDependencies)];
    const scripts = [...paths].filter(path => /^(dist|browser)\/.*\.js$/.test(path));
    for (const path of scripts) {
      const text = await readFile(join(installed, path), 'utf8');
      const packages = [...text.matchAll(/^(?:import|export)\b[^;]*?from "([^."][^"]*)"/gm)].map(
        ([, id]) => id!,
      );
      const foreign = packages.filter(id => !id.startsWith('node:') && id !== 'module');
      const unknown = foreign.filter(id => !named.some(name => id === name || id.startsWith(`${name}/`)));
      expect([path, unknown]).toEqual([path, []]);
      if (!paths.has(`${path}.map`)) continue;
      const { sources } = JSON.parse(await readFile(join(installed, `${path}.map`), 'utf8')) as {
        sources: string[];
      };
      const lost = sources.filter(source => !paths.has(join(dirname(path), source)));
      expect([path, lost]).toEqual([path, []]);
    }
  });

  test('has a stack trace name a line of its sources, where Node is told to use maps', async () => {
    const file = join(folder, 'error.mjs');
    await writeFile(
      file,
      `import { createGatehouse } from 'gatehouse-auth';
      const { stack } = await createGatehouse({ databaseUrl: 'mysql://127.0.0.1/x' }).catch(error => error);
      console.log(stack);`,
    );
    const { stdout } = await run(process.execPath, ['--enable-source-maps', file], { cwd: folder });
    const [, path, line] = /gatehouse-auth\/(src\/[\w/-]+\.ts):(\d+)/.exec(stdout) ?? [];
    const source = await readFile(join(folder, 'node_modules/gatehouse-auth', path!), 'utf8');
    expect(source.split('\n')[Number(line) - 1]).toMatch(/Error\(/);
  });

  test('runs nothing when it is installed', () => {
    const { scripts } = manifest;
    expect(['preinstall', 'install', 'postinstall', 'prepare'].filter(name => name in scripts)).toEqual([]);
  });

  test('states its Node, and asks for provenance when it is published', () => {
    expect(manifest.engines).toEqual({ node: '>=22.18' });
    expect(manifest.publishConfig).toEqual({ access: 'public', provenance: true });
  });
});

test('runs examples/server-rendered', async () => {
  const copy = join(folder, 'server-rendered');
  await cp(join(root, 'examples/server-rendered'), copy, { recursive: true });
  await mkdir(join(copy, 'node_modules'));
  await symlink(join(root, 'node_modules/express'), join(copy, 'node_modules/express'));
  const { host: server, origin, post } = await startExample('server-rendered', join(copy, 'server.js'));
  try {
    const ada = { email: 'ada@example.org', password: 'correct horse' };
    await post('/api/auth/register', ada);
    const [link] = await server.waitFor(/^http\S+token=\S+$/m);
    await post('/api/auth/verify', { token: new URL(link).searchParams.get('token') });
    const { access_token } = (await (await post('/api/auth/login', ada)).json()) as { access_token: string };
    const kept = await fetch(`${origin}/api/auth/browser-session`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${access_token}` },
    });
    const [cookie] = kept.headers.getSetCookie();
    const headers = { Cookie: cookie!.split(';')[0]!, Accept: 'text/html' };
    expect(await (await fetch(`${origin}/orders`, { headers })).text()).toContain('Your orders');
    const body = new URLSearchParams({ item: 'A <lamp>' });
    const order = { method: 'POST', headers, body };
    expect((await fetch(`${origin}/orders`, order)).status).toBe(401);
    const own = { ...order, headers: { ...headers, Origin: origin } };
    expect(await (await fetch(`${origin}/orders`, own)).text()).toContain('A &#60;lamp&#62;');
    const stranger = await fetch(`${origin}/orders`, {
      headers: { Accept: 'text/html' },
      redirect: 'manual',
    });
    expect([stranger.status, stranger.headers.get('Location')]).toEqual([
      303,
      `${origin}/account/login?next=%2Forders`,
    ]);
    expect(await server.stop()).toBe(0);
  } finally {
    await server.kill();
  }
});

/** CONTRACT §6, with a question to itself at the end. */
const example = `
async function main() {
  const gatehouse = await createGatehouse({ appName: 'Acme', databaseUrl: 'sqlite+aiosqlite:///:memory:',
    requireVerification: false, enableUiRouter: true, logger: { debug() {}, info() {}, warn() {}, error() {} } });
  await gatehouse.installSchema();
  const app = express();
  app.use(gatehouse.config.apiPrefix, gatehouse.router);
  app.use(gatehouse.config.uiPrefix, gatehouse.uiRouter);
  app.use(gatehouse.config.staticPrefix, gatehouse.staticFiles);
  app.get('/orders', gatehouse.requireSession(), (req, res) => { res.json(req.auth.user); });
  app.get('/', gatehouse.optionalSession(), (req, res) => { res.json(req.auth); });
  const heard: string[] = [];
  gatehouse.on('user_logged_in', async ({ user }) => { heard.push(user.email); });
  const server = app.listen(0, '127.0.0.1');
  await new Promise(resolve => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  const origin = \`http://127.0.0.1:\${port}\`;
  const ada = { email: 'ada@example.org', password: 'correct horse' };
  const post = (path: string) => fetch(\`\${origin}/api/auth\${path}\`, {
    method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(ada) });
  await post('/register');
  const { access_token } = (await (await post('/login')).json()) as { access_token: string };
  const headers = { Authorization: \`Bearer \${access_token}\` };
  const orders = (await (await fetch(\`\${origin}/orders\`, { headers })).json()) as { email: string };
  const page = await fetch(\`\${origin}/account/login\`);
  const stranger = await (await fetch(\`\${origin}/\`)).json();
  const email = (await gatehouse.users.findByEmail(orders.email))?.email;
  console.log(JSON.stringify({ email, page: page.status, stranger, heard }));
  server.closeAllConnections();
  server.close();
  await gatehouse.close();
}
void main();
`;
const javascript = example.replace(/: (string\[\]|string)(?= =|\))/g, '').replace(/ as \{[^}]*\}/g, '');

/** Uses each entry that a server may import, and the records that the storage layer describes. */
const everyEntry = `
import { createClient } from 'gatehouse-auth/client';
import { createTestGatehouse } from 'gatehouse-auth/testing';
import { createResourceServer, TokenError } from 'gatehouse-auth/verify';
export const client = createClient({ url: '/api/auth', door: 'rest' });
const { issuer, resource } = { issuer: 'https://id.example.org', resource: 'https://api.example.org' };
const orders = createResourceServer({ issuer, resource, scopes: ['orders:read'] });
export const api = express();
api.get('/orders', orders.requireToken({ scopes: ['orders:read'] }), (req, res) => res.json({ of: req.auth.userId }));
// @ts-expect-error a token of others names a person and does not bring one
api.get('/people', orders.requireToken(), (req, res) => res.json(req.auth.user));
export const codeOf = (token: string): Promise<string> => orders.verify(token)
  .then(({ clientId }) => clientId, error => (error instanceof TokenError ? error.code : 'unknown'));
export async function confirmedAt(email: string): Promise<Date | null> {
  const test = await createTestGatehouse();
  const user = await test.repositories.users.findByEmail(email);
  const found: { readonly id: string; readonly isActive: boolean; readonly roles: string[] | null } | null = user;
  // @ts-expect-error a record has no other properties
  void user?.password;
  return found && user ? user.phoneConfirmedAt : null;
}
`;

/**
 * A host in which a request has a session where a guard is, and nowhere else. A line that should be an error and is none is
 * an error itself.
 */
const guardedHost = `
import { createServer } from 'node:http';
import express, { type Request, type RequestHandler, type Response } from 'express';
import { type Auth, createGatehouse, type GatehouseOptions, type Guard, type Mailer, Refusal } from 'gatehouse-auth';
import { createTestGatehouse } from 'gatehouse-auth/testing';

const mailer: Mailer = {
  async send(mail) {
    if (mail.kind === 'password-reset') console.log(mail.to, mail.variables.url, mail.locale);
    // @ts-expect-error only emails with a link have one
    else console.log(mail.variables.url);
  },
};
const options: GatehouseOptions = {
  mailer,
  hooks: { async beforeSignIn({ user, method }) { if (method === 'oauth') throw new Refusal(user.email); } },
};
const gatehouse = await createGatehouse(options);
const { requireSession, requireSuperuser, optionalSession } = gatehouse;
const app = express();

app.get('/orders/:id', requireSession(), (req, res) => {
  const text: string[] = [req.auth.user.email, req.params.id, req.auth.claims.sub];
  // @ts-expect-error the parameters of the path keep their types
  text.push(req.params.name);
  // @ts-expect-error so does the query
  text.push(req.query.page);
  res.json(text);
});
app.post('/orders', requireSession({ recentSeconds: 300, mfa: true }), (req, res) => { res.json([req.auth.user.id, req.body]); });
app.get('/staff', requireSuperuser(), async (req, res) => { res.json(req.auth.user.isSuperuser); });
app.get('/', optionalSession(), (req, res) => { res.json(req.auth?.user.email ?? req.auth); });
app.get('/careless', optionalSession(), (req, res) => {
  // @ts-expect-error there may be no session
  res.json(req.auth.user.email);
});
app.get('/open', (req, res) => {
  // @ts-expect-error there is no guard
  res.json(req.auth.user);
  // @ts-expect-error nor any hope
  res.json(req.auth?.user);
});

const log: RequestHandler = (_req, _res, next) => { next(); };
app.get('/mixed', log, requireSession(), log, express.json(), (req, res) => { res.json(req.auth.user.email); });
app.use('/below', requireSession(), (req, res) => { res.json(req.auth.user.email); });
const router = express.Router();
router.use(requireSession(), log);
router.get('/inner', (req, res) => { res.json((req as Request & { auth: Auth }).auth.user.email); });
router.route('/route').get(requireSession(), (req: Request & { auth: Auth }, res) => { res.json(req.auth.user.email); });
app.use('/api', router);

const showUser = (req: Request & { auth: Auth }, res: Response) => { res.json(req.auth.user.email); };
app.get('/named', requireSession(), showUser);
// @ts-expect-error there is no guard
app.get('/unguarded', showUser);
// @ts-expect-error there may be no session
app.get('/optional', optionalSession(), showUser);

const addressOf = (req: Request) => req.ip;
app.get('/address', requireSession(), (req, res) => { res.json([addressOf(req), req.auth.user.id]); });
const asHandler: RequestHandler = requireSession();
const guards: Guard<Auth>[] = [requireSession(), requireSuperuser()];
app.use(guards, asHandler);
const guard = requireSession();
createServer((req, res) => guard(req, res, () => { res.end(); }));

const test = await createTestGatehouse({ ...options, appName: 'Acme' });
const { user, password } = await test.createUser({ isSuperuser: true });
const token: string = await test.signIn(user);
const none: null = (await test.createUser({ password: null })).password;
test.clock.advance(token.length + password.length);
app.get('/', (_req, res) => { res.json([test.mails[0]?.subject, test.texts, none]); });
`;

/** What each configuration is told, at start or at the first access to the router. */
function asked(configurations: Record<string, object>): Promise<Record<string, string>> {
  return host(
    'peers.mjs',
    `import { createGatehouse } from 'gatehouse-auth';
    const logger = { debug() {}, info() {}, warn() {}, error() {} };
    const said = {};
    for (const [name, options] of Object.entries(${JSON.stringify(configurations)})) {
      const databaseUrl = 'sqlite+aiosqlite:///:memory:';
      try {
        const gatehouse = await createGatehouse({ databaseUrl, logger, ...options });
        try { gatehouse.router; } finally { await gatehouse.close(); }
        said[name] = 'nothing';
      } catch (error) { said[name] = error.message; }
    }
    console.log(JSON.stringify(said));`,
  );
}

describe('in an empty folder', () => {
  const works = { email: 'ada@example.org', page: 200, stranger: null, heard: ['ada@example.org'] };

  test('the embedding example runs as an ES module', async () => {
    expect(await host('host.mjs', imports + javascript)).toEqual(works);
  });

  test('the embedding example runs as CommonJS', async () => {
    const requires = `const express = require('express');\nconst { createGatehouse } = require('gatehouse-auth');\n`;
    expect(await host('host.cjs', requires + javascript)).toEqual(works);
  });

  test('GraphiQL loads no script of another origin, and says how to install it', async () => {
    const { status, page } = await host(
      'ide.mjs',
      `import { createGatehouse } from 'gatehouse-auth';
      const logger = { debug() {}, info() {}, warn() {}, error() {} };
      const gatehouse = await createGatehouse({ databaseUrl: 'sqlite:///:memory:', graphqlIde: true, logger });
      const response = await gatehouse.fetch(
        new Request('http://localhost:8000/api/auth/graphql', { headers: { Accept: 'text/html' } }));
      console.log(JSON.stringify({ status: response.status, page: await response.text() }));
      await gatehouse.close();`,
    );
    expect(status).toBe(200);
    expect(page).toContain('npm install @graphql-yoga/render-graphiql');
    expect(page).not.toMatch(/<script|https?:/);
  });

  test('each optional package that a configuration asks for and that is missing is named in one line', async () => {
    const said = await asked({
      '@mikro-orm/postgresql': { databaseUrl: 'postgresql+asyncpg://u:p@127.0.0.1:1/db' },
      '@mikro-orm/mongodb': { databaseUrl: 'mongodb://127.0.0.1:1/db' },
      '@aws-sdk/client-sesv2': { email: { backend: 'ses', sesRegion: 'eu-west-1' } },
      '@aws-sdk/client-sns': { enableSms2fa: true, sms: { backend: 'sns', snsRegion: 'eu-west-1' } },
      'openid-client': { enableOauth: true, oauth: { googleClientId: 'id', googleClientSecret: 'secret' } },
      'prom-client': { enableMetrics: true },
      '@simplewebauthn/server': { enablePasskeys: true },
      'rate-limiter-flexible': { loginRateLimit: '5/minute' },
    });
    // This one is looked for when that one is there.
    const flexible = 'rate-limiter-flexible';
    await symlink(join(root, 'node_modules', flexible), join(folder, 'node_modules', flexible));
    const rateLimitStoreUrl = 'redis://127.0.0.1:1';
    Object.assign(said, await asked({ ioredis: { loginRateLimit: '5/minute', rateLimitStoreUrl } }));
    for (const [name, message] of Object.entries(said)) {
      expect(message).toContain(`npm install ${name}`);
      expect(message).not.toContain('\n');
    }
    // The rest is used where it is there, and asked for by nothing.
    const alone = ['@node-rs/argon2', '@opentelemetry/api', 'express', 'react'];
    const peers = Object.keys(manifest.peerDependenciesMeta).filter(name => !alone.includes(name));
    // An installation without optional dependencies has none of them.
    const named = [...peers, ...Object.keys(manifest.optionalDependencies)];
    expect(Object.keys(said).sort()).toEqual(named.sort());
    // npm installs the one that is not optional by itself.
    const { graphql, ...optional } = manifest.peerDependencies;
    expect(graphql).toBe('^16.10.0 || ^17.0.0');
    expect(manifest.peerDependenciesMeta).toEqual(
      Object.fromEntries(Object.keys(optional).map(name => [name, { optional: true }])),
    );
  });
});

/** What an application in a browser writes. */
const application = `
import { administration, createClient, type ErrorCode, GatehouseError, type User } from 'gatehouse-auth/client';

const client = createClient({
  url: 'https://app.example/api/auth',
  door: 'rest',
  with: [administration],
  onSessionEnded() {},
});
export async function signIn(email: string, password: string): Promise<User | null> {
  const result = await client.login({ email, password });
  if ('mfaPendingToken' in result) {
    const methods: readonly string[] = result.methods ?? [];
    return methods.length > 0 ? null : null;
  }
  await client.register({ email, password, fullName: undefined });
  const page = await client.users({ limit: 10, isVerified: null }, { signal: AbortSignal.timeout(5) });
  const after: string | null = page.nextCursor;
  await client.users({ after });
  return client.me();
}
export function codeOf(error: unknown): ErrorCode | null {
  if (!(error instanceof GatehouseError)) return null;
  if (error.code === 'rate_limited') setTimeout(() => {}, (error.retryAfter ?? 1) * 1000);
  // @ts-expect-error: no code is called this
  if (error.code === 'rate_limted') return null;
  return error.code;
}
// @ts-expect-error: a password is required
void client.login({ email: 'ada@example.org' });
// @ts-expect-error: there are two interfaces
createClient({ url: '/api/auth', door: 'soap' });
`;
const hooks = `
import { createElement } from 'react';
import { createClient } from 'gatehouse-auth/client';
import { GatehouseProvider, useSession, useSignIn } from 'gatehouse-auth/react';

const client = createClient({ url: '/api/auth', door: 'graphql' });
function Account() {
  const { status, user, signOut, refresh } = useSession();
  const { step, methods, error, pending, withPassword, withCode } = useSignIn();
  if (status !== 'signed-in' || user === null) return createElement('p', {}, error?.message);
  void [refresh, pending, withPassword('', ''), withCode(methods[0] ?? 'totp', step)];
  return createElement('button', { onClick: () => void signOut() }, user.email);
}
export const app = createElement(GatehouseProvider, { client }, createElement(Account));
`;

const imports = `import express from 'express';\nimport { createGatehouse } from 'gatehouse-auth';\n`;
const server = { host: imports + example + everyEntry, guarded: guardedHost };
const browser = { application, hooks };
const strict = { strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true };

// The declarations of the package are most of what the compiler reads, so each run of it checks many modules of a host.
describe('a host’s modules compile, as strictly as can be, with every declaration that they reach', () => {
  beforeAll(async () => {
    await mkdir(join(folder, 'node_modules/@types'), { recursive: true });
    for (const name of ['react', '@types/react'])
      await symlink(join(root, 'node_modules', name), join(folder, 'node_modules', name));
  });

  interface Run {
    options: object;
    /** The package that has the types of Express. */
    express?: string;
    /** Whose complaints count: what another package's types say of themselves need not be ours. */
    of?: RegExp;
  }

  /** The complaints of the compiler about modules of a host, and about our declarations. */
  async function complaints(modules: Record<string, string>, { options, express, of = /./ }: Run) {
    const project = await mkdtemp(join(folder, 'host-'));
    if (express) {
      await mkdir(join(project, 'node_modules/@types'), { recursive: true });
      await symlink(join(root, 'node_modules', express), join(project, 'node_modules/@types/express'));
    }
    for (const [name, text] of Object.entries(modules)) await writeFile(join(project, `${name}.mts`), text);
    const compilerOptions = { target: 'es2024', noEmit: true, rootDir: '..', ...strict, ...options };
    await writeFile(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.mts'] }));
    return (await compile(project)).filter(line => of.test(line));
  }

  // The ORM's own types name its drivers, which a host has not installed.
  test('under nodenext, without any driver of the ORM and any optional package of a server', async () => {
    const options = { module: 'nodenext', types: ['node'] };
    const express = '@types/express';
    expect(await complaints({ ...server, ...browser }, { options, express })).toEqual([]);
  });

  test('under bundler', async () => {
    // The declarations themselves are checked above; here they are found and understood.
    const found = { module: 'esnext', moduleResolution: 'bundler', types: ['node'] };
    const options = { ...found, skipLibCheck: true };
    const express = '@types/express';
    expect(await complaints({ ...server, ...browser }, { options, express })).toEqual([]);
  });

  test('with the types of Express 4', async () => {
    const options = { module: 'nodenext', types: ['node'] };
    const run = { options, express: 'types-express-4', of: /gatehouse-auth\/|guarded\.mts/ };
    expect(await complaints({ guarded: guardedHost }, run)).toEqual([]);
  });

  test('under node16, in a browser, where no types of Node are', async () => {
    const options = { target: 'es2022', module: 'node16', lib: ['es2022', 'dom'], types: [] };
    expect(await complaints(browser, { options })).toEqual([]);
  });
});

test('checks tokens in a process that has neither Gatehouse nor any module of Node', async () => {
  const said = await host(
    'verify.mjs',
    `import { createRequire, registerHooks } from 'node:module';
      const loaded = [];
      registerHooks({ resolve(name, context, next) { loaded.push(name); return next(name, context); } });
      const { createResourceServer } = await import('gatehouse-auth/verify');
      const issuer = 'https://id.example.org';
      const fetch = async () => Response.json({ keys: [] });
      const api = createResourceServer({ issuer, resource: 'urn:example:api', scopes: [], fetch });
      const code = await api.verify('eyJhbGciOiJFUzI1NiIsInR5cCI6ImF0K2p3dCIsImtpZCI6IjEifQ.e30.AAAA').catch(error => error.code);
      const { default: required } = { default: createRequire(import.meta.url)('gatehouse-auth/verify') };
      console.log(JSON.stringify({ code, kind: typeof required.createResourceServer,
        foreign: loaded.filter(name => !name.startsWith('.') && !/^(file:|gatehouse-auth)/.test(name)) }));`,
  );
  expect(said).toEqual({ code: 'unauthenticated', kind: 'function', foreign: ['jose'] });
});

describe('in a browser’s application', () => {
  test('both are modules that load without a browser, and the schema is there for code generators', async () => {
    const said = await host(
      'browser.mjs',
      `import { readFileSync } from 'node:fs';
      import { createClient, GatehouseError } from 'gatehouse-auth/client';
      import * as hooks from 'gatehouse-auth/react';
      const client = createClient({ url: 'http://127.0.0.1:1/api/auth', door: 'rest' });
      const error = await client.features().catch(error => error);
      const schema = readFileSync(new URL(import.meta.resolve('gatehouse-auth/schema.graphql')), 'utf8');
      const codes = /enum ErrorCode/.test(schema);
      console.log(JSON.stringify({ is: error instanceof GatehouseError, code: error.code, codes, hooks: Object.keys(hooks) }));`,
    );
    const expected = ['GatehouseProvider', 'useSession', 'useSignIn'];
    expect(said).toEqual({ is: true, code: 'network', codes: true, hooks: expected });
  });

  test('the hooks are marked as code of the browser', async () => {
    const text = await readFile(join(folder, 'node_modules/gatehouse-auth/browser/react/index.js'), 'utf8');
    expect(text).toMatch(/^'use client';/);
  });
});

describe('svc', () => {
  const svc = () => join(folder, 'node_modules/gatehouse-auth', manifest.bin.svc);

  test('can be executed, and tells its version', async () => {
    expect((await stat(svc())).mode & 0o111).not.toBe(0);
    const { stdout } = await run(svc(), ['--version'], { cwd: folder, env: environment });
    expect(stdout.trim()).toBe(manifest.version);
  });

  const older = `data:text/javascript,Object.defineProperty(process,'versions',{value:{...process.versions,node:'22.17.9'}})`;

  test('says in one line that it needs a newer Node', async () => {
    const asked = run(process.execPath, ['--import', older, svc(), '--version']);
    await expect(asked).rejects.toMatchObject({
      code: 1,
      stdout: '',
      stderr: 'svc needs Node 22.18 or newer; this is Node 22.17.9.\n',
    });
  });

  test.each([
    ['import', `await import('gatehouse-auth')`],
    ['import of the test kit', `await import('gatehouse-auth/testing')`],
    ['require', `createRequire(import.meta.url)('gatehouse-auth')`],
  ])('so does the library, by %s, before any native module is there', async (_, load) => {
    const text = `import { createRequire } from 'node:module';
      try { ${load}; } catch ({ message }) {
        const natives = process.report.getReport().sharedObjects.filter(path => path.endsWith('.node'));
        console.log(JSON.stringify({ message, natives }));
      }`;
    await writeFile(join(folder, 'older.mjs'), text);
    const { stdout } = await run(process.execPath, ['--import', older, 'older.mjs'], { cwd: folder });
    const message = 'gatehouse-auth needs Node 22.18 or newer; this is Node 22.17.9.';
    expect(JSON.parse(stdout)).toEqual({ message, natives: [] });
  });
});
