import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseDatabaseUrl } from '../../src/config/database-url.ts';
import { openStorage, type Storage } from '../../src/storage/open.ts';
import { describeEachBackend, type TestDatabase } from '../support/backends.ts';
import { storageOptions } from '../support/storage.ts';
import { at, counter, pendingRow, winners } from './records.ts';

describeEachBackend('storage', backend => {
  let database: TestDatabase;
  let storage: Storage;
  beforeAll(async () => {
    database = await backend.lendDatabase();
    storage = await openStorage(parseDatabaseUrl(database.url, 'gatehouse'), storageOptions());
    await storage.install();
  });
  afterAll(async () => {
    await storage?.close();
    await database?.drop();
  });

  describe('pending registrations', () => {
    test('are one per address: a new one replaces the old as a whole, and the old link is dead', async () => {
      const { pending } = storage.repositories;
      const first = pendingRow({ fullName: 'Old', userId: 'u' });
      await pending.add(first);
      const second = {
        ...first,
        tokenHash: `new-${counter.value}`,
        fullName: null,
        userId: null,
        expiresAt: at(2000),
      };
      expect(await pending.supersede(first, second)).toBe(true);
      expect(await pending.find(first.email)).toEqual(second);
      expect(await pending.findByTokenHash(first.tokenHash)).toBeNull();
      expect(await pending.findByTokenHash(second.tokenHash)).toEqual(second);
    });

    test('are taken once, and not when a new link has replaced the one that was read', async () => {
      const { pending } = storage.repositories;
      const row = pendingRow();
      await pending.add(row);
      expect(await pending.consume({ ...row, tokenHash: 'another' })).toBe(false);
      expect(await winners(40, () => pending.consume(row))).toBe(1);
      expect(await pending.find(row.email)).toBeNull();
    });
  });

  describe('registrations of one address', () => {
    const link = (fields = {}) => ({
      tokenHash: `another-${++counter.value}`,
      fullName: 'Another',
      createdAt: at(50),
      expiresAt: at(2000),
      ...fields,
    });

    test('of 40 that are added at once, one is', async () => {
      const { pending } = storage.repositories;
      const email = pendingRow().email;
      expect(await winners(40, i => pending.add(pendingRow({ email, tokenHash: `${email}-${i}` })))).toBe(1);
    });

    test('are contested with a link of their own, or with the one that is there; no password is kept', async () => {
      const { pending } = storage.repositories;
      const first = pendingRow({ fullName: 'First' });
      await pending.add(first);
      expect(await pending.contest(first.email, at(999), {})).toBe(true);
      const contested = { ...first, hashedPassword: null, isContested: true };
      expect(await pending.find(first.email)).toEqual(contested);
      const replacement = link();
      expect(await pending.contest(first.email, at(999), replacement)).toBe(true);
      expect(await pending.find(first.email)).toEqual({ ...contested, ...replacement });
      expect(await pending.findByTokenHash(first.tokenHash)).toBeNull();
      expect(await pending.listAndCount({ search: first.email }, at(999), 10)).toMatchObject({
        rows: [{ isContested: true }],
        total: 1,
      });
    });

    test('are not contested once they have ended, are claimed, or verify a user', async () => {
      const { pending } = storage.repositories;
      const [waiting, ofUser] = [pendingRow(), pendingRow({ userId: 'u', hashedPassword: null })];
      for (const row of [waiting, ofUser]) await pending.add(row);
      expect(await pending.contest(waiting.email, waiting.expiresAt, link())).toBe(false);
      expect(await pending.contest(ofUser.email, at(999), link())).toBe(false);
      expect(await pending.contest(pendingRow().email, at(999), link())).toBe(false);
      expect(await pending.claim(waiting, at(10))).toBe(true);
      expect(await pending.contest(waiting.email, at(999), link())).toBe(false);
      expect(await pending.find(waiting.email)).toEqual({ ...waiting, claimedAt: at(10) });
      expect(await pending.find(ofUser.email)).toEqual(ofUser);
    });

    test('are claimed only as they were read', async () => {
      const { pending } = storage.repositories;
      const [replaced, contested, ofUser] = [pendingRow(), pendingRow(), pendingRow({ userId: 'u' })];
      for (const row of [replaced, contested, ofUser]) await pending.add(row);
      await pending.contest(replaced.email, at(1), link());
      await pending.contest(contested.email, at(1), {});
      for (const row of [replaced, contested, ofUser]) expect(await pending.claim(row, at(2))).toBe(false);
      const read = (await pending.find(contested.email))!;
      expect(await winners(20, () => pending.claim(read, at(2)))).toBe(20);
    });

    test('of 40 that replace one that has ended at once, one does', async () => {
      const { pending } = storage.repositories;
      const former = pendingRow({ isContested: true, claimedAt: at(1), hashedPassword: null });
      await pending.add(former);
      const rows = Array.from({ length: 40 }, () => pendingRow({ email: former.email }));
      expect(await winners(40, i => pending.supersede(former, rows[i]!))).toBe(1);
      const stored = (await pending.find(former.email))!;
      expect(stored).toEqual(rows.find(({ tokenHash }) => tokenHash === stored.tokenHash));
    });

    test('go with the account beside which they were pending, and with no other one', async () => {
      const { pending } = storage.repositories;
      const [waiting, ofUser] = [pendingRow(), pendingRow({ userId: 'u' })];
      for (const row of [waiting, ofUser]) await pending.add(row);
      const isThere = async (row: { email: string }) => (await pending.find(row.email)) !== null;
      await pending.removeBeside({ id: 'u', email: waiting.email }, null);
      await pending.removeBeside({ id: 'u', email: waiting.email }, { ...waiting, tokenHash: 'of before' });
      await pending.removeBeside({ id: 'other', email: ofUser.email }, ofUser);
      expect([await isThere(waiting), await isThere(ofUser)]).toEqual([true, true]);
      await pending.removeBeside({ id: 'u', email: ofUser.email }, ofUser);
      await pending.removeBeside({ id: 'u', email: waiting.email }, waiting);
      expect([await isThere(waiting), await isThere(ofUser)]).toEqual([false, false]);
    });
  });
});
