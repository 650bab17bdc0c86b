import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MikroORM as PostgresORM } from '@mikro-orm/postgresql';
import { MikroORM as SqliteORM } from '@mikro-orm/sqlite';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { parseDatabaseUrl } from '../../src/config/database-url.ts';
import { openStorage, type Storage } from '../../src/storage/open.ts';
import { postgresqlOptions } from '../../src/storage/postgresql.ts';
import { sqliteOptions } from '../../src/storage/sqlite-orm.ts';
import type { Table } from '../../src/tables/define.ts';
import { type TableNames, tableNames, tables } from '../../src/tables/index.ts';
import { executeOnPostgres, withMongo, withSqlite } from '../support/admin.ts';
import { describeEachBackend, type TestDatabase } from '../support/backends.ts';
import { changeAsLaterVersion } from '../support/later-version.ts';
import { fewOf } from '../support/repetitions.ts';
import { storageOptions } from '../support/storage.ts';

const script = fileURLToPath(new URL('../support/install-schema.ts', import.meta.url));

/** Installs in several processes, which begin at the same moment; resolves with what each wrote on standard error. */
async function installAtOnce(url: string, processes: number): Promise<{ code: number; errors: string }[]> {
  // Code that one of them has compiled is there for the next.
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

/** Whether MongoDB has an index of it beside the key: without one it makes a collection with the first document. */
const isIndexed = ({ columns, indexes, uniques, mongodb }: Table): boolean =>
  Object.values(columns).some(({ traits }) => traits.isIndexed || traits.isUnique) ||
  (indexes ?? uniques ?? mongodb?.indexes) !== undefined;

const otherNames = Object.fromEntries(tableNames.map(name => [name, `acme_${name}`])) as TableNames;

const attempt = { id: 'a', subject: 'ada@example.org', when: new Date(0), ip: null, settled: true };

describeEachBackend(
  'installing the schema',
  backend => {
    let database: TestDatabase;
    const opened: Storage[] = [];
    const open = async (names: Partial<TableNames> = {}) => {
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
        expect(await (await open()).readSchemaState()).toBe('current');
      });
    }

    test('changes nothing the second time', async () => {
      const storage = await open();
      expect(await storage.readSchemaState()).toBe('behind');
      await storage.install();
      const before = await shapeOf(database.url);
      await storage.repositories.attempts.add(attempt);
      await storage.install();
      await (await open()).install();
      expect(await shapeOf(database.url)).toEqual(before);
      expect(await storage.readSchemaState()).toBe('current');
      expect(await storage.repositories.attempts.clear(attempt.subject)).toBe(1);
    });

    test('lets two instances with other names share one database and nothing in it', async () => {
      const [usual, other] = [await open(), await open(otherNames)];
      await Promise.all([usual.install(), other.install()]);
      await usual.repositories.attempts.add(attempt);
      expect(await other.repositories.attempts.clear(attempt.subject)).toBe(0);
      expect(await usual.repositories.attempts.clear(attempt.subject)).toBe(1);
      expect(await usual.readSchemaState()).toBe('current');
      expect(await other.readSchemaState()).toBe('current');
      const shape = JSON.stringify(await shapeOf(database.url));
      // MongoDB makes a collection without indexes of its own when the first document is stored.
      const isMongodb = backend.name.startsWith('mongodb');
      const expected = tableNames.filter(name => !isMongodb || isIndexed(tables[name]));
      for (const name of expected) expect(shape).toContain(otherNames[name]);
    });

    test('refuses a schema that a later version made, in one clear line', async () => {
      const storage = await open();
      await storage.install();
      await changeAsLaterVersion(database.url, { isCompatible: false });
      expect(await storage.readSchemaState()).toBe('ahead');
      await expect(storage.install()).rejects.toMatchObject({
        name: 'StorageError',
        message: expect.stringMatching(/^The database schema is newer than this version.*$/),
      });
    });

    test('goes on with a schema that a later version has added to, and changes nothing in it', async () => {
      const storage = await open();
      await storage.install();
      await changeAsLaterVersion(database.url, { isCompatible: true });
      const before = await shapeOf(database.url);
      expect(await storage.readSchemaState()).toBe('compatible');
      expect(await storage.install()).toBe(0);
      expect(await shapeOf(database.url)).toEqual(before);
      expect(await storage.findDifferences()).toEqual([]);
    });

    test('stores which versions can run beside it, so that they can read that', async () => {
      await (await open()).install();
      for (const compatible of await markersIn(database.url)) expect(compatible).toBeTruthy();
    });
  },
  { only: ['sqlite', 'postgresql', 'mongodb', ...fewOf(['mongodb-replica'] as const)] },
);

/** What each step that ran says of the versions that can run beside it. */
async function markersIn(url: string): Promise<unknown[]> {
  const database = parseDatabaseUrl(url, 'svc');
  const sql = 'select compatible_from from users_migrations';
  if (database.backend === 'mongodb') {
    return withMongo(url, async client => {
      const stored = await client.db(database.database).collection('users_migrations').find().toArray();
      return stored.map(document => document.compatible_from);
    });
  }
  if (database.backend === 'postgresql') {
    return (await executeOnPostgres(database.url, sql)).map(row => row.compatible_from);
  }
  return withSqlite(database.path, file => file.prepare(sql).pluck().all());
}

describeEachBackend(
  'a database with a table of ours that is not ours',
  backend => {
    // The first table that a step creates, one in the middle, and one that the second step creates.
    const foreign = ['users', 'oauth_states', ...(backend.name === 'sqlite' ? ['users_search_texts'] : [])];

    test.each(foreign)(
      '(%s) is refused in one line that says what to do, and nothing is left',
      async name => {
        const { url, drop } = await backend.createDatabase();
        const database = parseDatabaseUrl(url, 'svc');
        const statement = `create table ${name} (id int primary key, email text)`;
        if (database.backend === 'postgresql') await executeOnPostgres(database.url, statement);
        else await withSqlite((database as { path: string }).path, file => file.exec(statement));
        const before = await shapeOf(url);
        const storage = await openStorage(database, storageOptions());
        const refusal = new RegExp(
          `^The table ${name} already exists and is not part of Gatehouse\\. Set table_prefix or the \\*_collection names`,
        );
        await expect(storage.install()).rejects.toThrow(refusal);
        expect(await shapeOf(url)).toEqual(before);
        expect(await storage.readSchemaState()).toBe('behind');
        await storage.close();
        await drop();
      },
    );
  },
  { only: ['sqlite', 'postgresql'] },
);

describeEachBackend(
  'a database of the version before texted codes were bound',
  backend => {
    test('keeps its codes when it is upgraded, and takes those that the version before still stores', async () => {
      const { url, drop } = await backend.createDatabase();
      const database = parseDatabaseUrl(url, 'svc');
      const run = async (statement: string) => {
        if (database.backend === 'postgresql') await executeOnPostgres(database.url, statement);
        else await withSqlite((database as { path: string }).path, file => file.exec(statement));
      };
      const at = database.backend === 'postgresql' ? 'now()' : String(Date.now());
      const insert = (user: string) =>
        run(`insert into mfa_codes
          (id, user_id, kind, phone_number, code_hash, attempts, created_at, expires_at)
          values ('${user}:login', '${user}', 'login', '+15550100', 'hash of ${user}', 0, ${at}, ${at})
          on conflict (id) do update set code_hash = excluded.code_hash`);
      const former = await openStorage(database, storageOptions());
      await former.install();
      await former.close();
      await run('alter table mfa_codes drop column bound_to');
      await run(`delete from users_migrations where name = '0005-bound-codes'`);
      await insert('ada');

      const storage = await openStorage(database, storageOptions());
      const { mfa_codes } = storage.repositories;
      expect(await storage.readSchemaState()).toBe('behind');
      expect(await storage.install()).toBe(1);
      expect(await mfa_codes.find('ada', 'login')).toMatchObject({ codeHash: 'hash of ada', boundTo: null });
      await insert('grace');
      expect(await mfa_codes.find('grace', 'login')).toMatchObject({ boundTo: null });
      // The version before replaces a code and leaves the column that it does not know.
      const stored = (await mfa_codes.find('grace', 'login'))!;
      await mfa_codes.replace({ ...stored, codeHash: 'newer', boundTo: 'newer token' });
      await insert('grace');
      expect(await mfa_codes.find('grace', 'login')).toMatchObject({
        codeHash: 'hash of grace',
        boundTo: 'newer token',
      });
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
          ? await PostgresORM.init(postgresqlOptions(database, storageOptions()))
          : await SqliteORM.init(sqliteOptions((database as { path: string }).path, storageOptions()));
      const difference = await orm.schema.getUpdateSchemaSQL({ wrap: false });
      await orm.close();
      await storage.close();
      await drop();
      // The ORM has no word for an index of a function's results.
      const unknown = backend.name === 'postgresql' ? ['drop index "users_search";'] : [];
      // The former version, which may run beside this one, still has these.
      const former = /drop column ["`](password_mails|restorations)["`]/;
      const lines = difference.split('\n').map(line => line.trim());
      expect(lines.filter(line => line !== '' && !former.test(line))).toEqual(unknown);
      expect(difference.match(/drop column/g)).toHaveLength(2);
    });
  },
  { only: ['sqlite', 'postgresql'] },
);
