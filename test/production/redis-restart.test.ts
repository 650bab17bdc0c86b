import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { serve } from '../cli/support.ts';
import { outageOf, shown } from '../faults/figures.ts';
import { type Answer, type Api, apiAt, signUp } from '../faults/support.ts';
import { isMissing } from '../support/needed.ts';
import { isProductionRun } from '../support/production.ts';
import { type ServerHandle, startRedis } from '../support/servers.ts';

/** How long a busy machine may take until everybody is served again, in milliseconds; the figures say how long it took. */
const recoveryMs = 30_000;
vi.setConfig({ testTimeout: 300_000 });

const runs = isProductionRun && !isMissing('redis');

describe.skipIf(!runs)('Redis counts requests, and (npm run test:production)', () => {
  const faults: [string, (redis: ServerHandle) => Promise<void>][] = [
    ['is restarted', async redis => redis.stop().then(() => redis.start())],
    ['is killed and started again', async redis => redis.kill().then(() => redis.start())],
  ];
  test.for(faults)('%s amid traffic: sessions go on', async ([what, fault], { annotate }) => {
    const redis = await startRedis();
    onTestFinished(() => redis.close());
    const env = {
      SVC_REQUIRE_VERIFICATION: 'false',
      SVC_RATE_LIMIT_STORE_URL: redis.url,
      SVC_FORGOT_PASSWORD_RATE_LIMIT: '1000000/hour',
    };
    const { api: url, stop } = await serve([], { env });
    const api: Api = apiAt(url);
    const [person] = await signUp(api, 1);
    const [limited, unlimited]: [Answer[], Answer[]] = [[], []];
    let isOver = false;
    const goOn = async (answers: Answer[], ask: () => Promise<Answer>) => {
      while (!isOver) {
        answers.push(await ask());
        await sleep(5);
      }
    };
    const forgot = () => api.call('POST', '/forgot-password', { email: 'nobody@example.org' });
    const clients = [goOn(limited, forgot), goOn(unlimited, () => api.me(person!.token))];
    await expect.poll(() => limited.length, { timeout: recoveryMs }).toBeGreaterThan(20);
    const struckAt = performance.now();
    await fault(redis);
    const count = limited.length;
    await expect
      .poll(() => limited.slice(count).some(({ status }) => status === 202), { timeout: recoveryMs })
      .toBe(true);
    isOver = true;
    await Promise.all(clients);
    expect(new Set(unlimited.map(({ status }) => status))).toEqual(new Set([200]));
    expect(limited.filter(({ status, code }) => status !== 202 && code !== 'unavailable')).toEqual([]);
    await annotate(`Redis ${what}, requests with a limit: ${shown(outageOf(limited, struckAt))}`, 'figure');
    expect((await stop()).code).toBe(0);
  });
});
