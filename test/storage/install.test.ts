import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MikroORM as PostgresORM } from '@mikro-orm/postgresql';
import { MikroORM as SqliteORM } from '@mikro-orm/sqlite';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { parseDatabaseUrl } from '../../src/config/database-url.ts';
import type { EntityNames } from '../../src/entities/index.ts';
import { openStorage, type Storage } from '../../src/storage/open.ts';
import { postgresqlOptions } from '../../src/storage/postgresql.ts';
import { sqliteOptions } from '../../src/storage/sqlite.ts';
import { executeOnPostgres, withMongo, withSqlite } from '../support/admin.ts';
import { describeEachBackend, type TestDatabase } from '../support/backends.ts';
import { storageOptions } from '../support/storage.ts';

const script = fileURLToPath(new URL('../support/install-schema.ts', import.meta.url));

/** Installs in several processes, which begin at the same moment; resolves with what each wrote on standard error. */
async function installAtOnce(url: string, processes: number): Promise<{ code: number; errors: string }[]> {
  // What one of them has compiled, the next need not.
  const env = { ...process.env, NODE_COMPILE_CACHE: join(inject('temporaryFolder'), 'compile-cache') };
  const children = Array.from({ length: processes }, () => spawn(process.execPath, [script, url], { env }));
  const ended = children.map(async child => {
    let errors = '';
    child.stderr.setEncoding('utf8').on('data', text => {
      errors += text;
    });
    const [code] = await once(child, 'close');
    return { code, errors };
  });
  await Promise.all(children.map((child, i) => Promise.race([once(child.stdout, 'data'), ended[i]])));
  for (const child of children) child.stdin.end();
  return Promise.all(ended);
}

/** Every table with its columns and indexes, or every collection with its indexes. */
async function shapeOf(url: string): Promise<unknown> {
  const database = parseDatabaseUrl(url, 'svc');
  if (database.backend === 'mongodb') {
    return withMongo(url, async client => {
      const db = client.db(database.database);
      const names = (await db.collections()).map(c => c.collectionName).sort();
      return Promise.all(names.map(async name => [name, await db.collection(name).indexes()]));
    });
  }
  if (database.backend === 'postgresql') {
    return [
      await executeOnPostgres(
        database.url,
        `select table_name, column_name, data_type, is_nullable from information_schema.columns
         where table_schema = 'public' order by 1, 2`,
      ),
      await executeOnPostgres(
        database.url,
        `select indexdef from pg_indexes where schemaname = 'public' order by 1`,
      ),
    ];
  }
  const orm = await SqliteORM.init(sqliteOptions(database.path, storageOptions()));
  const shape = await orm.em.getConnection().execute('select name, sql from sqlite_master order by name');
  await orm.close();
  return shape;
}

const otherNames: EntityNames = {
  user: 'acme_people',
  pending: 'acme_pending',
  blacklist: 'acme_blacklist',
  loginAttempt: 'acme_attempts',
  mfaCode: 'acme_codes',
  oauthIdentity: 'acme_identities',
  oauthState: 'acme_states',
};

const attempt = { id: 'a', email: 'ada@example.org', when: new Date(0), ip: null, settled: true };

describeEachBackend(
  'installing the schema',
  backend => {
    let database: TestDatabase;
    const opened: Storage[] = [];
    const open = async (names: Partial<EntityNames> = {}) => {
      const storage = await openStorage(parseDatabaseUrl(database.url, 'svc'), storageOptions(names));
      opened.push(storage);
      return storage;
    };
    beforeEach(async () => {
      database = await backend.createDatabase();
    });
    afterEach(async () => {
      await Promise.all(opened.splice(0).map(storage => storage.close()));
      await database.drop();
    });

    if (backend.name === 'mongodb-replica') {
      // On the other backends five whole servers do the same in test/cli/serve.test.ts.
      test('works from five processes at once on an empty database', async () => {
        const results = await installAtOnce(database.url, 5);
        expect(results).toEqual(Array(5).fill({ code: 0, errors: '' }));
        expect(await (await open()).schemaState()).toBe('current');
      });
    }

    test('changes nothing the second time', async () => {
      const storage = await open();
      expect(await storage.schemaState()).toBe('behind');
      await storage.install();
      const before = await shapeOf(database.url);
      await storage.repositories.attempts.add(attempt);
      await storage.install();
      await (await open()).install();
      expect(await shapeOf(database.url)).toEqual(before);
      expect(await storage.schemaState()).toBe('current');
      expect(await storage.repositories.attempts.clear(attempt.email)).toBe(1);
    });

    test('lets two instances with other names share one database and nothing in it', async () => {
      const [usual, other] = [await open(), await open(otherNames)];
      await Promise.all([usual.install(), other.install()]);
      await usual.repositories.attempts.add(attempt);
      expect(await other.repositories.attempts.clear(attempt.email)).toBe(0);
      expect(await usual.repositories.attempts.clear(attempt.email)).toBe(1);
      expect(await usual.schemaState()).toBe('current');
      expect(await other.schemaState()).toBe('current');
      const shape = JSON.stringify(await shapeOf(database.url));
      for (const name of Object.values(otherNames)) expect(shape).toContain(name);
    });

    test('refuses a schema that a later version made, in one clear line', async () => {
      const storage = await open();
      await storage.install();
      await pretendLater(database.url);
      expect(await storage.schemaState()).toBe('ahead');
      await expect(storage.install()).rejects.toMatchObject({
        name: 'StorageError',
        message: expect.stringMatching(/^The database schema is newer than this version.*$/),
      });
    });
  },
  { only: ['sqlite', 'postgresql', 'mongodb', 'mongodb-replica'] },
);

async function pretendLater(url: string): Promise<void> {
  const database = parseDatabaseUrl(url, 'svc');
  if (database.backend === 'mongodb') {
    await withMongo(url, async client => {
      const versions = client.db(database.database).collection<{ _id: string }>('users_migrations');
      await versions.updateOne({ _id: 'schema' }, { $inc: { version: 1 } });
    });
    return;
  }
  const statement = `insert into users_migrations (name, executed_at) values ('9999-later', current_timestamp)`;
  if (database.backend === 'postgresql') return void (await executeOnPostgres(database.url, statement));
  const orm = await SqliteORM.init(sqliteOptions(database.path, storageOptions()));
  await orm.em.getConnection().execute(statement);
  await orm.close();
}

describeEachBackend(
  'a database with a table of ours that is not ours',
  backend => {
    test('is refused in one line that says what to do', async () => {
      const { url, drop } = await backend.createDatabase();
      const database = parseDatabaseUrl(url, 'svc');
      const foreign = 'create table users (id int primary key, email text)';
      if (database.backend === 'postgresql') await executeOnPostgres(database.url, foreign);
      else await withSqlite((database as { path: string }).path, file => file.exec(foreign));
      const storage = await openStorage(database, storageOptions());
      await expect(storage.install()).rejects.toThrow(
        /^There is a table users already that is not ours\. Choose other names by user_collection/,
      );
      await storage.close();
      await drop();
    });
  },
  { only: ['sqlite', 'postgresql'] },
);

describeEachBackend(
  'after migrating',
  backend => {
    test('the tables are what the entities say', async () => {
      const { url, drop } = await backend.createDatabase();
      const database = parseDatabaseUrl(url, 'svc');
      const storage = await openStorage(database, storageOptions());
      await storage.install();
      const orm =
        database.backend === 'postgresql'
          ? await PostgresORM.init(postgresqlOptions(database.url, storageOptions()))
          : await SqliteORM.init(sqliteOptions((database as { path: string }).path, storageOptions()));
      const difference = await orm.schema.getUpdateSchemaSQL({ wrap: false });
      await orm.close();
      await storage.close();
      await drop();
      // The ORM has no word for an index of a function's results.
      const unknown = backend.name === 'postgresql' ? 'drop index "users_search";' : '';
      expect(difference.trim()).toBe(unknown);
    });
  },
  { only: ['sqlite', 'postgresql'] },
);
