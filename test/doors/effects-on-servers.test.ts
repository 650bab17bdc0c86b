import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeEachBackend, type TestDatabase } from '../support/backends.ts';
import { doors, type OperationName } from '../support/doors.ts';
import { type Oidc, startOidc } from '../support/oidc.ts';
import { calls } from './effect-inputs.ts';
import { openSites } from './effects.ts';

// Every operation runs on each database: here on the servers, and in effects.test.ts on SQLite. So a story needs not be told
// on all three for the sake of its operations.

let oidc: Oidc;
let sites: ReturnType<typeof openSites>;
beforeAll(async () => {
  oidc = await startOidc();
  sites = openSites(oidc);
});
afterAll(async () => {
  await sites?.close();
  await oidc?.close();
});

/** The effects of each operation on SQLite. Through which door makes no difference, as effects.test.ts shows. */
const onSqlite = new Map<OperationName, Awaited<ReturnType<typeof sites.through>>>();

describeEachBackend(
  'the effects of an operation are those that it has on SQLite',
  ({ name: kind, createDatabase }) => {
    // Each door is taken on one of the servers.
    const door = doors[kind === 'postgresql' ? 0 : 1]!;
    let database: TestDatabase;
    beforeAll(async () => {
      database = await createDatabase();
    });
    afterAll(async () => {
      await sites.close();
      await database?.drop();
    });

    test.each(Object.keys(calls) as OperationName[])('%s', async name => {
      const { good } = calls[name];
      const expected = onSqlite.get(name) ?? (await sites.through(door, name, good));
      onSqlite.set(name, expected);
      const effects = await sites.through(door, name, good, { databaseUrl: database.url });
      expect(effects).toMatchObject({ outcome: 'ok' });
      expect(effects).toEqual(expected);
    });
  },
  { only: ['postgresql', 'mongodb'] },
);
