import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseDatabaseUrl } from '../../src/config/database-url.ts';
import { databaseCounters } from '../../src/limits/flexible.ts';
import { openStorage, type Storage } from '../../src/storage/open.ts';
import { describeEachBackend, type TestDatabase } from '../support/backends.ts';
import { storageOptions } from '../support/storage.ts';
import {
  at,
  code,
  counter,
  hostile,
  identity,
  issuer,
  pendingRow,
  purgeEndedAt,
  sessionRecord,
  state,
  user,
  winners,
} from './records.ts';

describeEachBackend('storage', backend => {
  let database: TestDatabase;
  let storage: Storage;
  beforeAll(async () => {
    database = await backend.createDatabase();
    storage = await openStorage(parseDatabaseUrl(database.url, 'gatehouse'), storageOptions());
    await storage.install();
  });
  afterAll(async () => {
    await storage?.close();
    await database?.drop();
  });

  describe('schema', () => {
    test('is current after installing, however often', async () => {
      await storage.install();
      await storage.install();
      expect(await storage.readSchemaState()).toBe('current');
    });
  });

  describe('the session check', () => {
    test('sees a token that was logged out, and no other', async () => {
      const stored = user();
      const { users, blacklist } = storage.repositories;
      await users.add(stored);
      await blacklist.add({ jti: 'jti-1', exp: at(1000) });
      await blacklist.add({ jti: 'jti-1', exp: at(1000) });
      expect((await users.findSession(stored.id, 'jti-1'))?.isBlacklisted).toBe(true);
      expect((await users.findSession(stored.id, 'jti-2'))?.isBlacklisted).toBe(false);
      expect(await blacklist.has('jti-1')).toBe(true);
      expect(await blacklist.has('jti-2')).toBe(false);
    });

    test.each([false, true])(
      'answers each of many at once as it answers it alone (last use: %s)',
      async readsLastSeen => {
        const options = { ...storageOptions(), readsLastSeen };
        const opened = await openStorage(parseDatabaseUrl(database.url, 'gatehouse'), options);
        await opened.install();
        const { users, blacklist, sessions } = opened.repositories;
        const [ada, grace] = [user(), user()];
        for (const each of [ada, grace]) await users.add(each);
        await blacklist.add({ jti: `out of ${ada.id}`, exp: at(1000) });
        await sessions.add(sessionRecord({ id: `of ${ada.id}`, userId: ada.id }));
        const tokens = [`of ${ada.id}`, `out of ${ada.id}`, 'none'];
        const keys = [ada.id, grace.id, 'no-such-user'].flatMap(id => tokens.map(jti => [id, jti] as const));
        const together = await Promise.all(
          [...keys, [hostile, hostile] as const].map(key => users.findSession(...key)),
        );
        for (const [i, key] of keys.entries()) expect(together[i]).toEqual(await users.findSession(...key));
        const isOut = [false, true, false];
        expect(together.map(row => row?.isBlacklisted ?? null)).toEqual([
          ...isOut,
          ...isOut,
          null,
          null,
          null,
          null,
        ]);
        const ended = `out of ${ada.id}`;
        const ofTokens: [id: string, jti: string, tokenJti: string][] = [
          [ada.id, `of ${ada.id}`, 'token'],
          [ada.id, `of ${ada.id}`, ended],
          [ada.id, ended, 'token'],
          [ada.id, ended, ended],
          ['no-such-user', 'none', 'token'],
          [hostile, hostile, hostile],
        ];
        const rows = await Promise.all(ofTokens.map(key => users.findToken(...key)));
        for (const [i, key] of ofTokens.entries()) expect(rows[i]).toEqual(await users.findToken(...key));
        expect(rows.map(row => row?.isBlacklisted ?? null)).toEqual([false, true, true, true, null, null]);
        expect(rows[0]).toEqual(await users.findSession(ada.id, `of ${ada.id}`));
        await opened.close();
      },
    );
  });

  describe('failed logins', () => {
    test('are kept per subject until cleared, and an id is taken once', async () => {
      const { attempts } = storage.repositories;
      const email = `locked-${++counter.value}@example.org`;
      const row = { id: `${email}#0`, subject: email, when: at(10), ip: null, settled: true };
      expect(await winners(40, () => attempts.add(row))).toBe(1);
      await attempts.add({ ...row, id: `${email}#1`, ip: '::1' });
      await attempts.add({ ...row, id: `other#${counter.value}`, subject: 'other@example.org' });
      expect((await attempts.list(email)).map(a => a.ip)).toEqual(expect.arrayContaining([null, '::1']));
      expect(await attempts.clear(email)).toBe(2);
      expect(await attempts.list(email)).toEqual([]);
      expect(await attempts.list('other@example.org')).toHaveLength(1);
    });

    test('are renewed once, as they were read', async () => {
      const { attempts } = storage.repositories;
      const email = `renewed-${++counter.value}@example.org`;
      const row = { id: `${email}#0`, subject: email, when: at(10), ip: null, settled: true };
      await attempts.add(row);
      expect(await winners(40, () => attempts.renew(row, { when: at(20), ip: '::1', settled: true }))).toBe(
        1,
      );
      expect(await attempts.list(email)).toEqual([{ ...row, when: at(20), ip: '::1' }]);
    });

    test('are removed one by one, as they were read', async () => {
      const { attempts } = storage.repositories;
      const email = `removed-${++counter.value}@example.org`;
      const row = { id: `${email}#0`, subject: email, when: at(10), ip: null, settled: true };
      await attempts.add(row);
      // It was taken again since, or it is held by somebody else.
      await attempts.remove({ ...row, when: at(9) });
      await attempts.remove({ ...row, settled: false });
      expect(await attempts.find(row.id)).toEqual(row);
      await attempts.remove(row);
      expect(await attempts.find(row.id)).toBeNull();
    });

    test('are counted and listed from a time on, the oldest first', async () => {
      const { attempts } = storage.repositories;
      const email = `counted-${++counter.value}@example.org`;
      for (const [slot, ms] of [30, 10, 20].entries()) {
        await attempts.add({ id: `${email}#${slot}`, subject: email, when: at(ms), ip: null, settled: true });
      }
      expect(await attempts.countAfter(email, at(10))).toBe(2);
      expect((await attempts.listAfter(email, at(9))).map(row => row.when)).toEqual([at(10), at(20), at(30)]);
      expect(await attempts.listAfter(email, at(10), 1)).toMatchObject([{ when: at(20) }]);
      expect(await attempts.countAfter(email, at(30))).toBe(0);
    });
  });

  describe('codes', () => {
    test('are one per user and kind', async () => {
      const { mfa_codes } = storage.repositories;
      const first = code({ attempts: 3 });
      await mfa_codes.replace(first);
      await mfa_codes.replace({ ...first, kind: 'phone_setup' });
      await mfa_codes.replace({ ...first, codeHash: 'second', attempts: 0 });
      expect(await mfa_codes.find(first.userId, 'login')).toMatchObject({ codeHash: 'second', attempts: 0 });
      expect(await mfa_codes.find(first.userId, 'phone_setup')).toMatchObject({
        codeHash: first.codeHash,
        attempts: 3,
      });
      expect(await mfa_codes.removeAll(first.userId)).toBe(2);
    });

    test('allow 5 guesses, however many come at once, and none once replaced', async () => {
      const { mfa_codes } = storage.repositories;
      const stored = code();
      await mfa_codes.replace(stored);
      const read = (await mfa_codes.find(stored.userId, 'login'))!;
      expect(await winners(60, () => mfa_codes.claimGuess(read, 5))).toBe(5);
      expect((await mfa_codes.find(stored.userId, 'login'))?.attempts).toBe(5);
      await mfa_codes.replace({ ...stored, codeHash: 'fresh' });
      expect(await mfa_codes.claimGuess(read, 5)).toBe(false);
      expect(await mfa_codes.consume(read)).toBe(false);
      expect((await mfa_codes.find(stored.userId, 'login'))?.attempts).toBe(0);
    });
  });

  describe('external sign-in', () => {
    test('a state comes back as it was stored and is taken once', async () => {
      const { oauth_states } = storage.repositories;
      const stored = state({ redirectTo: hostile, resultToken: 'x'.repeat(3000) });
      await oauth_states.add(stored);
      expect(await oauth_states.find(stored.id)).toEqual(stored);
      expect(await winners(50, () => oauth_states.consume(stored.id))).toBe(1);
      expect(await oauth_states.find(stored.id)).toBeNull();
    });

    test('a subject has one user and a user one subject per provider, also when linked at once', async () => {
      const { oauth_identities } = storage.repositories;
      const first = identity();
      expect(await oauth_identities.add(first)).toBe(true);
      expect(await oauth_identities.add(identity({ subjectId: first.subjectId }))).toBe(false);
      expect(await oauth_identities.add(identity({ userId: first.userId }))).toBe(false);
      const { subjectId } = identity();
      expect(await winners(20, () => oauth_identities.add(identity({ subjectId })))).toBe(1);
      expect(await oauth_identities.findBySubject({ name: 'google', issuer }, first.subjectId)).toEqual(
        first,
      );
      expect(await oauth_identities.touch(first.id, at(77))).toBe(true);
      expect(await oauth_identities.listByUser(first.userId)).toEqual([{ ...first, lastUsedAt: at(77) }]);
      expect(await oauth_identities.remove(first.id)).toBe(true);
      expect(await oauth_identities.remove(first.id)).toBe(false);
    });
  });

  describe('windows of the limits per client address', () => {
    test('end earlier where they would end too late, and keep what they have counted', async () => {
      const flexible = await import('rate-limiter-flexible');
      const counters = await storage.openCounters();
      const windows = databaseCounters(
        flexible,
        counters,
      )({
        ...{ points: 100, duration: 60, keyPrefix: `contract-${++counter.value}` },
        ...{ tableName: 'gatehouse_rate_limits', tableCreated: true },
      });
      const left = async (key: string) => (await windows.get(key))!;
      await windows.penalty('long', 3);
      await windows.set('long', 3, 365 * 86_400);
      await windows.penalty('short', 2);
      for (const key of ['long', 'short', 'absent'])
        await counters.shortenWindow(windows.getKey(key), 90_000);
      expect((await left('long')).msBeforeNext).toBeLessThanOrEqual(90_000);
      expect((await left('long')).consumedPoints).toBe(3);
      expect((await left('short')).msBeforeNext).toBeLessThanOrEqual(60_000);
      expect((await left('short')).consumedPoints).toBe(2);
      expect(await windows.get('absent')).toBeNull();
    });
  });

  test('the clock of the database is that of the machine here', async () => {
    const before = Date.now() - 5000;
    const now = await storage.now();
    expect(now.getTime()).toBeGreaterThan(before);
    expect(now.getTime()).toBeLessThan(Date.now() + 5000);
  });

  test('purging removes what ended at or before a time, and nothing that ends later', async () => {
    const { pending, blacklist, mfa_codes, oauth_states, attempts } = storage.repositories;
    const old = at(-10_000);
    const row = pendingRow({ expiresAt: old });
    await pending.add(row);
    await blacklist.add({ jti: 'old', exp: old });
    await mfa_codes.replace(code({ expiresAt: old }));
    await oauth_states.add(state({ expiresAt: old }));
    await attempts.add({ id: 'old', subject: row.email, when: old, ip: null, settled: true });
    const live = state();
    await oauth_states.add(live);
    for (const name of ['pending', 'blacklist', 'mfa_codes', 'oauth_states', 'attempts'] as const) {
      expect(await purgeEndedAt(storage.repositories, name, old)).toBe(1);
      expect(await purgeEndedAt(storage.repositories, name, old)).toBe(0);
    }
    expect(await oauth_states.find(live.id)).toEqual(live);
  });
});
