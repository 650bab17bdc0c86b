import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { afterAll, afterEach, beforeAll, describe, expect, inject, test, vi } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import type { ConfigInput } from '../../src/config/schema.ts';
import { assemble } from '../../src/gatehouse.ts';
import { clientOf } from '../../src/limits/client.ts';
import { createRateLimits, type Limiter, RuntimeError } from '../../src/limits/rate-limit.ts';
import { describeEachDriver } from '../support/backends.ts';
import { startRelay } from '../support/relay.ts';
import { type ServerHandle, startRedis } from '../support/servers.ts';

const jwtSecret = 'a secret for tests of more than 32 characters';
const newAddress = () => `${randomUUID()}@example.org`;
const upTo = (count: number) => Array.from({ length: count }, (_, i) => i);

interface Options {
  settings?: ConfigInput;
  limiter?: Limiter;
  /** What the host says about proxies. */
  trustProxy?: string;
}

interface Host {
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Reply>;
  logs: unknown[];
  close(): Promise<void>;
}

interface Reply {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: what a test reads of it, it also expects
  body: any;
}

const silent = { send: async () => {} };

function configOf(settings: ConfigInput = {}) {
  const databaseUrl = 'sqlite+aiosqlite:///:memory:';
  const { config } = loadConfig({
    arguments: { jwtSecret, databaseUrl, ...settings },
    env: {},
    cwd: import.meta.dirname,
  });
  return config;
}

/** An instance in an Express host whose settings a test chooses. */
async function startHost({ settings, limiter, trustProxy }: Options = {}): Promise<Host> {
  const logs: unknown[] = [];
  const log = (fields: object, message: string) => void logs.push({ fields, message });
  const logger = { debug: log, info: log, warn: log, error: log };
  const config = configOf(settings);
  const gatehouse = await assemble(config, { mailer: silent, limiter, logger });
  await gatehouse.installSchema();
  const app = express();
  if (trustProxy) app.set('trust proxy', trustProxy);
  app.use(config.apiPrefix, gatehouse.router);
  const server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${config.apiPrefix}`;
  return {
    logs,
    post: (path, body, headers) => send(`${url}${path}`, body, headers),
    async close() {
      server.close();
      server.closeAllConnections();
      await gatehouse.close();
    },
  };
}

async function send(url: string, body: unknown, headers: Record<string, string> = {}): Promise<Reply> {
  const response = await fetch(url, {
    method: url.endsWith('/account') ? 'DELETE' : 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

const forgot = (host: Host, headers?: Record<string, string>) =>
  host.post('/forgot-password', { email: newAddress() }, headers);
const from = (address: string) => ({ 'X-Forwarded-For': address });
const rateLimitOf = ({ headers }: Reply) =>
  ['Limit', 'Remaining', 'Reset'].map(name => headers.get(`RateLimit-${name}`));

/** What a document of so many logins answers, each for an address of its own. */
function manyLogins(host: Host, count: number) {
  const login = (i: number) =>
    `l${i}: login(input: { email: "${newAddress()}", password: "wrong horse" }) { __typename }`;
  return host.post('/graphql', { query: `mutation { ${upTo(count).map(login).join(' ')} }` });
}

describeEachDriver('a limit counted in the database', backend => {
  let database: Awaited<ReturnType<typeof backend.createDatabase>>;
  let host: Host;
  beforeAll(async () => {
    database = await backend.createDatabase();
    const settings = {
      databaseUrl: database.url,
      forgotPasswordRateLimit: '20/hour',
      loginRateLimit: '5/hour',
    };
    host = await startHost({ settings, trustProxy: 'loopback' });
  });
  afterAll(async () => {
    await host?.close();
    await database?.drop();
  });

  test('lets exactly as many of 40 parallel requests of one client through as it says', async () => {
    // An attacker sends everything at the same moment, so that all are let in before the first is counted.
    const replies = await Promise.all(upTo(40).map(() => forgot(host, from('192.0.2.1'))));
    const statuses = replies.map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array(20).fill(202), ...Array(20).fill(429)]);
  });

  test('refuses with 429 and the second at which the window ends', async () => {
    const login = () =>
      host.post('/login', { email: newAddress(), password: 'wrong horse' }, from('192.0.2.2'));
    for (let i = 0; i < 5; i++) expect((await login()).status).toBe(401);
    const refused = await login();
    expect(refused.status).toBe(429);
    expect(refused.body).toMatchObject({ code: 'rate_limited', status: 429 });
    const seconds = Number(refused.headers.get('Retry-After'));
    expect(seconds).toBeGreaterThan(3500);
    expect(seconds).toBeLessThanOrEqual(3600);
  });

  test('names limit, remainder and reset in headers when it refuses', async () => {
    const login = () =>
      host.post('/login', { email: newAddress(), password: 'wrong horse' }, from('192.0.2.3'));
    for (let i = 0; i < 5; i++) await login();
    const refused = await login();
    expect(rateLimitOf(refused)).toEqual(['5', '0', refused.headers.get('Retry-After')]);
  });
});

describe('a limit', () => {
  let host: Host | undefined;
  afterEach(async () => {
    vi.useRealTimers();
    await host?.close();
    host = undefined;
  });

  test('begins its window with the first request and starts anew after its end', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: new Date('2030-01-01T00:00:30.250Z') });
    host = await startHost({ settings: { forgotPasswordRateLimit: '2/minute' } });
    const statusAfter = async (ms: number) => {
      vi.setSystemTime(Date.now() + ms);
      const { status, headers } = await forgot(host!);
      return [status, headers.get('Retry-After')];
    };
    expect(await statusAfter(0)).toEqual([202, null]);
    expect(await statusAfter(20_000)).toEqual([202, null]);
    expect(await statusAfter(0)).toEqual([429, '40']);
    expect(await statusAfter(39_999)).toEqual([429, '1']);
    expect(await statusAfter(1)).toEqual([202, null]);
    expect(await statusAfter(0)).toEqual([202, null]);
    expect(await statusAfter(0)).toEqual([429, '60']);
  });

  test('of several items is refused by any, and told of by the one that lasts longest', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: new Date('2030-01-01T00:00:00.000Z') });
    host = await startHost({ settings: { forgotPasswordRateLimit: '2/minute;5/hour' } });
    const answers = [];
    for (let i = 0; i < 6; i++) {
      const { status, headers } = await forgot(host);
      answers.push([status, headers.get('Retry-After')]);
    }
    expect(answers).toEqual([
      [202, null],
      [202, null],
      [429, '60'],
      [429, '60'],
      [429, '60'],
      [429, '3600'],
    ]);
    vi.setSystemTime(Date.now() + 60_000);
    expect((await forgot(host)).headers.get('Retry-After')).toBe('3540');
  });

  test('of several items fills the headers with the tightest', async () => {
    host = await startHost({ settings: { forgotPasswordRateLimit: '10/minute;2/hour' } });
    await forgot(host);
    await forgot(host);
    expect(rateLimitOf(await forgot(host))).toEqual(['2', '0', '3600']);
  });

  test('has one bucket for both doors', async () => {
    // An attacker who is refused at one door tries the other.
    host = await startHost({ settings: { loginRateLimit: '4/hour' } });
    const login = () => host!.post('/login', { email: newAddress(), password: 'wrong horse' });
    expect((await login()).status).toBe(401);
    expect((await manyLogins(host, 1)).body.errors[0].extensions.code).toBe('invalid_credentials');
    expect((await login()).status).toBe(401);
    expect((await manyLogins(host, 1)).body.errors[0].extensions.code).toBe('invalid_credentials');
    expect((await login()).status).toBe(429);
    const { extensions } = (await manyLogins(host, 1)).body.errors[0];
    expect(extensions).toMatchObject({ code: 'rate_limited', status: 429, retryAfter: expect.any(Number) });
  });

  test('counts every field of a document, under whatever alias', async () => {
    // An attacker packs his guesses into one request.
    host = await startHost({ settings: { loginRateLimit: '15/hour' } });
    const codes = async () =>
      (await manyLogins(host!, 10)).body.errors.map(
        (e: { extensions: { code: string } }) => e.extensions.code,
      );
    expect(await codes()).toEqual(Array(10).fill('invalid_credentials'));
    expect(await codes()).toEqual([
      ...Array(5).fill('invalid_credentials'),
      ...Array(5).fill('rate_limited'),
    ]);
    expect((await host.post('/login', { email: newAddress(), password: 'wrong horse' })).status).toBe(429);
    expect((await manyLogins(host, 1)).headers.get('Retry-After')).toMatch(/^\d+$/);
  });

  test('counts for its own route alone, and each route has one', async () => {
    const routes = {
      login: '/login',
      register: '/register',
      forgotPassword: '/forgot-password',
      resetPassword: '/reset-password',
      verify: '/verify',
      resendVerification: '/resend-verification',
      changePassword: '/change-password',
      changeEmail: '/change-email',
      confirmEmailChange: '/confirm-email-change',
      deleteAccount: '/account',
    };
    const settings = Object.fromEntries(Object.keys(routes).map(name => [`${name}RateLimit`, '1/hour']));
    host = await startHost({ settings });
    for (const path of Object.values(routes)) expect((await host.post(path, {})).status).not.toBe(429);
    for (const path of Object.values(routes))
      expect([path, (await host.post(path, {})).status]).toEqual([path, 429]);
  });

  test('counts requests that are refused for other reasons too', async () => {
    host = await startHost({ settings: { loginRateLimit: '2/hour' } });
    expect((await host.post('/login', { email: 'no address' })).status).toBe(422);
    expect((await host.post('/login', { email: 'no address' })).status).toBe(422);
    expect((await host.post('/login', { email: 'no address' })).status).toBe(429);
  });

  test('is none where it is not set', async () => {
    host = await startHost({ settings: { loginRateLimit: '1/hour' } });
    for (let i = 0; i < 10; i++) expect((await forgot(host)).status).toBe(202);
  });

  test('ignores X-Forwarded-For unless the host trusts the proxy', async () => {
    // An attacker invents a new client address for every request.
    host = await startHost({ settings: { forgotPasswordRateLimit: '1/hour' } });
    expect((await forgot(host, from('192.0.2.1'))).status).toBe(202);
    const headers = { ...from('192.0.2.2'), Forwarded: 'for=192.0.2.2', 'X-Real-IP': '192.0.2.2' };
    expect((await forgot(host, headers)).status).toBe(429);
  });

  test.each([
    ['192.0.2.1', '192.0.2.2', 'two IPv4 addresses as two', 202],
    ['2001:db8:1:2::1', '2001:db8:1:2:aaaa:bbbb:cccc:dddd', 'all of one IPv6 /64 as one', 429],
    ['2001:db8:1:2::1', '2001:DB8:1:2::1', 'upper case as lower case', 429],
    ['2001:db8:1:2::1', '2001:db8:1:3::1', 'two IPv6 /64 as two', 202],
    ['192.0.2.1', '::ffff:192.0.2.1', 'IPv4 in IPv6 as that IPv4 address', 429],
    ['::ffff:192.0.2.1', '::ffff:192.0.2.2', 'two IPv4 in IPv6 as two', 202],
    ['192.0.2.1', '6.6.6.6, 192.0.2.1', 'what the client itself claims as nothing', 429],
  ])('counts, behind a trusted proxy, %s and then %s: %s', async (first, second, _, status) => {
    host = await startHost({ settings: { forgotPasswordRateLimit: '1/hour' }, trustProxy: 'loopback' });
    expect((await forgot(host, from(first))).status).toBe(202);
    expect((await forgot(host, from(second))).status).toBe(status);
  });
});

describe('a limiter of the host', () => {
  test('is asked with a key of route and client and the items of the configuration, and its word counts', async () => {
    const asked: unknown[] = [];
    const limiter: Limiter = {
      async consume(key, items) {
        asked.push([key, items]);
        return { allowed: asked.length < 2, limit: 7, remaining: 0, resetSeconds: 12.3 };
      },
    };
    const host = await startHost({ settings: { forgotPasswordRateLimit: '10/minute;100/2 hours' }, limiter });
    expect((await forgot(host)).status).toBe(202);
    const refused = await forgot(host);
    expect([refused.status, refused.headers.get('Retry-After')]).toEqual([429, '13']);
    const items = [
      { count: 10, seconds: 60 },
      { count: 100, seconds: 7200 },
    ];
    expect(asked).toEqual(Array(2).fill(['forgot_password:127.0.0.1', items]));
    await host.close();
  });

  test('is not asked for routes without a limit', async () => {
    const consume = vi.fn<Limiter['consume']>();
    const host = await startHost({ settings: { loginRateLimit: '1/hour' }, limiter: { consume } });
    expect((await forgot(host)).status).toBe(202);
    expect(consume).not.toHaveBeenCalled();
    await host.close();
  });

  test.each([
    ['rejects', () => Promise.reject(new Error('secret of the host'))],
    [
      'throws',
      () => {
        throw new Error('secret of the host');
      },
    ],
  ])('that %s lets nobody in: 503', async (_, consume) => {
    // An attacker brings the store of the limits down, so that nothing is counted any more.
    const host = await startHost({ settings: { loginRateLimit: '1/hour' }, limiter: { consume } });
    const reply = await host.post('/login', { email: newAddress(), password: 'wrong horse' });
    expect(reply.status).toBe(503);
    expect(reply.body.code).toBe('unavailable');
    expect(reply.headers.get('Retry-After')).toMatch(/^\d+$/);
    expect(JSON.stringify(reply.body)).not.toContain('secret of the host');
    expect((await manyLogins(host, 1)).body.errors[0].extensions.code).toBe('unavailable');
    await host.close();
  });
});

describe('without the package that counts', () => {
  beforeAll(() => {
    vi.doMock('rate-limiter-flexible', () => {
      throw Object.assign(new Error("Cannot find package 'rate-limiter-flexible'"), {
        code: 'ERR_MODULE_NOT_FOUND',
      });
    });
  });
  afterAll(() => {
    vi.doUnmock('rate-limiter-flexible');
  });
  const log = () => {};
  const logger = { debug: log, info: log, warn: log, error: log };
  const instance = (settings: ConfigInput, limiter?: Limiter) =>
    assemble(configOf(settings), { mailer: silent, limiter, logger });

  test('a limit raises a RuntimeError at the first access to the router, which names the package', async () => {
    // An operator believes that the limits are on while nothing counts.
    const gatehouse = await instance({ verifyRateLimit: '10/minute' });
    expect(() => gatehouse.router).toThrow(RuntimeError);
    expect(() => gatehouse.router).toThrow(/npm install rate-limiter-flexible/);
    await gatehouse.close();
  });

  test('nothing is missed where no limit is set, or where the host has a limiter', async () => {
    const limiter: Limiter = {
      consume: async () => ({ allowed: true, limit: 1, remaining: 1, resetSeconds: 1 }),
    };
    for (const gatehouse of [await instance({}), await instance({ loginRateLimit: '1/hour' }, limiter)]) {
      expect(gatehouse.router).toBeTypeOf('function');
      await gatehouse.close();
    }
  });

  test('limits that nothing can keep are a RuntimeError, and let nothing through', async () => {
    const limits = createRateLimits(configOf({ loginRateLimit: '1/hour' }), null);
    expect(() => limits.assertUsable()).toThrow(RuntimeError);
    await expect(limits.consume('login', '192.0.2.1')).rejects.toThrow(RuntimeError);
    await expect(limits.consume('register', '192.0.2.1')).resolves.toBeUndefined();
  });
});

describe('a client', () => {
  test.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::FFFF:c000:201', '192.0.2.1'],
    ['0:0:0:0:0:ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['::', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['1::2:3:4:5:192.0.2.1', '1:0:2:3::/64'],
    ['64:ff9b::192.0.2.1', '64:ff9b:0:0::/64'],
    // Some proxies add the port, which is another for every connection.
    ['192.0.2.1:50123', '192.0.2.1'],
    ['[2001:db8:1:2::7]:50123', '2001:db8:1:2::/64'],
    ['[2001:db8:1:2::7]', '2001:db8:1:2::/64'],
    ['no address', 'no address'],
    [null, 'none'],
  ])('of the address %s is %s', (ip, client) => {
    expect(clientOf(ip)).toBe(client);
  });
});

describe.skipIf('reason' in inject('redis'))('a limit counted in Redis', () => {
  let redis: ServerHandle;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis?.close());

  const start = (limit: string, rateLimitStoreUrl = redis.url) =>
    startHost({
      settings: { forgotPasswordRateLimit: limit, rateLimitStoreUrl },
      trustProxy: 'loopback',
    });

  test('is shared by every instance, from the first request on', async () => {
    const hosts = [await start('10/hour'), await start('10/hour')];
    const replies = await Promise.all(upTo(30).map(i => forgot(hosts[i % 2]!, from('192.0.2.1'))));
    const statuses = replies.map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array(10).fill(202), ...Array(20).fill(429)]);
    await Promise.all(hosts.map(host => host.close()));
  });

  const refusedSoon = async (host: Host) => {
    const startedAt = performance.now();
    const { status, body } = await forgot(host);
    expect([status, body.code]).toEqual([503, 'unavailable']);
    expect(performance.now() - startedAt).toBeLessThan(3000);
  };
  const servedWithinFiveSeconds = (host: Host) =>
    vi.waitFor(async () => expect((await forgot(host)).status).toBe(202), { timeout: 5000, interval: 50 });

  test('lets nobody in while Redis is away, and serves again when it is back', async () => {
    // An attacker brings Redis down, so that nothing is counted any more.
    const host = await start('1000/hour');
    expect((await forgot(host)).status).toBe(202);
    await redis.kill();
    await refusedSoon(host);
    await redis.start();
    await servedWithinFiveSeconds(host);
    await host.close();
  });

  test('serves again when its connection was lost without a word', async () => {
    // A firewall forgets a connection: Redis is well, and no answer comes by the old way.
    const relay = await startRelay(Number(new URL(redis.url).port));
    const host = await start('1000/hour', `redis://127.0.0.1:${relay.port}`);
    expect((await forgot(host)).status).toBe(202);
    relay.lose();
    await refusedSoon(host);
    await servedWithinFiveSeconds(host);
    await host.close();
    await relay.close();
  });
});
