import { MikroORM as PostgresORM } from '@mikro-orm/postgresql';
import { MikroORM as SqliteORM } from '@mikro-orm/sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type DatabaseUrl, parseDatabaseUrl } from '../../src/config/database-url.ts';
import { openStorage, type Storage } from '../../src/storage/open.ts';
import { postgresqlOptions } from '../../src/storage/postgresql.ts';
import { sqliteOptions } from '../../src/storage/sqlite-orm.ts';
import { executeOnPostgres, withMongo, withSqlite } from '../support/admin.ts';
import { describeEachBackend, type TestDatabase } from '../support/backends.ts';
import { storageOptions } from '../support/storage.ts';

const issuer = 'https://accounts.google.com';
const google = { name: 'google', issuer };
const elsewhere = { name: 'google', issuer: 'https://id.example.org' };

/** The schema as it was before identities had an issuer. */
async function installFormer(database: DatabaseUrl): Promise<void> {
  if (database.backend === 'mongodb') {
    await withMongo(database.url, async client => {
      const db = client.db(database.database);
      const identities = db.collection('oauth_identities');
      await identities.createIndex({ provider: 1, subject_id: 1 }, { unique: true });
      await identities.createIndex({ user_id: 1, provider: 1 }, { unique: true });
      const versions = db.collection<{ _id: string; version: number }>('users_migrations');
      await versions.insertOne({ _id: 'schema', version: 2 });
    });
    return;
  }
  const former = <T extends { migrations: { migrationsList: { name: string }[] } }>(options: T): T => {
    const migrationsList = options.migrations.migrationsList.filter(({ name }) => name < '0003');
    return { ...options, migrations: { ...options.migrations, migrationsList } };
  };
  const orm =
    database.backend === 'postgresql'
      ? await PostgresORM.init(former(postgresqlOptions(database, storageOptions())))
      : await SqliteORM.init(former(sqliteOptions(database.path, storageOptions())));
  await orm.migrator.up();
  await orm.close(true);
}

/** Stores an identity as the former version does, which knows nothing of issuers. */
async function insertFormer(database: DatabaseUrl, id: string, subject: string, user = id): Promise<void> {
  if (database.backend === 'mongodb') {
    const linked_at = new Date(0);
    const row = { _id: id, provider: 'google', subject_id: subject, user_id: user, email: null, linked_at };
    await withMongo(database.url, client =>
      client.db(database.database).collection<{ _id: string }>('oauth_identities').insertOne(row),
    );
    return;
  }
  const time = database.backend === 'postgresql' ? 'now()' : '0';
  const statement = `insert into oauth_identities (id, provider, subject_id, user_id, email, linked_at, last_used_at)
    values ('${id}', 'google', '${subject}', '${user}', null, ${time}, null)`;
  if (database.backend === 'postgresql') return void (await executeOnPostgres(database.url, statement));
  await withSqlite(database.path, file => file.exec(statement));
}

describeEachBackend(
  'identities of a version without issuers',
  backend => {
    let created: TestDatabase;
    let database: DatabaseUrl;
    let storage: Storage;
    beforeEach(async () => {
      created = await backend.createDatabase();
      database = parseDatabaseUrl(created.url, 'svc');
      await installFormer(database);
      await insertFormer(database, 'old', '42');
      storage = await openStorage(database, storageOptions());
      await storage.install();
    });
    afterEach(async () => {
      await storage?.close();
      await created?.drop();
    });

    const identities = () => storage.repositories.oauth_identities;
    const identity = (id: string, subjectId: string, of = issuer) => ({
      ...{ id, provider: 'google', issuer: of, subjectId, userId: id },
      ...{ email: null, linkedAt: new Date(0), lastUsedAt: null },
    });

    test('belong, once the schema is brought up to date, to the issuer that is configured then', async () => {
      expect(await identities().find('old')).toMatchObject({ issuer, subjectId: '42', unlinking: null });
      expect(await identities().findBySubject(google, '42')).toMatchObject({ id: 'old', issuer });
      expect(await identities().findBySubject(elsewhere, '42')).toBeNull();
      expect(await identities().listByUser('old')).toMatchObject([{ id: 'old', issuer }]);
    });

    test('leave room for the same subject of another issuer, and for no other of their own', async () => {
      expect(await identities().add(identity('new', '42', elsewhere.issuer))).toBe(true);
      expect(await identities().add(identity('double', '42'))).toBe(false);
      expect(await identities().findBySubject(elsewhere, '42')).toMatchObject({ id: 'new' });
      expect(await identities().findBySubject(google, '42')).toMatchObject({ id: 'old' });
    });

    test('that are stored while both versions run get their issuer when they are first looked for', async () => {
      // A rolling upgrade: the schema is new, and the former version still serves.
      await insertFormer(database, 'later', '43');
      await expect(insertFormer(database, 'double', '43')).rejects.toThrow();
      expect(await identities().listByUser('later')).toMatchObject([{ issuer: '' }]);
      const found = await Promise.all(
        Array.from({ length: 20 }, () => identities().findBySubject(google, '43')),
      );
      for (const row of found) expect(row).toMatchObject({ id: 'later', issuer });
      expect(await identities().find('later')).toMatchObject({ issuer });
      expect(await identities().findBySubject(elsewhere, '43')).toBeNull();
    });

    test('that two issuers look for at once are given to one of them', async () => {
      await insertFormer(database, 'later', '44');
      const found = await Promise.all(
        Array.from({ length: 20 }, (_, i) =>
          identities().findBySubject(i % 2 === 0 ? google : elsewhere, '44'),
        ),
      );
      const winner = (await identities().find('later'))!.issuer;
      expect([google.issuer, elsewhere.issuer]).toContain(winner);
      for (const row of found) expect([winner, undefined]).toContain(row?.issuer);
    });

    test('give way to one that has the issuer', async () => {
      await insertFormer(database, 'later', '45', 'somebody');
      await identities().add(identity('own', '45'));
      expect(await identities().findBySubject(google, '45')).toMatchObject({ id: 'own' });
      expect(await identities().listByUser('somebody')).toMatchObject([{ issuer: '' }]);
    });

    test('are brought up to date once', async () => {
      await insertFormer(database, 'later', '46', 'somebody');
      await identities().add(identity('own', '46'));
      // One that cannot be changed, because its subject has the issuer already, stops no start.
      expect(await storage.install()).toBe(0);
      expect(await storage.readSchemaState()).toBe('current');
    });
  },
  { only: ['sqlite', 'postgresql', 'mongodb'] },
);

// Step 0010: several providers. The version before it knows issuers, but a still older one may have run beside it.
describeEachBackend(
  'a database of the version before several providers',
  backend => {
    test('is upgraded in place while that version goes on linking', async () => {
      const { url, drop } = await backend.createDatabase();
      const database = parseDatabaseUrl(url, 'svc');
      const storage = await openStorage(database, storageOptions());
      await storage.install();
      await takeBack(database);
      expect(await storage.readSchemaState()).toBe('behind');
      await insertFormer(database, 'left', '1');
      await insertFormer(database, 'twice', '2');
      await insertFormer(database, 'next', '5');
      await insertKnown(database, 'own', '2');

      const during = Array.from({ length: 20 }, (_, i) => insertKnown(database, `during-${i}`, `3-${i}`));
      const [steps] = await Promise.all([storage.install(), ...during]);
      expect(steps).toBe(1);
      expect(await storage.readSchemaState()).toBe('current');
      expect(await storage.findDifferences()).toEqual([]);
      const { oauth_identities } = storage.repositories;
      for (const id of ['left', 'next']) {
        expect(await oauth_identities.find(id)).toMatchObject({ issuer, acr: null, amr: null });
      }
      // An identity whose subject has another one with the issuer never signs in, whatever issuer is configured later.
      expect(await oauth_identities.find('twice')).toMatchObject({ issuer: 'superseded' });
      expect(await oauth_identities.findBySubject(google, '2')).toMatchObject({ id: 'own' });
      expect(await oauth_identities.findBySubject(elsewhere, '2')).toBeNull();
      await insertKnown(database, 'after', '4');
      for (const [id, subject] of [
        ['after', '4'],
        ['during-7', '3-7'],
      ] as const) {
        expect(await oauth_identities.findBySubject(google, subject)).toMatchObject({ id, acr: null });
      }
      await storage.close();
      await drop();
    });
  },
  { only: ['sqlite', 'postgresql', 'mongodb'] },
);

const execute = async (database: DatabaseUrl, statement: string): Promise<void> => {
  if (database.backend === 'postgresql') return void (await executeOnPostgres(database.url, statement));
  if (database.backend === 'sqlite') await withSqlite(database.path, file => file.exec(statement));
};

/** Makes a database what the version before step 0010 left. */
async function takeBack(database: DatabaseUrl): Promise<void> {
  if (database.backend === 'mongodb') {
    return withMongo(database.url, async client => {
      const versions = client.db(database.database).collection<{ _id: string }>('users_migrations');
      await versions.updateOne({ _id: 'schema' }, { $set: { version: 8 } });
    });
  }
  await execute(database, 'alter table oauth_states drop column max_age');
  for (const name of ['acr', 'amr']) {
    await execute(database, `alter table oauth_identities drop column ${name}`);
  }
  await execute(database, `delete from users_migrations where name = '0010-several-providers'`);
}

/** Stores an identity as the version before step 0010 does. */
async function insertKnown(database: DatabaseUrl, id: string, subject: string): Promise<void> {
  if (database.backend === 'mongodb') {
    const row = {
      ...{ _id: id, provider: 'google', issuer, subject_id: subject, user_id: id, email: null },
      ...{ linked_at: new Date(0), last_used_at: null, unlinking: null },
    };
    return withMongo(database.url, async client => {
      const identities = client.db(database.database).collection<{ _id: string }>('oauth_identities');
      await identities.insertOne(row);
    });
  }
  const time = database.backend === 'postgresql' ? 'now()' : '0';
  await execute(
    database,
    `insert into oauth_identities (id, provider, issuer, subject_id, user_id, email, linked_at, last_used_at, unlinking)
       values ('${id}', 'google', '${issuer}', '${subject}', '${id}', null, ${time}, null, null)`,
  );
}
