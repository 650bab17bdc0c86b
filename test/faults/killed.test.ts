import { test } from 'vitest';
import { serve } from '../cli/support.ts';
import { describeEachBackend } from '../support/backends.ts';
import { apiAt, beginAll, expectKept, signUp } from './support.ts';

describeEachBackend(
  'a process that is killed amid writes',
  backend => {
    test('has lost nothing that it acknowledged, and its successor serves at once', async () => {
      const database = await backend.lendDatabase();
      const env = { SVC_DATABASE_URL: database.url, SVC_REQUIRE_VERIFICATION: 'false' };
      const first = await serve([], { env });
      const before = apiAt(first.api);
      const people = await signUp(before, 30);

      const { halfAcknowledged, acts } = beginAll(people, [before]);
      await halfAcknowledged;
      first.signal('SIGKILL');
      const ended = await acts;

      const second = await serve([], { env });
      await expectKept(apiAt(second.api), ended);
      await second.stop();
      await database.drop();
    });
  },
  { only: ['sqlite', 'postgresql', 'mongodb'] },
);
