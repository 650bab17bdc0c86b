import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { sbomOf } from '../../scripts/write-sbom.ts';
import { installExamples, whySkipped } from '../support/installed-examples.ts';

// The packed package works with the lowest and with the highest version of each range that it states.

const run = promisify(execFile);
const manifest = await readFile(join(import.meta.dirname, '../../package.json'), 'utf8');
const { dependencies, optionalDependencies, peerDependencies } = JSON.parse(manifest) as Record<
  'dependencies' | 'optionalDependencies' | 'peerDependencies',
  Record<string, string>
>;

/** The peers that the story uses; the databases' and the clouds' have tests of their own. */
const used = [
  '@node-rs/argon2',
  '@simplewebauthn/server',
  'express',
  'graphql',
  'openid-client',
  'prom-client',
];
const ranges = {
  ...dependencies,
  ...optionalDependencies,
  ...Object.fromEntries(used.map(name => [name, peerDependencies[name]!])),
};
const each = (choose: (range: string) => string) =>
  Object.fromEntries(Object.entries(ranges).map(([name, range]) => [name, choose(range)]));

const hosts = {
  lowest: await installExamples(
    [],
    each(range => range.replace(/^\^/, '').replace(/ .*/, '')),
  ),
  highest: await installExamples(
    [],
    each(range => range),
  ),
};

/** An Express application of a few lines, and a person who uses each interface of it. */
const story = `
import { once } from 'node:events';
import express from 'express';
import { createGatehouse } from 'gatehouse-auth';

const logger = { debug() {}, info() {}, warn() {}, error() {} };
const gatehouse = await createGatehouse({
  ...{ databaseUrl: 'sqlite:///:memory:', jwtSecret: 'of a story that is told within one process', logger },
  ...{ requireVerification: false, enableUiRouter: true, enableAdminRouter: true, loginRateLimit: '20/minute' },
  ...{ enableTotp: true, enablePasskeys: true, dataEncryptionKey: 'A'.repeat(43), enableMetrics: true },
});
await gatehouse.installSchema();
const { config } = gatehouse;
const app = express();
app.use(config.apiPrefix, gatehouse.router);
app.use(config.uiPrefix, gatehouse.uiRouter);
app.get('/orders', gatehouse.requireSession(), (req, res) => { res.json(req.auth.user.email); });
const server = app.listen(0, '127.0.0.1');
await once(server, 'listening');
const origin = 'http://127.0.0.1:' + server.address().port;

async function call(method, path, body, token) {
  const headers = { 'Content-Type': 'application/json', ...(token && { Authorization: 'Bearer ' + token }) };
  const response = await fetch(origin + path, { method, headers, body: body && JSON.stringify(body) });
  return { status: response.status, text: await response.text() };
}
const ada = { email: 'ada@example.org', password: 'correct horse battery' };
await gatehouse.users.create({ ...ada, isVerified: true });
const login = await call('POST', '/api/auth/login', ada);
const token = JSON.parse(login.text).access_token;
const graphql = () => call('POST', '/api/auth/graphql', { query: '{ me { email } users { totalCount } }' }, token);
// The first time by the general path, the second time by its plan.
const [first, second] = [await graphql(), await graphql()];
const passkey = JSON.parse((await call('POST', '/api/auth/passkeys/start', undefined, token)).text);
const app1 = JSON.parse((await call('POST', '/api/auth/totp/start', undefined, token)).text);
const page = await call('GET', config.uiPrefix + '/login');
console.log(JSON.stringify({
  login: login.status,
  graphql: JSON.parse(first.text), isSame: first.text === second.text,
  passkey: typeof passkey.options.challenge, totp: app1.qr_svg.slice(0, 4),
  page: page.status, orders: (await call('GET', '/orders', undefined, token)).text,
}));
server.closeAllConnections();
server.close();
await gatehouse.close();
`;

describe.each(Object.entries(hosts))('with the %s version of each range', (_, installed) => {
  describe.skipIf('reason' in installed)(`the packed package${whySkipped(installed)}`, () => {
    const { folder } = installed as { folder: string };

    test('serves REST, GraphQL, pages and guards of a host', async () => {
      await writeFile(join(folder, 'story.mjs'), story);
      const { stdout } = await run(process.execPath, ['story.mjs'], { cwd: folder });
      expect(JSON.parse(stdout)).toEqual({
        ...{ login: 200, page: 200, orders: '"ada@example.org"' },
        graphql: {
          errors: [expect.objectContaining({ extensions: expect.objectContaining({ code: 'forbidden' }) })],
          data: { me: { email: 'ada@example.org' }, users: null },
        },
        ...{ isSame: true, passkey: 'string', totp: '<svg' },
      });
    });
  });
});

describe.skipIf('reason' in hosts.highest)('an application that is new', () => {
  test('has one copy of each package that Gatehouse names', async () => {
    const { folder } = hosts.highest as { folder: string };
    const { stdout } = await run('npm', ['ls', '--all', '--json'], { cwd: folder, maxBuffer: 2 ** 26 });
    const versions = new Map<string, Set<string>>();
    const walk = (tree: Tree) => {
      for (const [name, child] of Object.entries(tree.dependencies ?? {})) {
        if (child.version) versions.set(name, (versions.get(name) ?? new Set()).add(child.version));
        walk(child);
      }
    };
    walk(JSON.parse(stdout));
    // The command of liquidjs needs an older one, and nothing of ours runs it.
    versions.delete('commander');
    expect([...versions].filter(([name, found]) => name in ranges && found.size > 1)).toEqual([]);
  });
});

describe.skipIf('reason' in hosts.highest)('the bill of materials', () => {
  test('names the packages of an installation, with their licences, and none of the developers', () => {
    const bill = JSON.parse(sbomOf(manifest)) as Bill;
    expect(bill.bomFormat).toBe('CycloneDX');
    expect(bill.metadata.component.name).toBe('gatehouse-auth');
    const names = bill.components.map(({ purl }) =>
      decodeURIComponent(purl.replace(/^pkg:npm\/|@[^@]*$/g, '')),
    );
    expect(names).toEqual(expect.arrayContaining(Object.keys({ ...dependencies, graphql: '' })));
    const { devDependencies, peerDependencies } = JSON.parse(manifest);
    const foreign = Object.keys({ ...devDependencies, ...peerDependencies }).filter(
      name => !(name in dependencies) && name !== 'graphql',
    );
    expect(names.filter(name => foreign.includes(name))).toEqual([]);
    expect(bill.components.filter(({ licenses }) => !licenses?.length)).toEqual([]);
  });
});

interface Bill {
  bomFormat: string;
  metadata: { component: { name: string } };
  components: { purl: string; licenses?: object[] }[];
}

interface Tree {
  version?: string;
  dependencies?: Record<string, Tree>;
}
