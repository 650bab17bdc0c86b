import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { parseDatabaseUrl } from '../../../src/config/database-url.ts';
import { DurableHandlers } from '../../../src/features/durable-handlers/handlers.ts';
import { openStorage, type Storage } from '../../../src/storage/open.ts';
import { createTestGatehouse } from '../../../src/testing/index.ts';
import { describeEachDriver, type TestDatabase } from '../../support/backends.ts';
import { eventually } from '../../support/eventually.ts';
import { storageOptions } from '../../support/storage.ts';
import { openProcess } from '../../support/stored-jobs.ts';

const monthMs = 30 * 86_400_000;

describeEachDriver('durable handlers', backend => {
  let database: TestDatabase;
  let storage: Storage;
  beforeAll(async () => {
    database = await backend.lendDatabase();
    storage = await openStorage(parseDatabaseUrl(database.url, 'gatehouse'), storageOptions());
    await storage.install();
  });
  const closings: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const close of closings.splice(0)) await close();
    for (const { id } of await listed()) await rows().remove(id);
  });
  afterAll(async () => {
    await storage?.close();
    await database?.drop();
  });
  const rows = () => storage.repositories.outbox;
  const listed = () => rows().list({}, { limit: 100 });
  const event = (number: number) => ({ user: { id: String(number) } });

  function openStore() {
    const opened = openProcess(rows());
    closings.push(() => opened.store.drain(1000));
    return opened;
  }

  function startHost() {
    const opened = openStore();
    return { ...opened, handlers: new DurableHandlers({ ...opened, timeoutMs: 200 }) };
  }

  test('get each event once when they return, an object of their own, and an id', async () => {
    const { handlers, store } = startHost();
    const got: unknown[] = [];
    handlers.on('user_updated', 'crm', (event: object, { id, attempt }) => {
      got.push([structuredClone(event), typeof id, attempt]);
      Object.assign(event, { changed: true });
    });
    handlers.on('user_updated', 'mailing-list', (event: object) => void got.push(event));
    const content = event(1);
    await handlers.record('user_updated', content);
    await handlers.record('user_deleted', content);
    await store.settled();
    expect(got).toHaveLength(2);
    expect(got).toContainEqual([content, 'string', 1]);
    expect(got).toContainEqual(content);
    expect(await listed()).toEqual([]);
    expect(handlers.counts).toMatchObject({ crm: { taken: 1, failed: 0, dead: 0 } });
  });

  test('that throw, or do not return, are run again with the same id', async () => {
    const { handlers, store, poll, logger } = startHost();
    const tries: string[] = [];
    const outcomes = [
      () => Promise.reject(Object.assign(new Error('no'), { code: 'ECRM' })),
      () => new Promise(() => {}),
      async () => {},
    ];
    handlers.on('user_updated', 'crm', (_, { id }) => outcomes[tries.push(id) - 1]!());
    await handlers.record('user_updated', event(1));
    for (const [tried, lastError] of [
      [1, 'ECRM'],
      [2, 'ETIMEDOUT: the sender did not finish in time'],
    ] as const) {
      await store.settled();
      expect(tries).toHaveLength(tried);
      const [row] = await listed();
      expect(row).toMatchObject({ kind: 'event', recipient: 'crm', state: 'waiting' });
      expect(lastError).toContain(row!.lastError);
      await rows().retry(row!.id, monthMs);
      poll();
      await eventually(() => expect(tries).toHaveLength(tried + 1));
    }
    await store.settled();
    expect(new Set(tries).size).toBe(1);
    expect(await listed()).toEqual([]);
    expect(logger.records[0]).toMatchObject({
      level: 'warn',
      fields: { handler: 'crm', event: 'user_updated', attempt: 1, code: 'ECRM' },
    });
  });

  test('that no process has leave their events stored, for the process that has them again', async () => {
    const former = startHost();
    const stop = former.handlers.on('user_updated', 'crm', () => Promise.reject(new Error('no')));
    await former.handlers.record('user_updated', event(1));
    await former.store.settled();
    stop();
    const [row] = await listed();
    await rows().retry(row!.id, monthMs);
    const other = startHost();
    other.handlers.on('user_deleted', 'crm', () => {});
    for (const { poll, store } of [former, other]) {
      poll();
      await store.settled();
    }
    expect(await listed()).toMatchObject([{ state: 'waiting', attempts: 0 }]);
    const later = startHost();
    const got: object[] = [];
    later.handlers.on('user_updated', 'crm', event => void got.push(event));
    later.poll();
    await eventually(() => expect(got).toEqual([event(1)]));
  });

  test('have names, and one handler of an event under each', () => {
    const { handlers } = startHost();
    handlers.on('user_updated', 'crm', () => {});
    expect(() => handlers.on('user_updated', 'crm', () => {})).toThrow('choose another name');
    expect(() => handlers.on('user_updated', 'a b', () => {})).toThrow('letters, digits');
  });
});

test('an instance for tests takes them where the application stores its mails', async () => {
  const gatehouse = await createTestGatehouse({ configFile: false, mailStore: 'database' });
  const got: string[] = [];
  gatehouse.on('user_registered', ({ user }) => void got.push(user.id), { durable: 'crm' });
  const { user } = await gatehouse.createUser();
  await gatehouse.close();
  expect(got).toEqual([user.id]);
});
