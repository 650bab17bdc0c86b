// Rotates the signing keys of two `svc serve` processes under load, and counts the tokens that services refuse:
// `npm run test:rotation`. It takes about five minutes of real time, because a key signs one minute after it was published.
// Services are the example APIs (jose, PyJWT, go-oidc), and fast-jwt, which renews its keys by their age alone. No token may be
// refused. With `-- --force` keys sign before services know them, and some must be refused. A service that cannot be had is
// skipped by name; `ROTATION_GO_API` names a built examples/api-go, `ROTATION_DATABASE_URL` another database than SQLite.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createPublicKey, type JsonWebKey, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { findPythonPackages, pythonEnvironment } from '../test/support/python-packages.ts';
import { freePort } from '../test/support/server-process.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '..');
const cli = join(root, 'src/cli/main.ts');
const isForced = process.argv.includes('--force');

const resource = 'https://api.example.org';
const leadSeconds = 60;
const rotations = 3;
/** The age at which fast-jwt's copy of the keys is renewed, whatever tokens come (CONTRACT-tokens §19). */
const fastJwtKeepsMs = 45_000;
/** With `--force`, a key signs so soon after it was published. */
const forcedPauseMs = 10_000;
const loadPauseMs = 50;

const folder = mkdtempSync(join(tmpdir(), 'rotation-'));
const children: ChildProcess[] = [];

/** Starts a program, and resolves once it says that it is ready. */
async function start(command: string, args: string[], env: Record<string, string>, cwd = folder) {
  const child = spawn(command, args, { cwd, env: { PATH: process.env.PATH ?? '', ...env } });
  children.push(child);
  let output = '';
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-5000);
      if (/listening on /.test(output)) resolve();
    });
  }
  child.once('error', reject);
  // After it was ready this has no effect: the load fails then.
  child.once('exit', code => reject(new Error(`${command} ended with ${code}:\n${output}`)));
  await promise;
}

const ports = [await freePort(), await freePort()] as const;
const issuer = `http://localhost:${ports[0]}`;
const settings: Record<string, string> = {
  SVC_JWT_SECRET: randomBytes(48).toString('base64url'),
  SVC_DATA_ENCRYPTION_KEY: randomBytes(32).toString('base64url'),
  SVC_DATABASE_URL: process.env.ROTATION_DATABASE_URL ?? `sqlite:///${join(folder, 'svc.db')}`,
  SVC_BASE_URL: issuer,
  SVC_ENABLE_TOKENS: 'true',
  SVC_REQUIRE_VERIFICATION: 'false',
  SVC_ENABLE_UI_ROUTER: 'true',
  SVC_SIGNING_KEY_LEAD_SECONDS: String(leadSeconds),
  SVC_RESOURCES__ORDERS__IDENTIFIER: resource,
  SVC_RESOURCES__ORDERS__SCOPES: JSON.stringify({ 'orders:read': 'See your orders' }),
};

/** @throws {Error} for a response that is no success */
async function post(port: number, path: string, body: object, token?: string) {
  const response = await fetch(`http://localhost:${port}/api/auth${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...(token && { Authorization: `Bearer ${token}` }) },
    body: JSON.stringify(body),
  });
  const answer = (await response.json()) as Record<string, string>;
  if (!response.ok) throw new Error(`POST ${path} answered ${response.status}: ${JSON.stringify(answer)}`);
  return answer;
}

/** A service: it returns null for a token that it takes, else why it refuses it. */
type Service = (token: string) => Promise<string | null>;

/** Starts an example API. */
async function exampleApi(command: string, args: string[], cwd: string, env = {}): Promise<Service> {
  const port = await freePort();
  await start(command, args, { ...env, ISSUER: issuer, RESOURCE: resource, PORT: String(port) }, cwd);
  return async token => {
    const url = `http://localhost:${port}/orders`;
    const response = await fetch(url, { headers: { Authorization: `Bearer ${token}` } });
    const text = await response.text();
    return response.status === 200 ? null : `${response.status} ${text}`;
  };
}

function jose(): Promise<Service> {
  const source = pathToFileURL(join(root, 'src/verify/index.ts'));
  const hooks = `import { registerHooks } from 'node:module';
registerHooks({ resolve: (name, context, next) => next(name === 'gatehouse-auth/verify' ? '${source}' : name, context) });`;
  const cwd = join(root, 'examples/api-node');
  const preload = `data:text/javascript,${encodeURIComponent(hooks)}`;
  return exampleApi(process.execPath, ['--import', preload, join(cwd, 'server.js')], cwd);
}

async function pyJwt(): Promise<Service> {
  const packages = await findPythonPackages('pyjwt-2.15.1', [
    ...['--require-hashes', '--no-deps', '--only-binary=:all:'],
    ...['--requirement', join(root, 'test/support/pyjwt.txt')],
  ]);
  return exampleApi('python3', ['server.py'], join(root, 'examples/api-python'), pythonEnvironment(packages));
}

async function goOidc(): Promise<Service> {
  const built = process.env.ROTATION_GO_API;
  if (built) return exampleApi(built, [], folder);
  const cwd = join(folder, 'api-go');
  cpSync(join(root, 'examples/api-go'), cwd, { recursive: true });
  const env = { ...process.env, GOFLAGS: '-mod=mod' };
  await run('go', ['build', '-o', 'api', '.'], { cwd, env, timeout: 300_000 });
  return exampleApi(join(cwd, 'api'), [], cwd);
}

/** The part of fast-jwt that is used here. */
interface FastJwt {
  createVerifier(options: object): (token: string) => Promise<object>;
}

/** Keys are fetched again by their age alone, never because of an unknown `kid`. */
async function fastJwt(): Promise<Service> {
  await run('npm', ['install', '--silent', '--no-audit', '--no-fund', '--prefix', folder, 'fast-jwt@6.3.6']);
  const { createVerifier } = createRequire(join(folder, 'x.js'))('fast-jwt') as FastJwt;
  const pemOf = (key: JsonWebKey) =>
    createPublicKey({ key, format: 'jwk' }).export({ type: 'spki', format: 'pem' }) as string;
  async function fetchKeys(): Promise<Map<string, string>> {
    const response = await fetch(`${issuer}/.well-known/jwks.json`);
    const set = (await response.json()) as { keys: (JsonWebKey & { kid: string })[] };
    return new Map(set.keys.map(key => [key.kid, pemOf(key)]));
  }
  let keys = fetchKeys();
  let fetchedAt = performance.now();
  async function keyOf({ header: { kid = '' } }: { header: { kid?: string } }): Promise<string> {
    if (performance.now() - fetchedAt > fastJwtKeepsMs) {
      fetchedAt = performance.now();
      keys = fetchKeys();
    }
    const key = (await keys).get(kid);
    if (!key) throw new Error(`no key ${kid}`);
    return key;
  }
  const options = { key: keyOf, algorithms: ['ES256'], allowedAud: resource, allowedIss: issuer };
  const verify = createVerifier(options);
  return token =>
    verify(token).then(
      () => null,
      (error: Error) => error.message,
    );
}

interface Tally {
  asked: number;
  refused: number;
  reasons: Set<string>;
}

/** Rotates once the lead has passed, by the command line; with `--force` after a pause. */
async function rotateKeys(): Promise<void> {
  const before = performance.now();
  const args = [cli, 'keys', 'rotate', ...(isForced ? ['--force'] : [])];
  const env = { PATH: process.env.PATH ?? '', ...settings };
  for (let done = 0; done < rotations; ) {
    if (isForced) await pause(forcedPauseMs);
    try {
      await run(process.execPath, args, { cwd: folder, env });
      done++;
      console.log(`${Math.round((performance.now() - before) / 1000)} s: rotation ${done}`);
    } catch (error) {
      if (!/has not been published for long enough/.test((error as { stderr: string }).stderr)) throw error;
      await pause(2000);
    }
  }
  // Until each process and each copy knows the last of them.
  await pause(leadSeconds * 1000);
}

async function main(): Promise<boolean> {
  for (const port of ports) await start(process.execPath, [cli, 'serve', '--port', String(port)], settings);
  const known: [string, () => Promise<Service>][] = [
    ['jose', jose],
    ['PyJWT', pyJwt],
    ['go-oidc', goOidc],
    ['fast-jwt', fastJwt],
  ];
  const services = new Map<string, { ask: Service; tally: Tally }>();
  for (const [name, open] of known) {
    try {
      services.set(name, { ask: await open(), tally: { asked: 0, refused: 0, reasons: new Set() } });
    } catch (error) {
      console.log(`${name} is skipped: ${(error as Error).message.trim().split('\n').at(-1)}`);
    }
  }

  const credentials = { email: 'load@example.org', password: randomBytes(12).toString('base64url') };
  await post(ports[0], '/register', credentials);
  const { access_token: session } = await post(ports[0], '/login', credentials);

  let isOver = false;
  let issued = 0;
  const kids = new Set<string>();
  async function load(port: number): Promise<void> {
    while (!isOver) {
      const { access_token: token = '' } = await post(port, '/tokens', { resource }, session);
      issued++;
      kids.add(JSON.parse(Buffer.from(token.split('.', 1)[0]!, 'base64url').toString()).kid);
      await Promise.all(
        [...services.values()].map(async ({ ask, tally }) => {
          const reason = await ask(token);
          tally.asked++;
          if (reason === null) return;
          tally.refused++;
          tally.reasons.add(reason);
        }),
      );
      await pause(loadPauseMs);
    }
  }
  const loads = Promise.all(ports.map(load));
  await Promise.race([loads, rotateKeys()]);
  isOver = true;
  await loads;

  console.log(`${issued} tokens, signed by ${kids.size} keys:`);
  for (const [name, { tally }] of services) {
    console.log(`${name}: ${tally.refused} of ${tally.asked} refused`, ...[...tally.reasons].slice(0, 2));
  }
  const refused = [...services.values()].reduce((sum, { tally }) => sum + tally.refused, 0);
  if (isForced) return refused > 0;
  // Each key has signed, so each rotation was seen.
  return kids.size === rotations + 1 && services.size > 0 && refused === 0;
}

try {
  const isRight = await main();
  console.log(isRight ? 'as it must be' : 'NOT as it must be');
  if (!isRight) process.exitCode = 1;
} finally {
  const running = children.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null);
  const ended = Promise.all(running.map(child => once(child, 'exit')));
  for (const child of running) child.kill();
  await ended;
  rmSync(folder, { recursive: true, force: true });
}
