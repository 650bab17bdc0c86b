import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseDatabaseUrl } from '../../src/config/database-url.ts';
import { openStorage, type Storage } from '../../src/storage/open.ts';
import { describeEachBackend, type TestDatabase } from '../support/backends.ts';
import { storageOptions } from '../support/storage.ts';
import { at, hostile, pendingRow, user } from './records.ts';

const decoy = 'decoy:7';
const nothing = { user: null, pending: null, attempts: [], failures: null };

describeEachBackend('what a sign-in starts from', backend => {
  let database: TestDatabase;
  let storage: Storage;
  beforeAll(async () => {
    database = await backend.lendDatabase();
    storage = await openStorage(parseDatabaseUrl(database.url, 'gatehouse'), storageOptions());
    await storage.install();
    await storage.repositories.password_failures.add({ subject: decoy, password: 'none', failures: 5 });
  });
  afterAll(async () => {
    await storage?.close();
    await database?.drop();
  });

  const found = (email: string, otherwise: string | null = 'decoy:none') =>
    storage.repositories.users.findForSignIn(email, otherwise);

  test('is nothing for an unknown address', async () => {
    expect(await found('nobody@example.org')).toEqual(nothing);
    expect(await found(hostile)).toEqual(nothing);
  });

  test('is the user with the failures of its password and the slots of its address, as each is stored', async () => {
    const { users, attempts, password_failures } = storage.repositories;
    const stored = user({
      ...{ fullName: hostile, hashedPassword: hostile, lastLogin: at(123), tokensInvalidatedAfter: at(456) },
      ...{
        lastIssuedAt: at(789),
        isMfaEnabled: true,
        fields: { text: hostile, number: 0.1 },
        roles: ['editor'],
      },
    });
    const failures = { subject: stored.id, password: hostile, failures: 3 };
    const slots = [0, 1].map(slot => ({
      ...{ id: `${stored.email}#${slot}`, subject: stored.email, when: at(slot) },
      ...{ ip: slot ? '192.0.2.7' : null, settled: slot === 0 },
    }));
    await users.add(stored);
    await users.add(user({ hashedPassword: 'another' }));
    await password_failures.add(failures);
    for (const slot of slots) await attempts.add(slot);
    const { attempts: read, ...rows } = await found(stored.email, decoy);
    expect(rows).toEqual({ user: stored, pending: null, failures });
    expect(read.sort((a, b) => a.when.getTime() - b.when.getTime())).toEqual(slots);
  });

  test.each([null, ''])('has the failures of the decoy for a user without a password: %j', async hash => {
    const stored = user({ hashedPassword: hash });
    await storage.repositories.users.add(stored);
    const failures = { subject: decoy, password: 'none', failures: 5 };
    expect(await found(stored.email, decoy)).toEqual({ ...nothing, user: stored, failures });
  });

  test('leaves the failures unread where none are counted', async () => {
    const { users, password_failures } = storage.repositories;
    const stored = user({ hashedPassword: 'hash' });
    await users.add(stored);
    await password_failures.add({ subject: stored.id, password: 'hash', failures: 1 });
    expect(await found(stored.email, null)).toEqual({ ...nothing, user: stored });
  });

  test('has the pending registration, and the failures of the decoy', async () => {
    const pending = pendingRow({ fields: { plan: hostile }, fieldsAt: at(0) });
    await storage.repositories.pending.add(pending);
    const failures = { subject: decoy, password: 'none', failures: 5 };
    expect(await found(pending.email, decoy)).toEqual({ ...nothing, pending, failures });
  });
});
