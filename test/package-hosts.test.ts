import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import express5 from 'express';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createGatehouse, type Gatehouse, type GatehouseOptions } from '../src/index.ts';
import { jwtSecret } from './support/app.ts';
import { listen } from './support/listening.ts';

// Express 4 has the same shape, as far as a host of ours uses it.
const { default: express4 } = (await import('express-4' as string)) as { default: typeof express5 };

const silent = { debug() {}, info() {}, warn() {}, error() {} };

/** A way to put an instance into an application. */
interface Host {
  options?: GatehouseOptions;
  mount(gatehouse: Gatehouse): RequestListener;
}

/** As the README has it. */
function mountIn(express: typeof express5, gatehouse: Gatehouse, before = express.Router()) {
  const { config, router, uiRouter, staticFiles } = gatehouse;
  const app = express();
  app.use(before);
  app.use(config.apiPrefix, router);
  app.use(config.uiPrefix, uiRouter);
  app.use(config.staticPrefix, staticFiles);
  app.get('/orders', gatehouse.requireSession(), (req, res) => void res.json({ of: req.auth.user.email }));
  app.get(
    '/whoami',
    gatehouse.optionalSession(),
    (req, res) => void res.json({ is: req.auth?.user.email ?? null }),
  );
  return app;
}

/** Node's own server: a prefix is taken off the URL, as Express does it. */
function bare(gatehouse: Gatehouse): RequestListener {
  const { config, router, uiRouter, staticFiles } = gatehouse;
  const guard = gatehouse.requireSession();
  type Step = (req: IncomingMessage, res: ServerResponse, next: (error?: unknown) => void) => void;
  const mounted: [string, Step][] = [
    [config.apiPrefix, router as unknown as Step],
    [config.uiPrefix, uiRouter as unknown as Step],
    [config.staticPrefix, staticFiles as unknown as Step],
  ];
  return (req, res) => {
    const url = req.url ?? '/';
    const missing = () => void res.writeHead(404).end();
    const found = mounted.find(([prefix]) => url.startsWith(`${prefix}/`));
    if (found) return found[1](Object.assign(req, { url: url.slice(found[0].length) }), res, missing);
    if (url !== '/orders') return missing();
    return (guard as unknown as Step)(req, res, () => {
      const { auth } = req as unknown as { auth: { user: { email: string } } };
      res.setHeader('Content-Type', 'application/json').end(JSON.stringify({ of: auth.user.email }));
    });
  };
}

const hosts: Record<string, Host> = {
  'Express 5': { mount: gatehouse => mountIn(express5, gatehouse) },
  'Express 4': { mount: gatehouse => mountIn(express4, gatehouse) },
  'node:http alone': { mount: bare },
  'Express 5 that has parsed every body': {
    mount: gatehouse => mountIn(express5, gatehouse, express5.Router().use(express5.json())),
  },
  'Express 4 that has parsed every body': {
    mount: gatehouse => mountIn(express4, gatehouse, express4.Router().use(express4.json()) as never),
  },
  'an application of its own within another': {
    options: { apiPrefix: '/shop/v1/accounts', uiPrefix: '/shop/people', staticPrefix: '/shop/static' },
    mount(gatehouse) {
      const shop = express5();
      shop.use('/v1/accounts', gatehouse.router);
      shop.use('/people', gatehouse.uiRouter);
      shop.use('/static', gatehouse.staticFiles);
      const app = express5();
      app.use('/shop', shop);
      app.get(
        '/orders',
        gatehouse.requireSession(),
        (req, res) => void res.json({ of: req.auth.user.email }),
      );
      return app;
    },
  },
};

describe.each(Object.entries(hosts))('in %s', (_, { options, mount }) => {
  const ada = { email: 'ada@example.org', password: 'correct horse' };
  let gatehouse: Gatehouse;
  let origin: string;
  let close: () => Promise<unknown>;
  let token: string;

  beforeAll(async () => {
    gatehouse = await createGatehouse({
      ...{ jwtSecret, databaseUrl: 'sqlite+aiosqlite:///:memory:', logger: silent },
      ...{ requireVerification: false, enableUiRouter: true },
      ...options,
    });
    await gatehouse.installSchema();
    const site = await listen(mount(gatehouse));
    origin = site.origin;
    close = async () => {
      await site.close();
      await gatehouse.close();
    };
  });
  afterAll(() => close());

  async function ask(method: string, path: string, body?: object) {
    const response = await fetch(`${origin}${path}`, {
      method,
      headers: {
        ...(body && { 'Content-Type': 'application/json' }),
        ...(token && { Authorization: `Bearer ${token}` }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get('Content-Type')?.includes('json');
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
  }

  test('people register and sign in over REST', async () => {
    const { apiPrefix } = gatehouse.config;
    expect((await ask('GET', '/orders')).status).toBe(401);
    expect((await ask('POST', `${apiPrefix}/register`, ada)).status).toBe(201);
    expect((await ask('POST', `${apiPrefix}/register`, { email: 1 })).body).toMatchObject({
      code: 'invalid_input',
    });
    const { body } = await ask('POST', `${apiPrefix}/login`, ada);
    token = body.access_token;
    expect((await ask('GET', `${apiPrefix}/me`)).body).toMatchObject({ email: ada.email });
  });

  test('they are known to the host’s own routes', async () => {
    expect(await ask('GET', '/orders')).toMatchObject({ status: 200, body: { of: ada.email } });
  });

  test('GraphQL answers, what it accepts and what it refuses', async () => {
    const path = `${gatehouse.config.apiPrefix}/graphql`;
    expect((await ask('POST', path, { query: '{ me { email } }' })).body).toEqual({
      data: { me: { email: ada.email } },
    });
    expect((await ask('POST', path, { query: '{ nothing }' })).body.errors[0].extensions.code).toBe(
      'invalid_document',
    );
  });

  test('the pages and what they load are there', async () => {
    const { uiPrefix, staticPrefix } = gatehouse.config;
    const page = await ask('GET', `${uiPrefix}/login`);
    expect([page.status, page.headers.get('Content-Type')]).toEqual([200, 'text/html; charset=utf-8']);
    const assets = [...page.body.matchAll(/(?:href|src)="([^"]+\.(?:css|js)[^"]*)"/g)].map(match => match[1]);
    expect(assets).not.toEqual([]);
    for (const address of assets) {
      expect(address.startsWith(`${staticPrefix}/`)).toBe(true);
      expect((await ask('GET', address)).status).toBe(200);
    }
  });

  test('unknown paths are left to the host', async () => {
    expect((await ask('GET', `${gatehouse.config.apiPrefix}/unknown`)).status).toBe(404);
  });
});
