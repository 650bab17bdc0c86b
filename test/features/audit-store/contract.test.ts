import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { parseDatabaseUrl } from '../../../src/config/database-url.ts';
import type { StoredAuditRecord } from '../../../src/features/audit-store/table.ts';
import { openStorage, type Storage } from '../../../src/storage/open.ts';
import { at, hostile, auditRecord as record } from '../../storage/records.ts';
import { describeEachBackend, type TestDatabase } from '../../support/backends.ts';
import { storageOptions } from '../../support/storage.ts';

describeEachBackend('stored audit records', backend => {
  let database: TestDatabase;
  let storage: Storage;
  let rows: Storage['repositories']['audit'];
  beforeAll(async () => {
    database = await backend.lendDatabase();
    storage = await openStorage(parseDatabaseUrl(database.url, 'gatehouse'), storageOptions());
    await storage.install();
    rows = storage.repositories.audit;
  });
  afterAll(async () => {
    await storage?.close();
    await database?.drop();
  });
  beforeEach(async () => void (await rows.purge(at(1e9))));

  const all = { limit: 100 };
  const add = async (...records: StoredAuditRecord[]) => {
    for (const each of records) await rows.add(each);
    return records;
  };

  test('come back as they were stored, newest first, whatever order they came in', async () => {
    const [old, recent] = await add(
      record(10, { operation: hostile, actor: hostile, code: hostile, changes: 'a,b', requestId: null }),
      record(30, { subject: null, ip: null, device: null }),
    );
    const [late] = await add(record(20));
    expect(await rows.list({}, all)).toEqual([recent, late, old]);
  });

  test('are found by each filter, by several, and by a span of time that includes its begin alone', async () => {
    const [a, b, c, d] = await add(
      record(10, { actor: 'root', subject: 'ada', operation: 'adminUnlock', by: 'admin' }),
      record(20, { subject: 'ada', outcome: 'refused' }),
      record(30, { subject: 'grace', outcome: 'refused' }),
      record(40, { subject: 'ada', operation: 'logout', actor: 'ada' }),
    );
    const found = (only: Parameters<typeof rows.list>[0]) => rows.list(only, all);
    expect(await found({ subject: 'ada' })).toEqual([d, b, a]);
    expect(await found({ subject: 'ada', by: 'self' })).toEqual([d, b]);
    expect(await found({ actor: 'root' })).toEqual([a]);
    expect(await found({ operation: 'login' })).toEqual([c, b]);
    expect(await found({ outcome: 'refused' })).toEqual([c, b]);
    expect(await found({ operation: 'login', outcome: 'refused', subject: 'ada' })).toEqual([b]);
    expect(await found({ operation: 'login', outcome: 'refused' })).toEqual([c, b]);
    expect(await found({ operation: 'login', outcome: 'ok' })).toEqual([]);
    expect(await found({ since: at(20), until: at(40) })).toEqual([c, b]);
    expect(await found({ since: at(20), subject: 'ada', until: at(40) })).toEqual([b]);
    expect(await found({ actor: hostile })).toEqual([]);
  });

  test('are paged by the id of the last one, and one that arrives meanwhile neither doubles nor hides another', async () => {
    const stored = await add(...[10, 20, 20, 30, 40].map(ms => record(ms)));
    const newest = stored.toReversed().map(({ id }) => id);
    const seen: string[] = [];
    for (let after: string | null = null; ; ) {
      const page = await rows.list({ until: at(1000) }, { after, limit: 2 });
      seen.push(...page.map(({ id }) => id));
      if (page.length < 2) break;
      after = page.at(-1)!.id;
      await add(record(50 + seen.length));
    }
    expect(seen).toEqual(newest);
    expect(await rows.list({ since: at(20) }, { after: newest[1]!, limit: 9 })).toHaveLength(2);
    expect(await rows.list({ until: at(20) }, { after: newest[0]!, limit: 9 })).toHaveLength(1);
  });

  test('that are folded are one row, however many come at once, and their first is kept', async () => {
    const [first] = await add(record(10, { fold: 'a', requestId: 'first' }));
    await add(record(10, { fold: 'b' }), record(10), record(10));
    await Promise.all(
      Array.from({ length: 40 }, (_, i) => rows.add(record(20 + i, { fold: 'a', count: 2 }))),
    );
    const [...found] = await rows.list({}, all);
    expect(found).toHaveLength(4);
    expect(found.find(({ fold }) => fold === 'a')).toEqual({ ...first, count: 81 });
    expect(await rows.list({}, all)).toContainEqual(expect.objectContaining({ fold: 'b', count: 1 }));
  });

  test('are removed before a time, in parts, and no others', async () => {
    const stored = await add(...[10, 20, 30, 40, 50, 60].map(ms => record(ms)));
    expect(await rows.purge(at(50), 2)).toBe(4);
    expect(await rows.list({}, all)).toEqual(stored.slice(4).toReversed());
    expect(await rows.purge(at(50), 2)).toBe(0);
  });
});
