import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { api } from '../features/access-tokens/api.ts';
import { type App, dataEncryptionKey, signUp, startApp, TestClock } from '../support/app.ts';
import { Program } from '../support/program.ts';
import { findPythonPackages, pythonEnvironment } from '../support/python-packages.ts';
import { freePort } from '../support/server-process.ts';

// APIs in other processes, in languages of their own, check the tokens of an instance (CONTRACT §16.5).

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
const folderOf = (name: string) => join(root, 'examples', name);

/** How an example is started, or why it cannot be. */
type Start = { command?: string; args: string[]; cwd: string; env?: Record<string, string> } | string;
const startOrReason = (found: Promise<Start>): Promise<Start> =>
  found.catch((error: Error) => error.message.trim().split('\n').at(-1) ?? 'it is absent');

/** `gatehouse-auth/verify` is the source of this working copy. */
const fromSource = `data:text/javascript,${encodeURIComponent(`
import { registerHooks } from 'node:module';
const source = '${pathToFileURL(join(root, 'src/verify/index.ts'))}';
registerHooks({ resolve: (name, context, next) => next(name === 'gatehouse-auth/verify' ? source : name, context) });
`)}`;

async function python(): Promise<Start> {
  const folder = await findPythonPackages('pyjwt-2.15.1', [
    ...['--retries', '1', '--timeout', '10', '--disable-pip-version-check'],
    ...['--require-hashes', '--no-deps', '--only-binary=:all:'],
    ...['--requirement', join(root, 'test/support/pyjwt.txt')],
  ]);
  const env = pythonEnvironment(folder);
  await run('python3', ['-c', 'import jwt, cryptography'], { env });
  return { command: 'python3', args: ['server.py'], cwd: folderOf('api-python'), env };
}

async function go(): Promise<Start> {
  const folder = await mkdtemp(join(inject('temporaryFolder'), 'go-'));
  const env = { ...process.env, GOFLAGS: '-mod=mod' };
  await run('go', ['version'], { env });
  // The build writes the sums of modules beside the source.
  await cp(folderOf('api-go'), folder, { recursive: true });
  await run('go', ['build', '-o', 'api', '.'], { cwd: folder, env, timeout: 120_000 });
  return { command: join(folder, 'api'), args: [], cwd: folder };
}

const examples: [name: string, start: Start][] = [
  [
    'api-node',
    { args: ['--import', fromSource, join(folderOf('api-node'), 'server.js')], cwd: folderOf('api-node') },
  ],
  ['api-python', await startOrReason(python())],
  ['api-go', await startOrReason(go())],
];

let app: App;
beforeAll(async () => {
  const port = await freePort();
  const origin = `http://localhost:${port}`;
  // These programs have the time of the machine.
  const clock = new TestClock(new Date().toISOString());
  app = await startApp({
    clock,
    settings: {
      ...{ baseUrl: origin, enableTokens: true, dataEncryptionKey },
      resources: { orders: api, bank: { identifier: 'https://bank.example', scopes: { pay: 'Pay' } } },
    },
  });
  site = await serveAt(port);
});
afterAll(async () => {
  site?.close();
  await app?.close();
});

let site: { close(): void };

/** Serves the instance where its `base_url` says. */
async function serveAt(port: number) {
  const server = createServer((req, res) => app.gatehouse.handler(req, res)).listen(port, 'localhost');
  await once(server, 'listening');
  return {
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

describe.each(examples)('examples/%s', (name, start) => {
  test.skipIf(typeof start === 'string')(
    typeof start === 'string' ? `checks tokens, skipped: ${start}` : 'checks tokens',
    async () => {
      const { command, args, cwd, env } = start as Exclude<Start, string>;
      const port = await freePort();
      const settings = { PORT: String(port), ISSUER: app.gatehouse.config.issuer, RESOURCE: api.identifier };
      const program = new Program(args, {
        ...{ cwd, env: { PATH: process.env.PATH ?? '', ...env, ...settings } },
        ...(command && { command }),
      });
      try {
        await program.waitFor(/listening on /);
        const asked = (token?: string) =>
          fetch(`http://localhost:${port}/orders`, {
            headers: token === undefined ? {} : { Authorization: `Bearer ${token}` },
          });
        const { id, token: session } = await signUp(app);
        const issue = async (input: object) =>
          (await app.rest('POST', '/tokens', input, { token: session })).body.access_token as string;
        const right = await issue({ resource: api.identifier, scopes: ['orders:read'] });
        const reply = await asked(right);
        expect([reply.status, await reply.json()]).toEqual([200, { of: id, orders: [] }]);
        const other = await issue({ resource: api.identifier, scopes: ['orders:write'] });
        const lacking = await asked(other);
        expect([lacking.status, await lacking.json()]).toMatchObject([403, { code: 'insufficient_scope' }]);
        expect(lacking.headers.get('WWW-Authenticate')).toContain('scope="orders:read"');
        const ofBank = await issue({ resource: 'https://bank.example' });
        for (const refused of [undefined, 'x', session, ofBank, `${right.slice(0, -4)}AAAA`])
          expect((await asked(refused)).status, `${name} ${refused}`).toBe(401);
      } finally {
        await program.kill();
      }
    },
  );
});
