import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { clientOf } from '../../src/limits/client.ts';
import { describeEachDriver } from '../support/backends.ts';
import { newAddress, upTo } from '../support/people.ts';
import { totpSettings } from '../support/totp.ts';
import { forgot, from, type Host, manyLogins, rateLimitOf, startHost } from './limited-host.ts';

describeEachDriver('a limit counted in the database', backend => {
  let database: Awaited<ReturnType<typeof backend.createDatabase>>;
  let host: Host;
  beforeAll(async () => {
    database = await backend.lendDatabase();
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

  test('of a clock that was a year ahead holds no longer than its window from the first request on', async () => {
    const hourMs = 3_600_000;
    const now = Date.now();
    onTestFinished(() => void vi.useRealTimers());
    vi.useFakeTimers({ toFake: ['Date'], now: now + 365 * 24 * hourMs });
    const ask = () => forgot(host, from('192.0.2.4'));
    for (let i = 0; i < 5; i++) expect((await ask()).status).toBe(202);

    vi.setSystemTime(now);
    // The earlier count still holds: of many parallel requests, as many get through as are left.
    const replies = await Promise.all(upTo(40).map(ask));
    expect(replies.filter(({ status }) => status === 202)).toHaveLength(15);
    const refused = await ask();
    expect([refused.status, refused.headers.get('Retry-After')]).toEqual([429, '3600']);
    vi.setSystemTime(now + hourMs - 1);
    expect((await ask()).headers.get('Retry-After')).toBe('1');
    vi.setSystemTime(now + hourMs);
    expect((await ask()).status).toBe(202);
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
      acceptInvitation: '/accept-invitation',
      verify: '/verify',
      resendVerification: '/resend-verification',
      changePassword: '/change-password',
      changeEmail: '/change-email',
      confirmEmailChange: '/confirm-email-change',
      deleteAccount: '/account',
      loginMfaConfirm: '/login/mfa-confirm',
      reauthenticate: '/reauthenticate',
      totpConfirm: '/totp/confirm',
      recoveryCodes: '/recovery-codes',
    };
    const limits = Object.fromEntries(Object.keys(routes).map(name => [`${name}RateLimit`, '1/hour']));
    host = await startHost({ settings: { ...totpSettings, ...limits } });
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
    // Some proxies add the port, which is another for every connection.
    ['192.0.2.1:50123', '192.0.2.1:50124', 'two connections of one client as one', 429],
    ['[2001:db8:1:2::7]:50123', '[2001:db8:1:2::7]:50124', 'two of one IPv6 client as one', 429],
    ['192.0.2.1', '6.6.6.6, 192.0.2.1', 'what the client itself claims as nothing', 429],
  ])('counts, behind a trusted proxy, %s and then %s: %s', async (first, second, _, status) => {
    host = await startHost({ settings: { forgotPasswordRateLimit: '1/hour' }, trustProxy: 'loopback' });
    expect((await forgot(host, from(first))).status).toBe(202);
    expect((await forgot(host, from(second))).status).toBe(status);
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
    ['no address', 'no address'],
    [null, 'none'],
  ])('of the address %s is %s', (ip, client) => {
    expect(clientOf(ip)).toBe(client);
  });
});
