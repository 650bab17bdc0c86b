import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { outageOf, shown } from '../faults/figures.ts';
import { changingMs, startTraffic } from '../faults/traffic.ts';
import { isMissing } from '../support/needed.ts';
import { startPostgresPair } from '../support/postgres-pair.ts';
import { isProductionRun } from '../support/production.ts';

// A primary and its streaming standby, both named by the URL. A fail-over manager promotes the standby at once: the
// figures are what Gatehouse adds to the time that takes.

/** How long a busy machine may take until everybody is served again, in milliseconds; the figures say how long it took. */
const recoveryMs = 30_000;
vi.setConfig({ testTimeout: 300_000 });

const runs = isProductionRun && !isMissing('postgresql');

describe.skipIf(!runs)('a standby of PostgreSQL is promoted (npm run test:production)', () => {
  async function start() {
    const pair = await startPostgresPair();
    onTestFinished(() => pair.close());
    return { ...pair, traffic: await startTraffic(pair.url) };
  }

  test('after its primary was killed: nothing acknowledged is lost', async ({ annotate }) => {
    const { servers, promote, traffic } = await start();
    const [primary, standby] = servers;
    const { answers, struckAt } = await traffic.suffer({
      strike: () => primary.kill(),
      repair: () => promote(standby),
      recoveryMs,
      withinMs: changingMs,
    });
    await annotate(`PostgreSQL, primary killed: ${shown(outageOf(answers, struckAt))}`, 'figure');
    await traffic.stop();
  });

  test('after its primary hung; a process that has left it does not go back', async ({ annotate }) => {
    const { servers, promote, traffic } = await start();
    const [primary, standby] = servers;
    const { answers, struckAt } = await traffic.suffer({
      strike: async () => primary.pause(),
      repair: () => promote(standby),
      recoveryMs,
      withinMs: changingMs,
    });
    await annotate(`PostgreSQL, primary hangs: ${shown(outageOf(answers, struckAt))}`, 'figure');

    // The former primary wakes up, and does not know that it is none any more.
    primary.resume();
    const [api] = traffic.apis;
    const login = await api!.login('bystander-0@example.org', 'correct horse battery');
    expect((await api!.call('POST', '/logout', undefined, login.token)).status).toBe(200);
    for (const each of traffic.apis) {
      const checks = await Promise.all(Array.from({ length: 40 }, () => each.me(login.token!)));
      expect(new Set(checks.map(({ status }) => status))).toEqual(new Set([401]));
    }
    await traffic.stop();
  });

  test('by turns with its primary, which was shut down in good order', async ({ annotate }) => {
    const { servers, promote, follow, traffic } = await start();
    const [first, second] = servers;
    const there = await traffic.suffer({
      strike: () => first.stop(),
      repair: () => promote(second),
      recoveryMs,
      withinMs: changingMs,
    });
    await annotate(`PostgreSQL, switch-over: ${shown(outageOf(there.answers, there.struckAt))}`, 'figure');
    await follow(first, second);
    const back = await traffic.suffer({
      strike: () => second.stop(),
      repair: () => promote(first),
      recoveryMs,
      withinMs: changingMs,
    });
    await annotate(`PostgreSQL, switch-over back: ${shown(outageOf(back.answers, back.struckAt))}`, 'figure');
    await traffic.stop();
  });
});
