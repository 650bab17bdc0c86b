import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { Program } from './support/program.ts';
import { freePort } from './support/server-process.ts';

const root = join(import.meta.dirname, '..');

/** Stands in for the installed package: `gatehouse` is the source of this working copy. */
const fromSource = `data:text/javascript,${encodeURIComponent(`
import { registerHooks } from 'node:module';
const source = '${pathToFileURL(join(root, 'src/index.ts'))}';
registerHooks({ resolve: (name, context, next) => next(name === 'gatehouse' ? source : name, context) });
`)}`;

describe('examples/express-host', () => {
  const ada = { email: 'ada@example.org', password: 'correct horse' };
  let origin: string;
  let host: Program;

  beforeAll(async () => {
    const port = await freePort();
    origin = `http://localhost:${port}`;
    host = new Program(['--import', fromSource, join(root, 'examples/express-host/server.js')], {
      cwd: await mkdtemp(join(inject('temporaryFolder'), 'example-')),
      env: {
        PORT: String(port),
        SVC_JWT_SECRET: 'a secret for this test and no other',
        SVC_EMAIL__LOG_BODIES: 'true',
      },
    });
    await host.waitFor(/listening on /);
  });
  afterAll(() => host.kill());

  const get = (path: string, token?: string) =>
    fetch(origin + path, { headers: token ? { Authorization: `Bearer ${token}` } : {} });
  const post = (path: string, body: object) =>
    fetch(origin + path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });

  test('shows its public pages to everybody', async () => {
    expect((await get('/')).status).toBe(200);
    expect((await get('/verify.html')).status).toBe(200);
    expect(await (await get('/whoami')).json()).toEqual({ signed_in_as: null });
  });

  test('refuses orders to a stranger', async () => {
    const response = await get('/orders');
    expect(response.status).toBe(401);
    expect(await response.json()).toMatchObject({ code: 'unauthenticated' });
    expect((await get('/orders', 'made.up.token')).status).toBe(401);
  });

  test('takes a newcomer from registration to orders', async () => {
    expect((await post('/api/auth/register', ada)).status).toBe(201);
    const [link] = await host.waitFor(/^http\S+token=\S+$/m);
    expect(link).toMatch(`${origin}/verify.html?`);
    expect((await get(link.slice(origin.length))).status).toBe(200);
    expect((await post('/api/auth/login', ada)).status).toBe(403);

    const token = new URL(link).searchParams.get('token');
    const verified = await post('/api/auth/verify', { token });
    expect(verified.status).toBe(200);
    const { id } = (await verified.json()) as { id: string };
    await host.waitFor(new RegExp(`a new user: ${id}`));

    const { access_token } = (await (await post('/api/auth/login', ada)).json()) as { access_token: string };
    const orders = await get('/orders', access_token);
    expect(orders.status).toBe(200);
    expect(await orders.json()).toMatchObject({ customer: id });
    expect(await (await get('/whoami', access_token)).json()).toEqual({ signed_in_as: ada.email });
  });

  test('ends by itself at SIGTERM', async () => {
    expect(await host.stop()).toBe(0);
  });
});
