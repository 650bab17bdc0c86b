import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseDatabaseUrl } from '../../src/config/database-url.ts';
import { openStorage, type Storage } from '../../src/storage/open.ts';
import { describeEachBackend, type TestDatabase } from '../support/backends.ts';
import { storageOptions } from '../support/storage.ts';
import { at, counter, hostile, user, winners } from './records.ts';

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

  describe('users', () => {
    test('give back every field as it was stored, times to the millisecond and hostile text untouched', async () => {
      const stored = user({
        fullName: hostile,
        hashedPassword: hostile,
        lastLogin: at(123),
        tokensInvalidatedAfter: at(456),
        lastIssuedAt: at(789),
        isSuperuser: true,
      });
      expect(await storage.repositories.users.add(stored)).toBe(true);
      expect(await storage.repositories.users.find(stored.id)).toEqual(stored);
      expect(await storage.repositories.users.findByEmail(stored.email)).toEqual(stored);
      const session = await storage.repositories.users.findSession(stored.id, 'no-such-jti');
      expect(session).toEqual({ user: stored, isBlacklisted: false });
    });

    test('have unique addresses: of 40 that register one at once, one gets it', async () => {
      const email = `race-${++counter.value}@example.org`;
      expect(await winners(40, () => storage.repositories.users.add(user({ email })))).toBe(1);
    });

    test('are added many at once, except those whose address or id is taken', async () => {
      const { users } = storage.repositories;
      const [present, ...others] = Array.from({ length: 200 }, (_, i) =>
        user({ fullName: `Of many ${i}`, lastLogin: at(i) }),
      );
      await users.add(present!);
      const doubles = [
        user({ email: present!.email }),
        { ...user({}), id: present!.id },
        user({ email: others[0]!.email }),
      ];
      expect(await users.addMany([...doubles.slice(0, 2), ...others, doubles[2]!])).toEqual(
        new Set(others.map(({ id }) => id)),
      );
      for (const each of [present!, others[0]!, others.at(-1)!])
        expect(await users.find(each.id)).toEqual(each);
      const found = await users.findByEmails([others[5]!.email, hostile, present!.email]);
      expect(new Set(found.map(({ id }) => id))).toEqual(new Set([others[5]!.id, present!.id]));
      expect(await users.addMany([])).toEqual(new Set());
      const { rows } = await users.listAndCount({ search: 'of many 150', limit: 5 }, 10);
      expect(rows).toEqual([others[149]]);
    });

    test('are found by nothing but text', async () => {
      const { users } = storage.repositories;
      expect(await users.find(hostile)).toBeNull();
      expect(await users.findByEmail(hostile)).toBeNull();
      expect(await users.findSession(hostile, hostile)).toBeNull();
    });

    test('are not found by a text that no database holds, and an error does not repeat it', async () => {
      const { users } = storage.repositories;
      const answer = users.findByEmail('secret\0text').catch(error => String(error));
      expect([null, 'StorageError: The database refused a statement (22021).']).toContain(await answer);
    });

    test('change only while the conditions hold', async () => {
      const stored = user({ tokensInvalidatedAfter: at(5) });
      const { users } = storage.repositories;
      await users.add(stored);
      const change = { set: { fullName: hostile } };
      expect(await users.change(stored.id, change, { tokensInvalidatedAfter: at(4) })).toBeNull();
      expect(await users.change(stored.id, change, { tokensInvalidatedAfter: null })).toBeNull();
      const disabled = { tokensInvalidatedAfter: at(5), isActive: false };
      expect(await users.change(stored.id, change, disabled)).toBeNull();
      expect((await users.find(stored.id))?.fullName).toBeNull();
      const changed = await users.change(stored.id, change, { ...disabled, isActive: true });
      expect(changed).toEqual({ ...stored, fullName: hostile });
      expect(await users.find(stored.id)).toEqual(changed);
      expect(await users.change('nobody', change)).toBeNull();
    });

    test('are returned by a change that changes nothing', async () => {
      const stored = user({ fullName: 'Same' });
      const { users } = storage.repositories;
      await users.add(stored);
      expect(
        await users.change(stored.id, { set: { fullName: 'Same' } }, { tokensInvalidatedAfter: null }),
      ).toEqual(stored);
      expect(await users.change(stored.id, { set: {} })).toEqual(stored);
      expect(await users.change('nobody', { set: {} })).toBeNull();
    });

    test('can be set to text that begins with a dollar sign, which is a field name to one database', async () => {
      const stored = user();
      const { users } = storage.repositories;
      await users.add(stored);
      await users.change(stored.id, { set: { fullName: '$hashed_password' }, cutOffAt: at(9) });
      expect((await users.find(stored.id))?.fullName).toBe('$hashed_password');
    });

    test('refuse the address of somebody else', async () => {
      const [one, two] = [user(), user()];
      const { users } = storage.repositories;
      await users.add(one);
      await users.add(two);
      expect(await users.changeEmail(two.id, one.email)).toBe('email_taken');
      expect((await users.find(two.id))?.email).toBe(two.email);
    });

    test('of two accounts that take one new address at once, one gets it', async () => {
      const people = Array.from({ length: 20 }, () => user());
      const { users } = storage.repositories;
      for (const person of people) await users.add(person);
      const email = `wanted-${++counter.value}@example.org`;
      const results = await Promise.all(people.map(p => users.changeEmail(p.id, email)));
      expect(results.filter(r => typeof r === 'object' && r?.email === email)).toHaveLength(1);
      expect(results.filter(r => r === 'email_taken')).toHaveLength(19);
    });

    test('remember the latest time a token was issued, whatever the order', async () => {
      const stored = user();
      const { users } = storage.repositories;
      await users.add(stored);
      await Promise.all([30, 90, 10, 60].map(ms => users.change(stored.id, { issuedAt: at(ms) })));
      expect((await users.find(stored.id))?.lastIssuedAt).toEqual(at(90));
    });

    test('a cutoff is never before now, nor before a token that was issued by a clock ahead', async () => {
      const stored = user();
      const { users } = storage.repositories;
      await users.add(stored);
      await users.change(stored.id, { cutOffAt: at(100) });
      expect((await users.find(stored.id))?.tokensInvalidatedAfter).toEqual(at(100));
      await users.change(stored.id, { issuedAt: at(5000) });
      await users.change(stored.id, { cutOffAt: at(200) });
      expect((await users.find(stored.id))?.tokensInvalidatedAfter).toEqual(at(5000));
    });

    test('a second cutoff in the same tick is later than the first, so that a reader in between notices', async () => {
      const stored = user();
      const { users } = storage.repositories;
      await users.add(stored);
      await users.change(stored.id, { cutOffAt: at(100) });
      await users.change(stored.id, { cutOffAt: at(100) });
      expect((await users.find(stored.id))?.tokensInvalidatedAfter).toEqual(at(101));
    });

    test('of 40 changes that expect one cutoff and move it, one happens', async () => {
      const stored = user();
      const { users } = storage.repositories;
      await users.add(stored);
      const won = await winners(40, async () => {
        const only = { tokensInvalidatedAfter: null };
        return (await users.change(stored.id, { cutOffAt: at(1) }, only)) !== null;
      });
      expect(won).toBe(1);
    });

    test('are removed only while the conditions hold', async () => {
      const { users } = storage.repositories;
      const stored = user({ isSuperuser: true });
      await users.add(stored);
      for (const only of [{ isSuperuser: false }, { isActive: false }, { tokensInvalidatedAfter: at(5) }]) {
        expect(await users.remove(stored.id, only)).toBe(false);
      }
      const { updatedAt, tokensInvalidatedAfter } = stored;
      expect(await users.remove(stored.id, { updatedAt, tokensInvalidatedAfter, isSuperuser: true })).toBe(
        true,
      );
    });

    test('are gone once removed', async () => {
      const stored = user();
      const { users } = storage.repositories;
      await users.add(stored);
      expect(await winners(20, async () => (await users.remove(stored.id)) === true)).toBe(1);
      expect(await users.find(stored.id)).toBeNull();
      expect(await users.findSession(stored.id, 'jti')).toBeNull();
    });
  });
});
