import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, inject, test } from 'vitest';

const run = promisify(execFile);
const root = join(import.meta.dirname, '..');
const tool = (name: string) => join(root, 'node_modules/.bin', name);
const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));

/** A build takes as long as the machine takes; no rule here is about that. */
const buildTimeoutMs = 180_000;

/** Where the package is installed, with its dependencies and without any optional peer. */
let folder: string;
let packed: { size: number; files: { path: string; mode: number }[] };

/** Packs what a release would pack, and unpacks it as `npm install` would, offline. */
beforeAll(async () => {
  folder = await mkdtemp(join(inject('temporaryFolder'), 'package-'));
  const source = join(folder, 'source');
  await mkdir(source);
  const folders = manifest.files.map((name: string) => name.replace(/\/\*.*$/, ''));
  const shipped = ['package.json', 'README.md', ...folders].filter(name => name !== 'dist');
  await Promise.all(shipped.map(name => cp(join(root, name), join(source, name), { recursive: true })));
  await run(process.execPath, [join(root, 'scripts/build.ts'), join(source, 'dist')]);
  const pack = ['pack', '--json', '--ignore-scripts', '--offline'];
  const { stdout } = await run('npm', pack, { cwd: source });
  [packed] = JSON.parse(stdout);

  const modules = join(folder, 'node_modules');
  const installed = join(modules, 'gatehouse');
  await mkdir(installed, { recursive: true });
  const [tarball] = (await readdir(source)).filter(name => name.endsWith('.tgz'));
  await run('tar', ['-xzf', join(source, tarball!), '-C', installed, '--strip-components=1']);
  // What npm would install beside it; `@types` of Node are the host's own.
  for (const name of [...Object.keys(manifest.dependencies), '@types/node']) {
    const place = join(modules, name);
    await mkdir(dirname(place), { recursive: true });
    await symlink(join(root, 'node_modules', name), place);
  }
}, buildTimeoutMs);

const environment = { PATH: process.env.PATH, SVC_JWT_SECRET: 'a signing secret of the package tests' };

/** Runs a file of the host's, in its folder. */
async function host(name: string, text: string) {
  await writeFile(join(folder, name), text);
  const { stdout } = await run(process.execPath, [name], { cwd: folder, env: environment });
  return JSON.parse(stdout);
}

describe('the tarball', () => {
  test('is under one megabyte and holds nothing but what runs, its types and its documents', () => {
    expect(packed.size).toBeLessThan(1_000_000);
    const kinds =
      /^(dist\/.*\.(js|d\.ts)|views\/.*\.liquid|docs\/[\w-]+\.md|static\/[\w.-]+|[\w-]+\.(json|md|graphql)|LICENSE)$/;
    expect(packed.files.map(file => file.path).filter(path => !kinds.test(path))).toEqual([]);
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
  console.log(JSON.stringify({ email: orders.email, page: page.status, stranger, heard }));
  server.closeAllConnections();
  server.close();
  await gatehouse.close();
}
void main();
`;
const javascript = example.replace(/: (string\[\]|string)(?= =|\))/g, '').replace(/ as \{[^}]*\}/g, '');

/** What each configuration is told, at start or at the first access to the router. */
function asked(configurations: Record<string, object>): Promise<Record<string, string>> {
  return host(
    'peers.mjs',
    `import { createGatehouse } from 'gatehouse';
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
    const imports = `import express from 'express';\nimport { createGatehouse } from 'gatehouse';\n`;
    expect(await host('host.mjs', imports + javascript)).toEqual(works);
  });

  test('the embedding example runs as CommonJS', async () => {
    const requires = `const express = require('express');\nconst { createGatehouse } = require('gatehouse');\n`;
    expect(await host('host.cjs', requires + javascript)).toEqual(works);
  });

  test.each([
    // Every declaration that is reached is checked too: none may need a package that is not there.
    ['nodenext', { module: 'nodenext', skipLibCheck: false }],
    ['bundler', { module: 'esnext', moduleResolution: 'bundler' }],
  ])('the embedding example type-checks under %s, without any optional peer', async (name, options) => {
    const project = await mkdtemp(join(folder, `${name}-`));
    const imports = `import express from 'express';\nimport { createGatehouse } from 'gatehouse';\n`;
    await writeFile(join(project, 'host.mts'), imports + example);
    const compilerOptions = {
      ...{
        target: 'es2024',
        strict: true,
        noEmit: true,
        types: ['node'],
        rootDir: '..',
        skipLibCheck: true,
      },
      ...options,
    };
    await writeFile(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.mts'] }));
    const { stdout } = await run(tool('tsc'), ['-p', project]).catch(error => error as { stdout: string });
    // What another package's types say of themselves is not ours.
    expect(stdout.split('\n').filter(line => /gatehouse\/|host\.mts/.test(line))).toEqual([]);
  });

  test('each optional package that a configuration asks for and that is missing is named in one line', async () => {
    const said = await asked({
      '@mikro-orm/postgresql': { databaseUrl: 'postgresql+asyncpg://u:p@127.0.0.1:1/db' },
      '@mikro-orm/mongodb': { databaseUrl: 'mongodb://127.0.0.1:1/db' },
      '@aws-sdk/client-sesv2': { email: { backend: 'ses', sesRegion: 'eu-west-1' } },
      '@aws-sdk/client-sns': { enableSms2fa: true, sms: { backend: 'sns', snsRegion: 'eu-west-1' } },
      'openid-client': { enableOauth: true, oauth: { googleClientId: 'id', googleClientSecret: 'secret' } },
      'prom-client': { enableMetrics: true },
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
    const alone = ['@node-rs/argon2', '@opentelemetry/api'];
    const peers = Object.keys(manifest.peerDependencies).filter(name => !alone.includes(name));
    expect(Object.keys(said).sort()).toEqual(peers.sort());
    expect(Object.values(manifest.peerDependenciesMeta)).toEqual(
      Object.keys(manifest.peerDependencies).map(() => ({ optional: true })),
    );
  });
});

describe('svc', () => {
  const svc = () => join(folder, 'node_modules/gatehouse', manifest.bin.svc);

  test('can be executed, and tells its version', async () => {
    expect((await stat(svc())).mode & 0o111).not.toBe(0);
    const { stdout } = await run(svc(), ['--version'], { cwd: folder, env: environment });
    expect(stdout.trim()).toBe(manifest.version);
  });

  test('says in one line that it needs a newer Node', async () => {
    const older = `data:text/javascript,Object.defineProperty(process,'versions',{value:{...process.versions,node:'22.17.9'}})`;
    const asked = run(process.execPath, ['--import', older, svc(), '--version']);
    await expect(asked).rejects.toMatchObject({
      code: 1,
      stdout: '',
      stderr: 'svc needs Node 22.18 or newer; this is Node 22.17.9.\n',
    });
  });
});
