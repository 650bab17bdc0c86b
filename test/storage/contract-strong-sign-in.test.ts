import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseDatabaseUrl } from '../../src/config/database-url.ts';
import { openStorage, type Storage } from '../../src/storage/open.ts';
import { mostSetups } from '../../src/storage/repositories/challenges.ts';
import { describeEachBackend, type TestDatabase } from '../support/backends.ts';
import { storageOptions } from '../support/storage.ts';
import {
  at,
  authenticator,
  challenge,
  counter,
  hostile,
  passkey,
  purgeEndedAt,
  recoveryCodes,
  sessionRecord,
  winners,
} from './records.ts';

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

  describe('authenticators', () => {
    test('give back every field as it was stored', async () => {
      const { authenticators } = storage.repositories;
      const stored = passkey({
        ...{ name: hostile, createdAt: at(123), lastUsedAt: at(456), isSynced: true },
        ...{ publicKey: 'x'.repeat(1500), credentialId: 'c'.repeat(1400) },
        // The counter of WebAuthn is a number of 32 bits without a sign.
        signCount: 2 ** 32 - 1,
      });
      expect(await authenticators.add(stored)).toBe('added');
      const [found] = await authenticators.listByUser(stored.userId);
      expect(found).toEqual({ ...stored, slot: `${stored.userId}:0` });
      expect(await authenticators.findByCredential(stored.credentialId)).toEqual(found);
      expect(await authenticators.findByCredential(hostile)).toBeNull();
    });

    test('are at most ten per account: of 40 that are added at once, ten are', async () => {
      const { authenticators } = storage.repositories;
      const userId = `many-${++counter.value}`;
      const results = await Promise.all(
        Array.from({ length: 40 }, (_, i) =>
          authenticators.add(i % 2 ? passkey({ userId }) : authenticator({ userId })),
        ),
      );
      expect(results.filter(result => result === 'added')).toHaveLength(10);
      expect(results.filter(result => result === 'full')).toHaveLength(30);
      const rows = await authenticators.listByUser(userId);
      expect(new Set(rows.map(row => row.slot)).size).toBe(10);
      expect(rows.map(row => row.id)).toEqual(rows.map(row => row.id).toSorted());
    });

    test('make room when one is removed, and take none of another user', async () => {
      const { authenticators } = storage.repositories;
      const userId = `full-${++counter.value}`;
      const rows = Array.from({ length: 10 }, () => authenticator({ userId }));
      for (const row of rows) expect(await authenticators.add(row)).toBe('added');
      expect(await authenticators.add(authenticator({ userId }))).toBe('full');
      expect(await authenticators.remove('somebody else', rows[3]!.id)).toBe(false);
      expect(await winners(20, () => authenticators.remove(userId, rows[3]!.id))).toBe(1);
      expect(await authenticators.add(authenticator({ userId }))).toBe('added');
      expect(await authenticators.add(authenticator({ userId }))).toBe('full');
      await storage.repositories.rows.removeOwned(userId, { isTakeOver: true });
      expect(await authenticators.listByUser(userId)).toEqual([]);
    });

    test('have a credential once, whichever account adds it', async () => {
      const { authenticators } = storage.repositories;
      const credentialId = `wanted-${++counter.value}`;
      const results = await Promise.all(
        Array.from({ length: 20 }, () => authenticators.add(passkey({ credentialId }))),
      );
      expect(results.filter(result => result === 'added')).toHaveLength(1);
      expect(results.filter(result => result === 'taken')).toHaveLength(19);
    });

    test('accept a time step once, and none before it', async () => {
      const { authenticators } = storage.repositories;
      const row = authenticator({ lastStep: 100 });
      await authenticators.add(row);
      expect(await winners(50, () => authenticators.acceptStep(row.id, 101, at(5)))).toBe(1);
      expect(await authenticators.listByUser(row.userId)).toMatchObject([
        { lastStep: 101, lastUsedAt: at(5) },
      ]);
      for (const step of [100, 101]) expect(await authenticators.acceptStep(row.id, step, at(6))).toBe(false);
      expect(await authenticators.acceptStep(row.id, 103, at(6))).toBe(true);
      expect(await authenticators.acceptStep('none', 200, at(6))).toBe(false);
    });

    test('record a use once, as they were read', async () => {
      const { authenticators } = storage.repositories;
      const row = passkey({ signCount: 7 });
      await authenticators.add(row);
      const read = (await authenticators.findByCredential(row.credentialId))!;
      const use = { signCount: 8, isSynced: true, lastUsedAt: at(5) };
      expect(await winners(50, () => authenticators.recordUse(read, use))).toBe(1);
      expect(await authenticators.findByCredential(row.credentialId)).toMatchObject(use);
      await authenticators.remove(row.userId, row.id);
      expect(await authenticators.recordUse({ ...read, ...use }, { ...use, signCount: 9 })).toBe(false);
    });

    test('are renamed, and their secret is replaced as it was read', async () => {
      const { authenticators } = storage.repositories;
      const row = authenticator({ secret: 'old' });
      await authenticators.add(row);
      const [read] = await authenticators.listByUser(row.userId);
      expect(await authenticators.rename(row.id, hostile)).toBe(true);
      expect(await authenticators.rename('none', 'x')).toBe(false);
      expect(await winners(20, () => authenticators.reencrypt(read!, 'new'))).toBe(1);
      expect(await authenticators.listByUser(row.userId)).toMatchObject([{ name: hostile, secret: 'new' }]);
    });
  });

  describe('recovery codes', () => {
    test('are one set per account, and are replaced as a whole', async () => {
      const { recovery_codes } = storage.repositories;
      const first = recoveryCodes();
      expect(await winners(20, i => recovery_codes.add({ ...first, version: `v${i}` }))).toBe(1);
      const second = { ...first, version: 'second', hashes: '["c"]', createdAt: at(9) };
      await recovery_codes.replace(second);
      expect(await recovery_codes.find(first.userId)).toEqual(second);
      await Promise.all(
        Array.from({ length: 40 }, (_, i) => recovery_codes.replace({ ...first, version: `r${i}` })),
      );
      const last = (await recovery_codes.find(first.userId))!;
      expect(last).toMatchObject({ hashes: first.hashes });
      expect(await recovery_codes.removeRead(second)).toBe(false);
      expect(await recovery_codes.removeRead(last)).toBe(true);
      expect(await recovery_codes.find(first.userId)).toBeNull();
    });

    test('change once, as they were read', async () => {
      const { recovery_codes } = storage.repositories;
      const read = recoveryCodes();
      await recovery_codes.add(read);
      const used = (i: number) => ({ hashes: '[null,"b"]', version: `used-${i}` });
      expect(await winners(50, i => recovery_codes.change(read, used(i)))).toBe(1);
      expect(await recovery_codes.change(read, used(99))).toBe(false);
      const changed = (await recovery_codes.find(read.userId))!;
      expect(changed.hashes).toBe('[null,"b"]');
      await recovery_codes.replace({ ...read, version: 'fresh' });
      expect(await recovery_codes.change(changed, used(100))).toBe(false);
    });
  });

  describe('challenges', () => {
    test('come back as they were stored, for their purpose alone, and are taken once', async () => {
      const { challenges } = storage.repositories;
      const stored = challenge({
        ...{ purpose: 'passkey_setup', userId: 'u', boundTo: 'jti', userHandle: 'handle', attempts: 2 },
        value: hostile,
      });
      expect(await winners(20, () => challenges.add(stored))).toBe(1);
      expect(await challenges.find(stored.id, 'passkey_setup')).toEqual(stored);
      for (const purpose of ['passkey_login', 'passkey_mfa', 'totp_setup', 'second_step'] as const) {
        expect(await challenges.find(stored.id, purpose)).toBeNull();
      }
      expect(await winners(50, () => challenges.take(stored.id))).toBe(1);
      expect(await challenges.find(stored.id, 'passkey_setup')).toBeNull();
    });

    test('are found by nothing but an id', async () => {
      const { challenges } = storage.repositories;
      for (const id of [hostile, '', 'a\0b', '\ud800', 'x'.repeat(300)]) {
        expect(await challenges.find(id, 'passkey_login')).toBeNull();
      }
    });

    test('of one kind of set-up are so many per account: the newest', async () => {
      const { challenges } = storage.repositories;
      const userId = `user-${++counter.value}`;
      const setups = Array.from({ length: mostSetups + 5 }, (_, i) =>
        challenge({ userId, purpose: 'totp_setup', createdAt: at(i) }),
      );
      const others = [challenge({ userId, purpose: 'passkey_setup' }), challenge({ purpose: 'totp_setup' })];
      for (const setup of [...others, ...setups]) await challenges.addSetup(setup);
      for (const other of others) expect(await challenges.find(other.id, other.purpose)).toEqual(other);
      const present = await Promise.all(setups.map(({ id }) => challenges.find(id, 'totp_setup')));
      expect(present.filter(row => row !== null)).toEqual(setups.slice(-mostSetups));
    });

    test('allow so many attempts, however many come at once', async () => {
      const { challenges } = storage.repositories;
      const stored = challenge({ purpose: 'second_step', attempts: 1 });
      await challenges.add(stored);
      expect(await winners(60, () => challenges.claimAttempt(stored.id, 5))).toBe(4);
      expect(await challenges.find(stored.id, 'second_step')).toMatchObject({ attempts: 5 });
      expect(await challenges.claimAttempt('none', 5)).toBe(false);
    });

    test('note the removal of a superuser once, however many come at once, until the note has ended', async () => {
      const { challenges } = storage.repositories;
      const [id, other] = [`superuser-${++counter.value}`, `superuser-${++counter.value}`];
      const notes = await Promise.all(Array.from({ length: 20 }, () => challenges.noteRemoval(id)));
      const [note] = notes.filter(each => each !== null);
      expect(notes.filter(each => each !== null)).toHaveLength(1);
      expect(await challenges.listRemovals([other, id])).toEqual(new Set([id]));
      // By the clock of the database, whatever those of the processes say.
      const row = (await challenges.find(note!.id, 'superuser_removal'))!;
      expect(row.expiresAt.getTime() - row.createdAt.getTime()).toBe(60_000);
      expect(await challenges.endRemoval({ ...note!, value: 'of another process' })).toBe(0);
      expect(await challenges.endRemoval(note!)).toBe(1);
      expect(await challenges.listRemovals([other, id])).toEqual(new Set());

      const ended = { ...row, expiresAt: new Date(Date.now() - 60_000) };
      await challenges.add(ended);
      expect(await challenges.listRemovals([id])).toEqual(new Set());
      await challenges.add(ended);
      expect(await challenges.noteRemoval(id)).toMatchObject({ id: note!.id });
    });

    test('of one account are removed together', async () => {
      const { challenges } = storage.repositories;
      const userId = `user-${++counter.value}`;
      const other = challenge();
      for (const row of [other, challenge({ userId }), challenge({ userId, purpose: 'totp_setup' })]) {
        await challenges.add(row);
      }
      await storage.repositories.rows.removeOwned(userId, { isTakeOver: true });
      expect(await challenges.findOfUser(userId, 'totp_setup')).toBeNull();
      expect(await challenges.find(other.id, 'passkey_login')).toEqual(other);
    });
  });

  describe('session records', () => {
    test('give back every field as it was stored, and none of another user', async () => {
      const { sessions } = storage.repositories;
      const stored = sessionRecord({ ip: '2001:db8::1', userAgent: hostile, device: 'Firefox on Linux' });
      await sessions.add(stored);
      await sessions.add(sessionRecord());
      expect(await sessions.find(stored.id)).toEqual(stored);
      expect(await sessions.listByUser(stored.userId)).toEqual([stored]);
      expect(await sessions.find(hostile)).toBeNull();
    });

    test('are touched forward only', async () => {
      const { sessions } = storage.repositories;
      const stored = sessionRecord({ lastSeenAt: at(100) });
      await sessions.add(stored);
      expect(await winners(40, () => sessions.touch(stored.id, at(200), at(150)))).toBe(1);
      expect(await sessions.touch(stored.id, at(160), at(150))).toBe(false);
      expect(await sessions.find(stored.id)).toEqual({ ...stored, lastSeenAt: at(200) });
      expect(await sessions.touch(stored.id, at(300), at(200))).toBe(true);
      expect(await sessions.touch('none', at(300), at(200))).toBe(false);
    });

    test('are removed one by one, or all of an account', async () => {
      const { sessions } = storage.repositories;
      const userId = `user-${++counter.value}`;
      const rows = Array.from({ length: 3 }, () => sessionRecord({ userId }));
      const other = sessionRecord();
      for (const row of [...rows, other]) await sessions.add(row);
      await sessions.remove(rows[0]!.id);
      expect(await sessions.find(rows[0]!.id)).toBeNull();
      await storage.repositories.rows.removeOwned(userId, { isTakeOver: true });
      expect(await sessions.listByUser(userId)).toHaveLength(2);
      await storage.repositories.rows.removeOwned(userId, { isTakeOver: false });
      expect(await sessions.listByUser(userId)).toEqual([]);
      expect(await sessions.find(other.id)).toEqual(other);
    });
  });

  test('purging removes what ended at or before a time, and nothing that ends later', async () => {
    const { challenges, sessions } = storage.repositories;
    const old = at(-10_000);
    await challenges.add(challenge({ expiresAt: old }));
    await sessions.add(sessionRecord({ expiresAt: old }));
    const live = [challenge(), sessionRecord()] as const;
    await challenges.add(live[0]);
    await sessions.add(live[1]);
    for (const name of ['challenges', 'sessions'] as const) {
      expect(await purgeEndedAt(storage.repositories, name, old)).toBe(1);
      expect(await purgeEndedAt(storage.repositories, name, old)).toBe(0);
    }
    expect(await challenges.find(live[0].id, 'passkey_login')).toEqual(live[0]);
    expect(await sessions.find(live[1].id)).toEqual(live[1]);
  });
});
