import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { ConfigInput } from '../../src/config/schema.ts';
import { assemble } from '../../src/gatehouse.ts';
import { createRateLimits, type Limiter, RuntimeError } from '../../src/limits/rate-limit.ts';
import { newAddress } from '../support/people.ts';
import { configOf, forgot, manyLogins, silent, startHost } from './limited-host.ts';

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
