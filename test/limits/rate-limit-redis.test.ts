import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { isMissing } from '../support/needed.ts';
import { upTo } from '../support/people.ts';
import { startRelay } from '../support/relay.ts';
import { type ServerHandle, startRedis } from '../support/servers.ts';
import { forgot, from, type Host, startHost } from './limited-host.ts';

describe.skipIf(isMissing('redis'))('a limit counted in Redis', () => {
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

  test('holds no longer than its window, whatever the clock of Redis was', async () => {
    const host = await start('1/hour');
    const { Redis } = await import('ioredis');
    const client = new Redis(redis.url);
    const ask = () => forgot(host, from('192.0.2.2'));
    expect((await ask()).status).toBe(202);
    const [key = ''] = await client.keys('*forgot_password:192.0.2.2');
    await client.pexpire(key, 365 * 86_400_000);
    const refused = await ask();
    expect([refused.status, refused.headers.get('Retry-After')]).toEqual([429, '3600']);
    expect(await client.pttl(key)).toBeLessThanOrEqual(3_600_000);
    expect(await client.get(key)).toBe('2');
    client.disconnect();
    await host.close();
  });

  const refusedSoon = async (host: Host) => {
    const startedAt = performance.now();
    const { status, body } = await forgot(host);
    expect([status, body.code]).toEqual([503, 'unavailable']);
    expect(performance.now() - startedAt).toBeLessThan(15_000);
  };

  const servedWithinFiveSeconds = (host: Host) =>
    vi.waitFor(async () => expect((await forgot(host)).status).toBe(202), { timeout: 5000, interval: 50 });

  test('refuses sign-ins while Redis is away, and serves again when it is back', async () => {
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
