import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Server, startServer } from '../../src/cli/server.ts';
import { createGatehouse, type Gatehouse } from '../../src/index.ts';
import { jwtSecret } from '../support/app.ts';

let gatehouse: Gatehouse;
let server: Server;

beforeAll(async () => {
  const silent = () => {};
  const logger = { debug: silent, info: silent, warn: silent, error: silent };
  gatehouse = await createGatehouse({
    ...{ jwtSecret, databaseUrl: 'sqlite+aiosqlite:///:memory:', port: 0, logger },
    ...{ enableAdminRouter: true, enableUiRouter: true },
  });
  await gatehouse.installSchema();
  server = await startServer(gatehouse, logger);
});
afterAll(async () => {
  await server.stop();
  await gatehouse.close();
});

/** The status of a request whose target is sent as it is written here: `fetch` would tidy it up. */
async function statusOf(path: string, method = 'GET'): Promise<number> {
  const { hostname, port } = new URL(server.url);
  const sent = request({ hostname, port, path, method, agent: false }).end();
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  answer.resume();
  return answer.statusCode!;
}

/** What the service serves, as a rule of a proxy would name it, and the status that shows that it was reached. */
const served: [path: string, status: number][] = [
  ['/api/auth/admin/users', 401],
  ['/api/auth/admin/users/0190a1b2-0000-7000-8000-000000000000', 401],
  ['/api/auth/me', 401],
  ['/api/auth/graphql?query={__typename}', 200],
  ['/api/auth/openapi.json', 200],
  ['/account/login', 200],
  ['/svc-static/core.css', 200],
  ['/healthz', 200],
];

/** Other spellings of the same path, which some servers take for it and a rule on the plain path does not match. */
const spellings: Record<string, (path: string) => string> = {
  'in upper case': path => path.replace(/[a-z]+(?=[/?.]|$)/, name => name.toUpperCase()),
  'with an encoded letter in the prefix': path => path.replace(/[a-z]/, encoded),
  'with an encoded letter in the route': path => path.replace(/[a-z](?=[^/]*$)/, encoded),
  'with an encoded slash': path => path.replace(/\/(?=[^/]*$)/, '%2F'),
  'with a doubled slash before it': path => `/${path}`,
  'with a doubled slash within': path => path.replace(/\/(?=[^/]*$)/, '//'),
  'with a dot segment': path => path.replace(/\/(?=[^/]*$)/, '/./'),
  'with an encoded dot segment': path => path.replace(/\/(?=[^/]*$)/, '/%2e/'),
  'up and down again': path => path.replace(/\/(?=[^/]*$)/, '/x/../'),
  'from another prefix': path => `/x/..${path}`,
  'with a slash at the end': path => path.replace(/(?=\?|$)/, '/'),
  'with an encoded slash at the end': path => path.replace(/(?=\?|$)/, '%2f'),
  'with a parameter of a segment': path => path.replace(/(?=\?|$)/, ';x'),
  // A legacy parser, which a `#` or a space without a break calls in, turns backslashes into slashes.
  'with backslashes and a fragment': path => `${path.replace(/(?<=.)\//g, '\\')}#`,
  'with a backslash and a byte beyond ASCII': path => `${path.replace(/(?<=.)\//, '\\')}?\u00a0`,
  'with a fragment': path => `${path}#x`,
  'with an encoded zero': path => path.replace(/(?=\?|$)/, '%00'),
};

const encoded = (letter: string) => `%${letter.charCodeAt(0).toString(16)}`;

describe('a path of svc serve', () => {
  test('reaches what is there', async () => {
    for (const [path, status] of served) expect([path, await statusOf(path)]).toEqual([path, status]);
  });

  test.each(Object.entries(spellings))('%s reaches nothing', async (_, spelled) => {
    for (const [path] of served) {
      const other = spelled(path);
      // The pattern of a single user takes any text as the id, encoded or not: it is reached, as the rule says.
      if (other.startsWith(`/api/auth/admin/users/`)) continue;
      // Some are no request target at all, which Node itself refuses.
      expect([other, await statusOf(other)]).toEqual([other, expect.toBeOneOf([404, 400])]);
    }
  });

  test.each([
    '/api/auth/admin/users/..%2f..%2fme',
    '/api/auth/admin/users/%2e%2e',
    '/api/auth/admin/users/..',
    '/api/auth/admin/users/%2e%2e%2f%2e%2e%2fme',
    '/api/auth/admin/users/x%5c..',
    '/api/auth/oauth/%2e%2e/start',
  ])('that climbs within a value reaches nothing: %s', async path => {
    // A proxy that resolves it sees another path than the one that would be served.
    expect(await statusOf(path)).toBe(404);
  });

  test('may hold an encoded value where the pattern has one', async () => {
    expect(await statusOf('/api/auth/admin/pending/ada%40example.org/promote', 'POST')).toBe(401);
    expect(await statusOf('/api/auth/admin/pending/a%2Fb%40example.org/promote', 'POST')).toBe(401);
  });

  test('in absolute form is the path that it holds', async () => {
    expect(await statusOf(`${server.url}/api/auth/me`)).toBe(401);
    expect(await statusOf(`${server.url}/API/auth/me`)).toBe(404);
    expect(await statusOf(`${server.url}/x/../api/auth/me`)).toBe(404);
  });
});
