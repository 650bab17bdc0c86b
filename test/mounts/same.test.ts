import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import express from 'express';
// @ts-expect-error: this older version has no types here
import express4 from 'express-4';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createGatehouse, type Gatehouse } from '../../src/index.ts';
import { jwtSecret } from '../support/app.ts';
import { silent } from '../support/embedded.ts';

// One core serves every mount. No client may notice which one it is.

const origin = 'https://app.example.org';

interface Sent {
  method: string;
  path: string;
  headers?: Record<string, string>;
  body?: string;
}

interface Result {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: string;
}

let gatehouse: Gatehouse;
const servers: Server[] = [];
const ports: Record<string, number> = {};

/** Mounted part by part, as the README does it. */
function mountParts(app: { use(prefix: string, handler: Gatehouse['router']): unknown }) {
  const { config } = gatehouse;
  app.use(config.apiPrefix, gatehouse.router);
  app.use(config.uiPrefix, gatehouse.uiRouter);
  app.use(config.staticPrefix, gatehouse.staticFiles);
  app.use('/.well-known', gatehouse.wellKnown);
}

beforeAll(async () => {
  gatehouse = await createGatehouse({
    ...{ jwtSecret, databaseUrl: 'sqlite+aiosqlite:///:memory:', logger: silent },
    ...{ enableAdminRouter: true, enableUiRouter: true, corsOrigins: [origin] },
    trustedProxies: ['127.0.0.1', '10.0.0.0/8'],
  });
  await gatehouse.installSchema();
  const five = express().disable('x-powered-by');
  mountParts(five);
  const four = express4().disable('x-powered-by');
  mountParts(four as never);
  const whole = express().disable('x-powered-by').use(gatehouse.handler);
  const mounts: Record<string, RequestListener> = {
    'node:http': (req, res) => gatehouse.handler(req, res),
    'Express 5': five as unknown as RequestListener,
    'Express 4': four as unknown as RequestListener,
    'Express 5 without prefixes': whole as unknown as RequestListener,
  };
  for (const [name, listener] of Object.entries(mounts)) {
    const server = createServer(listener).listen(0, '127.0.0.1');
    await once(server, 'listening');
    servers.push(server);
    ports[name] = (server.address() as AddressInfo).port;
  }
});
afterAll(async () => {
  for (const server of servers) server.close();
  await gatehouse.close();
});

/** What belongs to a connection, and what is new each time. */
const varying = ['date', 'connection', 'keep-alive', 'transfer-encoding'];
const constant = (headers: Result['headers']) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !varying.includes(name)));

async function overHttp(name: string, { method, path, headers = {}, body }: Sent): Promise<Result> {
  const length = body === undefined ? {} : { 'Content-Length': Buffer.byteLength(body) };
  const sent = request({
    ...{ hostname: '127.0.0.1', port: ports[name], path, method, agent: false },
    headers: { ...headers, ...length },
  }).end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const bytes = await buffer(response);
  return {
    status: response.statusCode!,
    headers: constant(response.headers),
    body: bytes.toString('base64'),
  };
}

async function overFetch({ method, path, headers = {}, body }: Sent): Promise<Result> {
  const response = await gatehouse.fetch(
    new Request(`http://127.0.0.1${path}`, { method, headers, ...(body !== undefined && { body }) }),
  );
  const bytes = Buffer.from(await response.arrayBuffer());
  return {
    status: response.status,
    headers: constant(Object.fromEntries(response.headers)),
    body: bytes.toString('base64'),
  };
}

async function expectSame(sent: Sent): Promise<void> {
  const expected = await overHttp('node:http', sent);
  for (const name of Object.keys(ports)) {
    expect([name, sent, await overHttp(name, sent)]).toEqual([name, sent, expected]);
  }
  // Compression is the runtime's own.
  const { 'Accept-Encoding': encoding, ...headers } = sent.headers ?? {};
  const plain = encoding === undefined ? expected : await overHttp('node:http', { ...sent, headers });
  expect(['fetch', sent, await overFetch(sent)]).toEqual(['fetch', sent, plain]);
}

const json = { 'Content-Type': 'application/json' };

/** Each method of each path that the description of the API names. */
async function describedRoutes(): Promise<[method: string, path: string][]> {
  const response = await gatehouse.fetch(new Request('http://localhost/api/auth/openapi.json'));
  const { paths } = (await response.json()) as { paths: Record<string, object> };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((name): [string, string] => [
      name.toUpperCase(),
      `/api/auth${path.replaceAll(/\{\w+\}/g, 'x')}`,
    ]),
  );
}

describe('the same request gives the same response at every mount', () => {
  test('for every route of the API', async () => {
    const routes = await describedRoutes();
    expect(routes).toContainEqual(['GET', '/api/auth/me']);
    for (const [method, path] of routes) {
      const isRead = method === 'GET';
      const variants: Sent[] = [
        { method, path },
        { method, path: `${path}?x=1&limit=2` },
        { method, path, headers: { Origin: origin } },
        { method, path, headers: { 'X-Forwarded-For': '203.0.113.9, 198.51.100.7, 10.0.0.3' } },
        ...(isRead
          ? []
          : [
              { method, path, headers: { ...json, Authorization: 'Bearer a.b.c' }, body: '{}' },
              { method, path, headers: { 'Content-Type': 'text/plain' }, body: 'x' },
              { method, path, headers: json, body: '{' },
              { method, path, headers: json, body: JSON.stringify({ x: 'x'.repeat(70_000) }) },
            ]),
      ];
      for (const sent of variants) await expectSame(sent);
    }
  });

  test('for GraphQL', async () => {
    const body = JSON.stringify({ query: '{ features { appName } me { id } }' });
    const path = '/api/auth/graphql';
    const variants: Sent[] = [
      { method: 'POST', path, headers: json, body },
      { method: 'POST', path, headers: { ...json, Origin: origin }, body },
      { method: 'POST', path, headers: json, body: '{' },
      { method: 'POST', path, headers: { ...json, Accept: 'application/graphql-response+json' }, body: '{}' },
      { method: 'GET', path: `${path}?query={__typename}` },
      { method: 'GET', path },
      { method: 'DELETE', path },
    ];
    // A document is known from its second request on.
    await overHttp('node:http', variants[0]!);
    for (const sent of variants) await expectSame(sent);
  });

  test.each([
    ['HEAD', '/api/auth/me'],
    ['OPTIONS', '/api/auth/me'],
    ['PUT', '/api/auth/me'],
    ['GET', '/account'],
    ['GET', '/account/login'],
    ['HEAD', '/account/login'],
    ['POST', '/account/login'],
    ['GET', '/svc-static/core.css'],
    ['GET', '/.well-known/change-password'],
  ])('for %s %s', async (method, path) => {
    await expectSame({ method, path });
    await expectSame({ method, path, headers: { 'Accept-Encoding': 'gzip, deflate, br' } });
    await expectSame({ method, path, headers: { 'Accept-Encoding': 'gzip;q=1, br;q=0' } });
  });
});

test('a request of the Fetch standard whose stream is empty has no body', async () => {
  const headers = { 'Content-Length': '0' };
  const empty = new Request('http://localhost/api/auth/logout', { method: 'POST', headers, body: '' });
  expect(empty.body).not.toBeNull();
  expect((await gatehouse.fetch(empty)).status).toBe(401);
});

describe('a path that is not ours', () => {
  test.each([
    ['GET', '/api/auth/nothing'],
    ['GET', '/api/auth/me/'],
    ['GET', '/api/authme'],
    ['GET', '/account/nothing'],
    ['POST', '/account'],
    ['GET', '/svc-static/../package.json'],
    ['GET', '/.well-known/security.txt'],
    ['GET', '/'],
  ])('is left to the host: %s %s', async (method, path) => {
    for (const name of ['Express 5', 'Express 4', 'Express 5 without prefixes']) {
      const { status, body } = await overHttp(name, { method, path });
      expect([name, status]).toEqual([name, 404]);
      expect(Buffer.from(body, 'base64').toString()).toContain(`Cannot ${method}`);
    }
    const problem = { status: 404, headers: { 'content-type': 'application/problem+json' } };
    expect(await overHttp('node:http', { method, path })).toMatchObject(problem);
    expect(await overFetch({ method, path })).toMatchObject(problem);
  });

  // A fragment never leaves a client of the Fetch standard.
  test.each([
    ['GET', '/api/auth/me#x', 404],
    ['GET', '/api/auth/me?x#y', 404],
    ['GET', '/api/auth/%6de', 404],
    ['GET', '/api/auth/admin/users/%E0%A4%A', 404],
    ['GET', '/api/auth/admin/users/..', 404],
    ['GET', '/api/auth\\me', 404],
  ])('is not another spelling of one that is: %s %s', async (method, path, status) => {
    for (const name of Object.keys(ports)) {
      expect([name, (await overHttp(name, { method, path })).status]).toEqual([name, status]);
    }
  });
});
