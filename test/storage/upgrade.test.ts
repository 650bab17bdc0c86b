import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { parseDatabaseUrl } from '../../src/config/database-url.ts';
import { openStorage, type Storage } from '../../src/storage/open.ts';
import { executeOnPostgres, withMongo, withSqlite } from '../support/admin.ts';
import { describeEachBackend } from '../support/backends.ts';
import { storageOptions } from '../support/storage.ts';
import { authenticator, challenge, recoveryCodes, sessionRecord, user } from './records.ts';

const times = { created_at: 1_000, expires_at: 4_000_000_000_000 };
const former = {
  user_id: null,
  hashed_password: 'a hash',
  full_name: 'Ada',
};

/** Runs one statement, or none where the backend has no such thing. */
async function execute(url: string, statement: string): Promise<void> {
  const database = parseDatabaseUrl(url, 'svc');
  if (database.backend === 'postgresql') await executeOnPostgres(database.url, statement);
  else await withSqlite((database as { path: string }).path, file => file.exec(statement));
}

/** Stores a registration as the former version does: without the columns of step 0003. */
async function registerAsFormerly(url: string, email: string): Promise<void> {
  const database = parseDatabaseUrl(url, 'svc');
  if (database.backend === 'mongodb') {
    const dates = Object.fromEntries(Object.entries(times).map(([name, ms]) => [name, new Date(ms)]));
    const document = { ...former, ...dates, token_hash: randomUUID() };
    await withMongo(url, async client => {
      const rows = client.db(database.database).collection<{ _id: string }>('pending_registrations');
      await rows.insertOne({ _id: email, ...document });
    });
    return;
  }
  const time = (ms: number) => (database.backend === 'sqlite' ? ms : `to_timestamp(${ms / 1000})`);
  await execute(
    url,
    `insert into pending_registrations
       (email, token_hash, user_id, hashed_password, full_name, created_at, expires_at)
     values ('${email}', '${randomUUID()}', null, 'a hash', 'Ada',
       ${time(times.created_at)}, ${time(times.expires_at)})`,
  );
}

/** Makes a database what the version before step 0007 left: the step only adds tables. */
async function withoutStrongSignIn(url: string): Promise<void> {
  const { names } = storageOptions();
  const added = [names.authenticators, names.recovery_codes, names.challenges, names.sessions];
  const database = parseDatabaseUrl(url, 'svc');
  if (database.backend === 'mongodb') {
    return withMongo(url, async client => {
      const db = client.db(database.database);
      for (const name of added) await db.collection(name).drop();
      const versions = db.collection<{ _id: string }>('users_migrations');
      await versions.updateOne({ _id: 'schema' }, { $set: { version: 6 } });
    });
  }
  for (const name of added) await execute(url, `drop table ${name}`);
  await execute(url, `delete from users_migrations where name = '0007-strong-sign-in'`);
}

/** Makes a database what the version before step 0008 left. */
async function withoutOwnFields(url: string): Promise<void> {
  const database = parseDatabaseUrl(url, 'svc');
  if (database.backend === 'mongodb') {
    return withMongo(url, async client => {
      const db = client.db(database.database);
      await db.collection('users').dropIndex('own_roles_1_created_at_1__id_1');
      const versions = db.collection<{ _id: string }>('users_migrations');
      await versions.updateOne({ _id: 'schema' }, { $set: { version: 7 } });
    });
  }
  const on = database.backend === 'postgresql' ? ' on users' : '';
  for (const name of ['i', 'u', 'd']) await execute(url, `drop trigger users_role_${name}${on}`);
  if (database.backend === 'postgresql') await execute(url, 'drop function users_role_index()');
  await execute(url, 'drop table users_role_index');
  for (const column of ['users.own_fields', 'users.own_roles', 'pending_registrations.own_fields']) {
    const [table, name] = column.split('.');
    await execute(url, `alter table ${table} drop column ${name}`);
  }
  await execute(url, 'alter table pending_registrations drop column own_fields_at');
  // The index of roles is changed by a later step, with what else lists are ordered by.
  for (const columns of [
    '',
    'is_active_',
    'is_verified_',
    'is_superuser_',
    'is_mfa_enabled_',
    'reported_at_',
  ])
    await execute(url, `drop index users_${columns}created_at_id_index`);
  await execute(url, `delete from users_migrations where name in ('0008-user-fields', '0019-list-order')`);
}

async function expectUsable({ repositories: { pending } }: Storage, email: string): Promise<void> {
  const row = (await pending.find(email))!;
  expect(row).toMatchObject({ hashedPassword: 'a hash', isContested: false, claimedAt: null });
  expect(await pending.listAndCount({ search: email }, new Date(times.expires_at - 1000), 10)).toMatchObject({
    rows: [{ isContested: false }],
  });
  expect(await pending.contest(email, new Date(times.expires_at - 1000), {})).toBe(true);
  expect(await pending.claim(row, new Date(5))).toBe(false);
  const contested = (await pending.find(email))!;
  expect(contested).toMatchObject({ hashedPassword: null, isContested: true });
  expect(await pending.claim(contested, new Date(5))).toBe(true);
}

describeEachBackend(
  'an existing database',
  backend => {
    test('is upgraded in place, and the former version goes on registering', async () => {
      const { url, drop } = await backend.createDatabase();
      const storage = await openStorage(parseDatabaseUrl(url, 'svc'), storageOptions());
      await storage.install();
      if (backend.name !== 'mongodb') {
        // As step 0002 left it.
        for (const column of ['is_contested', 'claimed_at']) {
          await execute(url, `alter table pending_registrations drop column ${column}`);
        }
        await execute(url, `delete from users_migrations where name = '0003-contested'`);
        expect(await storage.readSchemaState()).toBe('behind');
      }
      await registerAsFormerly(url, 'before@example.org');
      await storage.install();
      expect(await storage.readSchemaState()).toBe('current');
      await expectUsable(storage, 'before@example.org');
      await registerAsFormerly(url, 'after@example.org');
      await expectUsable(storage, 'after@example.org');
      await storage.close();
      await drop();
    });

    test('without own fields and roles gets them while the former version goes on registering', async () => {
      const { url, drop } = await backend.createDatabase();
      const storage = await openStorage(parseDatabaseUrl(url, 'svc'), storageOptions());
      await storage.install();
      await withoutOwnFields(url);
      expect(await storage.readSchemaState()).toBe('behind');
      const addresses = Array.from({ length: 20 }, (_, i) => `during-${i}@example.org`);
      const [steps] = await Promise.all([
        storage.install(),
        ...addresses.map(email => registerAsFormerly(url, email)),
      ]);
      expect(steps).toBe(backend.name === 'mongodb' ? 1 : 2);
      expect(await storage.readSchemaState()).toBe('current');
      expect(await storage.findDifferences()).toEqual([]);
      const { users, pending } = storage.repositories;
      expect(await pending.find(addresses[0]!)).toMatchObject({ fields: null });
      for (const email of addresses) await expectUsable(storage, email);
      const row = user({ fields: { company: 'Acme' }, roles: ['editor'] });
      await users.add(row);
      expect(await users.list({ role: 'editor' })).toEqual([row]);
      await storage.close();
      await drop();
    });

    test('without the tables of strong sign-in gets them while the former version goes on registering', async () => {
      const { url, drop } = await backend.createDatabase();
      const storage = await openStorage(parseDatabaseUrl(url, 'svc'), storageOptions());
      await storage.install();
      await withoutStrongSignIn(url);
      expect(await storage.readSchemaState()).toBe('behind');
      const addresses = Array.from({ length: 20 }, (_, i) => `during-${i}@example.org`);
      const [steps] = await Promise.all([
        storage.install(),
        ...addresses.map(email => registerAsFormerly(url, email)),
      ]);
      expect(steps).toBe(1);
      expect(await storage.readSchemaState()).toBe('current');
      expect(await storage.findDifferences()).toEqual([]);
      for (const email of addresses) await expectUsable(storage, email);
      const { authenticators, recovery_codes, challenges, sessions } = storage.repositories;
      const row = authenticator();
      expect(await authenticators.add(row)).toBe('added');
      expect(await authenticators.add({ ...row, id: 'another' })).toBe('taken');
      expect(await recovery_codes.add(recoveryCodes())).toBe(true);
      expect(await challenges.add(challenge())).toBe(true);
      await sessions.add(sessionRecord());
      await storage.close();
      await drop();
    });
  },
  { only: ['sqlite', 'postgresql', 'mongodb'] },
);
