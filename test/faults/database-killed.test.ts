import { describe, onTestFinished, test } from 'vitest';
import { breakables } from '../support/breakable.ts';
import { startTraffic } from './traffic.ts';

/** What CONTRACT §4.5 gives service once the database is back, in milliseconds. */
const recoveryMs = 5000;

describe.for(breakables)('a database server that is killed amid writes ($name)', kind => {
  test.skipIf(kind.isMissing)(
    'has lost nothing that two processes acknowledged, and they go on when it is back',
    async () => {
      // The database server runs out of memory or its machine dies, in the midst of what people ask for.
      const server = await kind.start();
      onTestFinished(() => server.close());
      const traffic = await startTraffic(kind.databaseUrlOf(server));
      await traffic.suffer({
        ...{ strike: () => server.kill(), isAway: true },
        ...{ repair: () => server.start(), recoveryMs },
      });
      await traffic.stop();
    },
  );
});
