import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { parseDatabaseUrl } from '../../src/config/database-url.ts';
import { loadConfig } from '../../src/config/load.ts';
import { purgeExpired } from '../../src/domain/maintenance.ts';
import { openStorage, type Storage } from '../../src/storage/open.ts';
import { jwtSecret } from '../support/app.ts';
import { describeEachDriver, type TestDatabase } from '../support/backends.ts';
import { storageOptions } from '../support/storage.ts';
import { code } from './records.ts';

const day = 86_400_000;
const daysAgo = (days: number) => new Date(Date.now() - days * day);

describeEachDriver('a purge', backend => {
  let database: TestDatabase;
  let storage: Storage;
  let calls = 0;
  beforeAll(async () => {
    database = await backend.lendDatabase();
    const onCall = () => void calls++;
    storage = await openStorage(parseDatabaseUrl(database.url, 'gatehouse'), { ...storageOptions(), onCall });
    await storage.install();
  });
  afterAll(async () => {
    await storage?.close();
    await database?.drop();
  });

  test('removes every row that has ended in parts, so that no statement is long, and no other row', async () => {
    const { blacklist, rows } = storage.repositories;
    for (let i = 0; i < 5; i++) await blacklist.add({ jti: `old-${i}`, exp: daysAgo(2) });
    await blacklist.add({ jti: 'new', exp: daysAgo(0) });
    const before = calls;
    expect(await rows.purgeEnded('blacklist', new Date(), 0, 2)).toBe(5);
    // Parts of 2, 2, 1 and none.
    expect(calls - before).toBe(4);
    expect(await rows.purgeEnded('blacklist', new Date(), 0, 2)).toBe(0);
    expect(await blacklist.has('new')).toBe(true);
  });

  test('removes more rows than one part has', async () => {
    const { blacklist, rows } = storage.repositories;
    await blacklist.addMany(Array.from({ length: 1001 }, (_, i) => ({ jti: `${i}`, exp: daysAgo(2) })));
    expect(await rows.purgeEnded('blacklist', new Date(), 0)).toBe(1001);
  });

  test('of one table that fails keeps no other table from being purged, and is told', async () => {
    const { repositories } = storage;
    await repositories.blacklist.add({ jti: 'ended', exp: daysAgo(2) });
    await repositories.mfa_codes.replace(code({ expiresAt: daysAgo(2) }));
    const failure = new Error('too slow');
    const purgeEnded: typeof repositories.rows.purgeEnded = async (name, ...others) => {
      if (name === 'pending') throw failure;
      return repositories.rows.purgeEnded(name, ...others);
    };
    const { config } = loadConfig({ arguments: { jwtSecret }, env: {}, cwd: import.meta.dirname });
    const parts = { config, clock: systemClock, databaseNow: storage.now };
    const failing = { ...repositories, rows: { ...repositories.rows, purgeEnded } };
    await expect(purgeExpired({ ...parts, repositories: failing })).rejects.toBe(failure);
    const left = await purgeExpired({ ...parts, repositories });
    expect(left).toMatchObject({ blacklist: 0, mfa_codes: 0 });
  });
});
