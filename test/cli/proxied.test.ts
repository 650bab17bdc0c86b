import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startServer } from '../../src/cli/server.ts';
import { type ConfigInput, createGatehouse } from '../../src/index.ts';
import { jwtSecret } from '../support/app.ts';

interface Logged {
  level: string;
  message: string;
  fields: Record<string, unknown>;
}

/** A server in this process, and what it has logged. */
async function start(settings: ConfigInput) {
  const records: Logged[] = [];
  const keep = (level: string) => (fields: object, message: string) =>
    void records.push({ level, message, fields: fields as Record<string, unknown> });
  const logger = { debug: keep('debug'), info: keep('info'), warn: keep('warn'), error: keep('error') };
  const gatehouse = await createGatehouse({
    ...{ jwtSecret, databaseUrl: 'sqlite+aiosqlite:///:memory:', port: 0, logger },
    ...settings,
  });
  await gatehouse.installSchema();
  const server = await startServer(gatehouse, logger);
  onTestFinished(async () => {
    await server.stop();
    await gatehouse.close();
  });

  /** Asks, and waits until the record of the request is written. */
  async function get(path: string, headers: Record<string, string | string[]> = {}) {
    const { hostname, port } = new URL(server.url);
    const sent = request({ hostname, port, path, headers, agent: false }).end();
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    await once(answer.resume(), 'close');
    const requestId = String(answer.headers['x-request-id']);
    await expect.poll(() => records.some(({ fields }) => fields.request_id === requestId)).toBe(true);
    return { status: answer.statusCode, requestId };
  }
  const of = (message: RegExp) => records.filter(record => message.test(record.message));
  return { get, of };
}

const trusting = { trustedProxies: ['127.0.0.1'] };
const fresh = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('the id of a request', () => {
  test('is that of a trusted proxy, where it has a sane form', async () => {
    const { get } = await start(trusting);
    for (const id of ['edge-01.x', '8'.repeat(8), `${'a_B-c.9-'.repeat(12)}wxyz`]) {
      expect((await get('/healthz', { 'X-Request-Id': id })).requestId).toBe(id);
    }
  });

  test('is a fresh one where it has not', async () => {
    const { get } = await start(trusting);
    const insane = ['short', 'x'.repeat(101), 'has a space', 'a{"b":1}cdefg', '', 'naïve-name'];
    for (const id of insane) {
      expect((await get('/healthz', { 'X-Request-Id': id })).requestId).toMatch(fresh);
    }
    const two = await get('/healthz', { 'X-Request-Id': ['first-of-two', 'second-of-two'] });
    expect(two.requestId).toMatch(fresh);
  });

  test('is a fresh one where the sender is not trusted', async () => {
    for (const settings of [{}, { trustedProxies: ['10.0.0.0/8'] }]) {
      const { get } = await start(settings);
      expect((await get('/healthz', { 'X-Request-Id': 'planted-by-a-client' })).requestId).toMatch(fresh);
    }
  });
});

describe('X-Forwarded-For', () => {
  const forwarded = { 'X-Forwarded-For': '198.51.100.7' };

  test('of a sender that is not trusted is warned about once', async () => {
    const { get, of } = await start({});
    expect(of(/X-Forwarded-For/)).toEqual([]);
    await get('/api/auth/me');
    expect(of(/X-Forwarded-For/)).toEqual([]);
    await get('/api/auth/me', forwarded);
    await get('/api/auth/me', forwarded);
    expect(of(/X-Forwarded-For/)).toEqual([
      {
        level: 'warn',
        message: expect.stringContaining('trusted_proxies'),
        fields: { sender: '127.0.0.1' },
      },
    ]);
  });

  test('of a trusted proxy is not, and its rightmost address that is not trusted is the client', async () => {
    const trustedProxies = ['127.0.0.1', '10.0.0.0/8'];
    const { get, of } = await start({ trustedProxies, enableAdminRouter: true });
    // A proxy that appends: the first was claimed by the client itself, the last is an inner proxy.
    const appended = { 'X-Forwarded-For': '203.0.113.9, 198.51.100.7, 10.0.0.3' };
    await get('/api/auth/admin/users', forwarded);
    await get('/api/auth/admin/users', appended);
    expect(of(/^audit$/).map(({ fields }) => fields.ip)).toEqual(['198.51.100.7', '198.51.100.7']);
    expect(of(/X-Forwarded-For/)).toEqual([]);
  });
});

test('health checks are logged at debug, other requests at info', async () => {
  const { get, of } = await start({});
  for (const path of ['/healthz', '/readyz', '/api/auth/me', '/absent']) await get(path);
  expect(of(/^request$/).map(({ level, fields }) => [level, fields.route, fields.status])).toEqual([
    ['debug', '/healthz', 200],
    ['debug', '/readyz', 200],
    ['info', '/me', 401],
    ['info', null, 404],
  ]);
});
