import { afterEach, beforeEach, expect, test } from 'vitest';
import { type DatabaseUrl, parseDatabaseUrl } from '../../src/config/database-url.ts';
import { openStorage, type Storage } from '../../src/storage/open.ts';
import { executeOnPostgres, withMongo, withSqlite } from '../support/admin.ts';
import { describeEachBackend, type TestDatabase } from '../support/backends.ts';
import { storageOptions } from '../support/storage.ts';
import { auditRecord, authenticator, passkey, user } from './records.ts';

/** Makes a database what the version before step 0016 left. */
async function takeBack(database: DatabaseUrl): Promise<void> {
  const statements = [
    'alter table users drop column phone_confirmed_at',
    `delete from users_migrations where name = '0016-confirmed-phones'`,
  ];
  if (database.backend === 'postgresql')
    return void (await executeOnPostgres(database.url, statements.join('; ')));
  if (database.backend === 'sqlite')
    return withSqlite(database.path, file => void file.exec(statements.join('; ')));
  await withMongo(database.url, async client => {
    const db = client.db(database.database);
    await db.collection('users').updateMany({}, { $unset: { phone_confirmed_at: '' } });
    const versions = db.collection<{ _id: string }>('users_migrations');
    await versions.updateOne({ _id: 'schema' }, { $set: { version: 14 } });
  });
}

describeEachBackend(
  'a database of the version before phones had the time of their confirmation',
  backend => {
    let created: TestDatabase;
    let database: DatabaseUrl;
    let storage: Storage;
    beforeEach(async () => {
      created = await backend.createDatabase();
      database = parseDatabaseUrl(created.url, 'svc');
      storage = await openStorage(database, storageOptions());
      await storage.install();
      // An open instance looks for the schema once.
      await storage.repositories.users.countActiveSuperusers();
      await takeBack(database);
    });
    afterEach(async () => {
      await storage?.close();
      await created?.drop();
    });

    /** Stores an account with a phone as that version does, with the records of its acts, oldest first. */
    async function store(
      fields: { isMfaEnabled: boolean; phoneNumber?: string | null },
      { hasApp = false, hasPasskey = false, acts = [] as [operation: string, outcome?: 'refused'][] } = {},
    ): Promise<string> {
      const { phoneConfirmedAt: _, ...row } = user({ phoneNumber: '+447700900100', ...fields });
      await storage.repositories.users.add(row as typeof row & { phoneConfirmedAt: null });
      const { authenticators } = storage.repositories;
      if (hasApp) await authenticators.add(authenticator({ userId: row.id }));
      if (hasPasskey) await authenticators.add(passkey({ userId: row.id }));
      for (const [i, [operation, outcome = 'ok']] of acts.entries()) {
        await storage.repositories.audit.add(auditRecord(i, { operation, outcome, subject: row.id }));
      }
      return row.id;
    }

    test('gets it for those that are the second step, and for those whose confirmation is in the stored audit', async () => {
      const isOn = { isMfaEnabled: true };
      const confirmed = {
        'is the second step': await store(isOn),
        'is the second step, beside a passkey': await store(isOn, { hasPasskey: true }),
        'was confirmed beside an app': await store(isOn, { hasApp: true, acts: [['confirmPhoneSetup']] }),
        'was confirmed again after it was removed': await store(isOn, {
          hasApp: true,
          acts: [['confirmPhoneSetup'], ['disablePhone'], ['login'], ['confirmPhoneSetup'], ['login']],
        }),
        'was confirmed, and somebody tried to remove it': await store(isOn, {
          hasApp: true,
          acts: [['confirmPhoneSetup'], ['disablePhone', 'refused']],
        }),
      };
      const others = {
        'was imported': await store({ isMfaEnabled: false }),
        'was imported, beside an app': await store(isOn, { hasApp: true, acts: [['login']] }),
        'was never confirmed': await store(isOn, { hasApp: true, acts: [['confirmPhoneSetup', 'refused']] }),
        'was put back': await store(isOn, {
          hasApp: true,
          acts: [['confirmPhoneSetup'], ['reportNotMe']],
        }),
        'was removed': await store({ ...isOn, phoneNumber: null }, { hasApp: true }),
      };
      expect(await storage.install()).toBe(1);
      expect(await storage.readSchemaState()).toBe('current');
      expect(await storage.findDifferences()).toEqual([]);
      const { users } = storage.repositories;
      for (const [what, id] of Object.entries(confirmed)) {
        const { updatedAt, phoneConfirmedAt } = (await users.find(id))!;
        expect(phoneConfirmedAt, what).toEqual(updatedAt);
      }
      for (const [what, id] of Object.entries(others)) {
        expect(await users.find(id), what).toMatchObject({ phoneConfirmedAt: null });
      }
      expect(await storage.install()).toBe(0);
    });
  },
  { only: ['sqlite', 'postgresql', 'mongodb'] },
);
