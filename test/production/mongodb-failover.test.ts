import { describe, onTestFinished, test, vi } from 'vitest';
import { outageOf, shown } from '../faults/figures.ts';
import { startTraffic } from '../faults/traffic.ts';
import { type MongoSet, startMongoSet } from '../support/mongo-set.ts';
import { isMissing } from '../support/needed.ts';
import { isProductionRun } from '../support/production.ts';

/**
 * How long a busy machine may take until everybody is served again, in milliseconds; the figures say how long it took. The
 * members wait ten seconds for a former primary before they elect another (electionTimeoutMillis).
 */
const recoveryMs = 60_000;
vi.setConfig({ testTimeout: 300_000 });

const runs = isProductionRun && !isMissing('mongodb');

describe.skipIf(!runs)('a replica set of three MongoDB servers (npm run test:production)', () => {
  async function start() {
    const set = await startMongoSet();
    onTestFinished(() => set.close());
    return { set, traffic: await startTraffic(set.url) };
  }

  test('whose primary steps down, three times, loses nothing acknowledged', async ({ annotate }) => {
    const { set, traffic } = await start();
    for (let i = 1; i <= 3; i++) {
      const { answers, struckAt } = await traffic.suffer({
        strike: () => set.stepDown(),
        repair: async () => void (await set.primary()),
        recoveryMs,
      });
      await annotate(`MongoDB, step-down ${i}: ${shown(outageOf(answers, struckAt))}`, 'figure');
    }
    await traffic.stop();
  });

  const faults: [string, (set: MongoSet) => Promise<void>][] = [
    ['is killed', async set => (await set.primary()).kill()],
    ['hangs', async set => (await set.primary()).pause()],
  ];
  test.for(faults)('whose primary %s loses nothing acknowledged', async ([what, strike], { annotate }) => {
    const { set, traffic } = await start();
    const { answers, struckAt } = await traffic.suffer({
      strike: () => strike(set),
      repair: async () => {},
      recoveryMs,
    });
    await annotate(`MongoDB, primary ${what}: ${shown(outageOf(answers, struckAt))}`, 'figure');
    await traffic.stop();
  });
});
