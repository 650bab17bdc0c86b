import { describe, onTestFinished, test } from 'vitest';
import { isMissing } from '../support/needed.ts';
import { serverNames } from '../support/projects.ts';
import { startMongo, startPostgres } from '../support/servers.ts';
import { startTraffic } from './traffic.ts';

/** What CONTRACT §4.5 gives service once the database is back, in milliseconds. */
const recoveryMs = 5000;

const missing: string[] = serverNames.filter(isMissing);

describe.for([
  ['postgresql', startPostgres, (url: string) => url.replace(':', '+asyncpg:')],
  ['mongodb', startMongo, (url: string) => `${url}svc`],
  ['mongodb-replica', () => startMongo({ replicaSet: true }), (url: string) => url.replace('/?', '/svc?')],
] as const)('a database server that is killed amid writes (%s)', ([name, start, toUrl]) => {
  test.skipIf(missing.includes(name))(
    'has lost nothing that two processes acknowledged, and they go on when it is back',
    async () => {
      // The database server runs out of memory or its machine dies, in the midst of what people ask for.
      const server = await start();
      onTestFinished(() => server.close());
      const traffic = await startTraffic(toUrl(server.url));
      await traffic.suffer({
        ...{ strike: () => server.kill(), isAway: true },
        ...{ repair: () => server.start(), recoveryMs },
      });
      await traffic.stop();
    },
  );
});
