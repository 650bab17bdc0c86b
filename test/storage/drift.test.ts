import { afterEach, beforeEach, expect, test } from 'vitest';
import { parseDatabaseUrl } from '../../src/config/database-url.ts';
import { openStorage, type Storage } from '../../src/storage/open.ts';
import { executeOnPostgres, withMongo, withSqlite } from '../support/admin.ts';
import { describeEachBackend, type TestDatabase } from '../support/backends.ts';
import { storageOptions } from '../support/storage.ts';

let database: TestDatabase;
let storage: Storage;

/** Changes the database behind the back of the instance. */
async function execute(...statements: string[]): Promise<void> {
  const parsed = parseDatabaseUrl(database.url, 'svc');
  if (parsed.backend === 'sqlite') await withSqlite(parsed.path, file => file.exec(statements.join(';')));
  if (parsed.backend !== 'postgresql') return;
  for (const statement of statements) await executeOnPostgres(parsed.url, statement);
}

const found = async () =>
  (await storage.findDifferences()).map(({ text, isFatal }) => `${isFatal ? 'fatal' : 'harmless'}: ${text}`);

type Difference = [title: string, statements: string[], differences: string[]];

/** What SQLite and PostgreSQL have in common. */
const common: Difference[] = [
  [
    'a table that is missing',
    ['drop table pending_registrations', 'drop table gatehouse_rate_limits'],
    [
      'fatal: the table pending_registrations is missing',
      'fatal: the table gatehouse_rate_limits is missing',
    ],
  ],
  [
    'columns that are missing',
    ['alter table users drop column phone_number', 'alter table mfa_codes drop column attempts'],
    ['fatal: the column users.phone_number is missing', 'fatal: the column mfa_codes.attempts is missing'],
  ],
  [
    'indexes that are missing',
    ['drop index login_attempts_email_when_index', 'drop index users_is_active_created_at_id_index'],
    [
      'harmless: the index on users (is_active, created_at, id) is missing',
      'harmless: the index on login_attempts (email, when) is missing',
    ],
  ],
  [
    'nothing where rows may leave out the columns of somebody else',
    [
      `alter table users add column company text not null default 'none'`,
      'alter table users add column team text',
    ],
    [],
  ],
  [
    "nothing about the operator's own tables, columns and indexes, and wider indexes in place of ours",
    [
      'create table orders (id text primary key, user_id text not null references users (id))',
      'alter table users add column company text',
      'create index by_name on users (full_name)',
      'drop index login_attempts_email_when_index',
      'create index theirs on login_attempts (email, "when", ip)',
    ],
    [],
  ],
];

const sqlite: Difference[] = [
  [
    'the unique constraint on the address',
    ['drop index users_email_unique'],
    ['fatal: the unique constraint on users (email) is missing'],
  ],
  [
    'a unique constraint that covers some rows only, or ignores case',
    [
      'drop index users_email_unique',
      'create unique index one on users (email) where is_active = 1',
      'create unique index two on users (email collate nocase)',
      'create unique index three on users (lower(email))',
      'create unique index four on users (email, id)',
    ],
    ['fatal: the unique constraint on users (email) is missing'],
  ],
  [
    'nothing about a unique constraint under another name, with its columns in another order',
    [
      'drop index oauth_identities_user_id_provider_unique',
      'create unique index theirs on oauth_identities (provider, user_id)',
    ],
    [],
  ],
  [
    'a table made anew in another form',
    [
      'drop table token_blacklist',
      'create table token_blacklist (jti integer, exp datetime not null, why text not null)',
      'create index theirs on token_blacklist (exp)',
    ],
    [
      'harmless: the column token_blacklist.jti has the type integer instead of text',
      'harmless: the column token_blacklist.jti accepts null',
      'fatal: the column token_blacklist.why is not part of Gatehouse, does not accept null and has no default, so no row can be added',
      'fatal: the unique constraint on token_blacklist (jti) is missing',
    ],
  ],
  [
    'the index of texts, and the triggers that keep it',
    ['drop table users_search', 'drop table users_search_texts', 'drop trigger users_search_update'],
    [
      'fatal: the table users_search is missing',
      'fatal: the table users_search_texts is missing',
      'harmless: the index users_search_texts_email_index is missing',
      'harmless: the trigger users_search_copied is missing',
      'harmless: the trigger users_search_forgotten is missing',
      'harmless: the trigger users_search_update is missing',
    ],
  ],
];

const postgresql: Difference[] = [
  [
    'the unique constraint on the address',
    ['alter table users drop constraint users_email_unique'],
    ['fatal: the unique constraint on users (email) is missing'],
  ],
  [
    'a unique constraint that covers some rows only, or is checked late',
    [
      'alter table users drop constraint users_email_unique',
      'create unique index one on users (email) where is_active',
      'create unique index two on users (lower(email))',
      'create unique index three on users (email, id)',
      'alter table users add constraint four unique (email) deferrable initially deferred',
    ],
    ['fatal: the unique constraint on users (email) is missing'],
  ],
  [
    'nothing about a unique constraint under another name, with its columns in another order',
    [
      'alter table oauth_identities drop constraint oauth_identities_user_id_provider_unique',
      'create unique index theirs on oauth_identities (provider, user_id)',
    ],
    [],
  ],
  [
    'types and null',
    [
      'alter table users alter column email type varchar(100)',
      'alter table users alter column updated_at type timestamptz(0)',
      'alter table users alter column full_name set not null',
      'alter table users alter column email drop not null',
      'alter table users add column company text not null',
    ],
    [
      'harmless: the column users.email has the type character varying(100) instead of text',
      'harmless: the column users.email accepts null',
      'fatal: the column users.full_name does not accept null',
      'harmless: the column users.updated_at has the type timestamptz(0) instead of timestamptz(3)',
      'fatal: the column users.company is not part of Gatehouse, does not accept null and has no default, so no row can be added',
    ],
  ],
  [
    'a primary key',
    ['alter table login_attempts drop constraint login_attempts_pkey'],
    ['fatal: the unique constraint on login_attempts (id) is missing'],
  ],
  [
    'the index of texts and its function',
    ['drop function users_search cascade'],
    ['harmless: the function users_search is missing', 'harmless: the index users_search is missing'],
  ],
  [
    'nothing about a table of the same name in another schema',
    ['create schema other', 'create table other.users (id text)'],
    [],
  ],
];

describeEachBackend(
  'a schema that differs',
  backend => {
    beforeEach(async () => {
      database = await backend.createDatabase();
      storage = await openStorage(parseDatabaseUrl(database.url, 'svc'), storageOptions());
      await storage.install();
    });
    afterEach(async () => {
      await storage.close();
      await database.drop();
    });

    test('is not found after the installation', async () => {
      expect(await storage.findDifferences()).toEqual([]);
    });

    if (backend.name === 'mongodb') {
      const indexes = <T>(
        work: (users: { dropIndex(name: string): Promise<T> }) => Promise<unknown>,
        name = 'users',
      ) =>
        withMongo(database.url, client =>
          work(client.db(new URL(database.url).pathname.slice(1)).collection(name) as never),
        );

      test('names each index that is missing or has another lifetime', async () => {
        await indexes(users => users.dropIndex('email_1'));
        await indexes(users => users.dropIndex('is_active_1_created_at_1__id_1'));
        await indexes(async attempts => attempts.dropIndex('when_1'), 'login_attempts');
        await withMongo(database.url, client =>
          client
            .db(new URL(database.url).pathname.slice(1))
            .collection('login_attempts')
            .createIndex({ when: 1 }, { expireAfterSeconds: 5 }),
        );
        await withMongo(database.url, client =>
          client.db(new URL(database.url).pathname.slice(1)).dropCollection('pending_registrations'),
        );
        expect(await found()).toEqual([
          'fatal: the unique index on users (email) is missing',
          'harmless: the index on users (is_active, created_at, _id) is missing',
          'fatal: the unique index on pending_registrations (token_hash) is missing',
          'harmless: the index on pending_registrations (expires_at) is missing',
          'harmless: the index on login_attempts (when) removes documents after 5 s instead of after 87300 s',
        ]);
        // The installation mends it.
        await storage.install();
        expect(await found()).toEqual([]);
      });

      test("names nothing about the operator's own indexes", async () => {
        await withMongo(database.url, client =>
          client
            .db(new URL(database.url).pathname.slice(1))
            .collection('users')
            .createIndex({ full_name: 1 }, { unique: true, sparse: true }),
        );
        expect(await found()).toEqual([]);
      });
      return;
    }

    const own = backend.name === 'sqlite' ? sqlite : postgresql;
    test.each([...common, ...own])('names %s', async (_, statements, differences) => {
      await execute(...statements);
      expect(await found()).toEqual(differences);
    });
  },
  { only: ['sqlite', 'postgresql', 'mongodb'] },
);
