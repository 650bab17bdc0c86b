import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { loadConfig } from '../src/config/load.ts';
import { type Example, startExample } from './support/example.ts';
import type { Program } from './support/program.ts';

const root = join(import.meta.dirname, '..');

const ada = { email: 'ada@example.org', password: 'correct horse' };

describe('examples/express-host', () => {
  let origin: string;
  let host: Program;
  let get: Example['get'];
  let post: Example['post'];

  beforeAll(async () => {
    ({ host, origin, get, post } = await startExample('express-host'));
  });
  afterAll(() => host.kill());

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

test('examples/node-http serves the API, the pages and its own route, and ends by itself', async () => {
  const { host, get, post } = await startExample('node-http');
  try {
    expect((await get('/account/register')).status).toBe(200);
    expect((await get('/svc-static/core.css')).status).toBe(200);
    expect((await get('/nothing')).status).toBe(404);
    expect((await post('/api/auth/register', ada)).status).toBe(201);
    const [link] = await host.waitFor(/^http\S+token=\S+$/m);
    await post('/api/auth/verify', { token: new URL(link).searchParams.get('token') });
    const { access_token } = (await (await post('/api/auth/login', ada)).json()) as { access_token: string };
    expect((await get('/orders')).status).toBe(401);
    expect(await (await get('/orders', access_token)).json()).toMatchObject({ orders: [{ id: 1 }] });
    expect(await host.stop()).toBe(0);
  } finally {
    await host.kill();
  }
});

test.each(['spa/gatehouse.toml', 'production/gatehouse.toml'])(
  'examples/%s is a configuration',
  async file => {
    const SVC_JWT_SECRET = 'a secret for this test and no other';
    const env = { SVC_CONFIG: join(root, 'examples', file), SVC_JWT_SECRET };
    expect(loadConfig({ env, cwd: inject('temporaryFolder') }).warnings).toEqual([]);
  },
);

test('examples/production/gatehouse.env holds secrets of the configuration, once they are filled in', async () => {
  const template = await readFile(join(root, 'examples/production/gatehouse.env'), 'utf8');
  const lines = template
    .trim()
    .split('\n')
    .map(line => line.split(/=(.*)/s));
  const env = Object.fromEntries(
    lines.map(([name, value]) => [name, value!.replace(/<\w+>/g, 'x'.repeat(32))]),
  );
  const { config } = loadConfig({ env, cwd: inject('temporaryFolder') });
  expect(config.rateLimitStoreUrl?.reveal()).toBe('redis://127.0.0.1:6379');
});
