import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createGatehouse, type GatehouseOptions } from '../../src/index.ts';
import { dataEncryptionKey, jwtSecret } from '../support/app.ts';
import { silent } from '../support/embedded.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

/** Nothing listens here: the client of Redis would try again and again. */
const noRedis = 'redis://127.0.0.1:1';

test.each<[string, GatehouseOptions, RegExp]>([
  ['a feature', { passwordBreachCheck: '/nowhere/breached', rateLimitStoreUrl: noRedis }, /breached/],
  ['the files of the host', { extraTemplateDirs: ['/nowhere/templates'] }, /nowhere/],
])('a start that fails at %s leaves nothing running', async (_, options, message) => {
  const made = createGatehouse({
    ...{ jwtSecret, dataEncryptionKey, databaseUrl: 'sqlite+aiosqlite:///:memory:', logger: silent },
    ...{ mailStore: 'database', loginRateLimit: '100/minute' },
    ...options,
  });
  await expect(made).rejects.toThrow(message);
  // A part that polls or connects again would go on for ever.
  await vi.advanceTimersByTimeAsync(60_000);
  expect(vi.getTimerCount()).toBe(0);
});
