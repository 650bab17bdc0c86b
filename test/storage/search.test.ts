import { MikroORM as PostgresORM } from '@mikro-orm/postgresql';
import { MikroORM as SqliteORM } from '@mikro-orm/sqlite';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type DatabaseUrl, parseDatabaseUrl } from '../../src/config/database-url.ts';
import { newUser } from '../../src/domain/new-user.ts';
import { openStorage, type Storage } from '../../src/storage/open.ts';
import { postgresqlOptions } from '../../src/storage/postgresql.ts';
import { sqliteOptions } from '../../src/storage/sqlite-orm.ts';
import type { User } from '../../src/tables/user.ts';
import { executeOnPostgres, withMongo, withSqlite } from '../support/admin.ts';
import { describeEachBackend, describeEachKind, type TestDatabase } from '../support/backends.ts';
import { storageOptions } from '../support/storage.ts';

/** The columns that a user must have. */
const columns = `id, email, full_name, hashed_password, phone_number, is_active, is_verified, is_superuser,
  is_mfa_enabled, created_at, updated_at`;

interface Person {
  email: string;
  fullName: string | null;
}

const person = (email: string, fullName: string | null = null): Person => ({ email, fullName });

/** Texts that a database, an index of words or a pattern might take for more than letters. */
const people: Person[] = [
  person('ada.lovelace@example.org', 'Ada Lovelace'),
  person('ADA+tag@EXAMPLE.com', 'aDa'),
  person('zo@e.io', 'Zoë Ünal'),
  person('quote"s@example.org', `O'Neil "the" \\ back`),
  person('percent@example.org', '100%_off * ? $1 (a|b) [c] {2} ^d$ .e'),
  person('star@example.org', 'joh* NEAR AND OR NOT email:x'),
  person('wang@example.cn', '王伟'),
  person('smile@example.org', '😀😀 grin'),
  person('kelvin@example.org', '300 K and ſharp'),
  person('hidden@example.org', 'a b  c   d'),
  person('odysseus@example.gr', 'ΟΔΥΣΣΕΥΣ Οδυσσεύς'),
  person('gross@example.de', 'GROẞ Straße'),
  person('istanbul@example.tr', 'İstanbul ışık Ix'),
  person('signs@example.org', 'Ü[é*Ñ?]\\^ö-$Ž'),
  person('a@b.c'),
  person('nobody@example.net'),
];

/** Two letters of ASCII, or two others, are the same but for their case (Unicode's simple case folding). */
const isSame = (one: string, other: string) =>
  one > '\x7f' && other > '\x7f'
    ? new RegExp(`^${one}$`, 'iu').test(other)
    : one === other || (/^[a-z]{2}$/i.test(one + other) && one.toLowerCase() === other.toLowerCase());
/** A text of three letters is found anywhere, a shorter one at the beginning. */
const isFound = (text: string | null, part: string) => {
  const [stored, searched] = [[...(text ?? '')], [...part]];
  const places = searched.length < 3 ? [0] : Array.from(stored.keys());
  return places.some(place =>
    searched.every((letter, i) => stored[place + i] !== undefined && isSame(letter, stored[place + i]!)),
  );
};

/** Every part of up to five letters of these texts, and texts without a match. */
function parts(): string[] {
  const found = new Set([
    'zzz',
    'q9',
    '\u{10ffff}',
    'ADA',
    'KELVIN',
    'ë ü',
    'STRASSE',
    'grüß',
    'îst',
    'OR',
    '"a" OR "b"',
    '300 k',
    'ada ',
    ' ',
  ]);
  for (const text of people.flatMap(({ email, fullName }) => [email, fullName ?? ''])) {
    const letters = [...text];
    for (const [at] of letters.entries()) {
      for (const length of [1, 2, 3, 5]) found.add(letters.slice(at, at + length).join(''));
    }
    found.add(text);
    found.add(text.toUpperCase());
  }
  found.delete('');
  return [...found];
}

let created = 0;
const asUser = ({ email, fullName }: Person) => ({
  ...newUser(new Date(++created), { email, fullName, hashedPassword: null, isVerified: true }),
  id: `user-${String(created).padStart(6, '0')}`,
});

describeEachKind('searching users', backend => {
  let database: TestDatabase;
  let storage: Storage;
  let users: Storage['repositories']['users'];
  beforeAll(async () => {
    database = await backend.lendDatabase();
    storage = await openStorage(parseDatabaseUrl(database.url, 'svc'), storageOptions());
    await storage.install();
    ({ users } = storage.repositories);
  });
  afterAll(async () => {
    await storage?.close();
    await database?.drop();
  });
  beforeEach(async () => {
    for (const { id } of await users.list({})) await users.remove(id);
  });

  const found = async (search: string) => (await users.list({ search })).map(({ email }) => email);

  test('finds exactly those whose address or name contains the text, or begins with a short one, newest first', async () => {
    for (const one of people) await users.add(asUser(one));
    for (const [i, search] of parts().entries()) {
      const expected = people
        .filter(({ email, fullName }) => isFound(email, search) || isFound(fullName, search))
        .map(({ email }) => email)
        .reverse();
      expect({ search, found: await found(search) }).toEqual({ search, found: expected });
      expect({ search, count: await users.count({ search }) }).toEqual({ search, count: expected.length });
      // Counts with a bound or a kind ask for the same rows, so some are enough.
      if (i % 8 > 0) continue;
      expect(await users.count({ search }, 2)).toBe(Math.min(2, expected.length));
      expect(await users.count({ search, kind: { isVerified: false } }, 2)).toBe(0);
    }
  });

  test('follows every change of address and name', async () => {
    const { id } = asUser(person('x@x.org'));
    await users.add({ ...asUser(person('before@example.org', 'Former Name')), id });
    await users.changeEmail(id, 'after@example.org');
    expect([await found('before'), await found('after'), await found('former')]).toEqual([
      [],
      ['after@example.org'],
      ['after@example.org'],
    ]);
    await users.change(id, { set: { fullName: 'Present Name' } });
    expect([await found('former n'), await found('present n'), await found('after')]).toEqual([
      [],
      ['after@example.org'],
      ['after@example.org'],
    ]);
    await users.change(id, { set: { fullName: null } });
    expect(await found('name')).toEqual([]);
    await users.remove(id);
    expect(await found('after')).toEqual([]);
  });

  test.each(['\u{10ffff}', '\u{10fffe}', '\uffff', '\ufffe', '\ud7ff', '\ue000', '\u007f'])(
    'finds letters before, at and behind a rare one',
    async rare => {
      await users.add(asUser(person(`rare@example.net`, `Z${rare}bc`)));
      for (const search of ['z', `z${rare}`, `z${rare}b`, `${rare}BC`]) {
        expect(await found(search)).toEqual(['rare@example.net']);
      }
    },
  );

  test('gives every page of many, in order and each user once', async () => {
    const emails = Array.from({ length: 30 }, (_, i) => `page-${i}@example.org`);
    for (const email of emails) await users.add(asUser(person(email)));
    const pages: string[] = [];
    let after: User | undefined;
    for (;;) {
      const rows = await users.list({ search: 'PAGE-', limit: 7, after });
      if (rows.length === 0) break;
      pages.push(...rows.map(({ email }) => email));
      after = rows.at(-1)!;
    }
    expect(pages).toEqual(emails.toReversed());
    const skipped = await users.list({ search: 'page-', limit: 7, skip: 20 });
    expect(skipped.map(({ email }) => email)).toEqual(emails.toReversed().slice(20, 27));
  });
});

describeEachBackend(
  'users that somebody else put there',
  backend => {
    test('are found, once the schema is installed', async () => {
      const database = await backend.createDatabase();
      const parsed = parseDatabaseUrl(database.url, 'svc');
      await installFirstVersion(parsed);
      await insertRaw(parsed, 'early', 'early@example.org');
      const storage = await openStorage(parsed, storageOptions());
      expect(await storage.readSchemaState()).toBe('behind');
      expect(await storage.install()).toBeGreaterThan(0);
      await insertRaw(parsed, 'late', 'late@example.org');
      const { users } = storage.repositories;
      for (const search of ['example', 'LA', 'e', 'arly@', 'late']) {
        const ids = (await users.list({ search })).map(({ id }) => id);
        expect(ids).toEqual(['late', 'early'].filter(id => isFound(`${id}@example.org`, search)));
      }
      await storage.close();
      await database.drop();
    });
  },
  { only: ['sqlite', 'postgresql', 'mongodb'] },
);

describeEachBackend(
  'an index of texts in a file',
  backend => {
    let database: TestDatabase;
    let storage: Storage;
    let users: Storage['repositories']['users'];
    let path: string;
    beforeEach(async () => {
      database = await backend.createDatabase();
      const parsed = parseDatabaseUrl(database.url, 'svc') as DatabaseUrl & { backend: 'sqlite' };
      path = parsed.path;
      storage = await openStorage(parsed, storageOptions());
      await storage.install();
      ({ users } = storage.repositories);
    });
    afterEach(async () => {
      await storage?.close();
      await database?.drop();
    });

    test('stays what it is when the file is packed anew', async () => {
      const all = people.map(one => asUser(one));
      for (const user of all) await users.add(user);
      for (const { id } of all.slice(0, 3)) await users.remove(id);
      await withSqlite(path, file => file.exec('vacuum'));
      await users.changeEmail(all[4]!.id, 'moved@example.org');
      await users.remove(all[5]!.id);
      expect((await users.list({ search: 'moved' })).map(({ id }) => id)).toEqual([all[4]!.id]);
      expect(await users.list({ search: 'percent' })).toEqual([]);
      const indexed = await withSqlite(path, file => {
        file.exec(`insert into users_search (users_search) values ('integrity-check')`);
        return file.prepare('select user_id from users_search_texts').pluck().all();
      });
      expect(indexed.sort()).toEqual((await users.list({})).map(({ id }) => id).sort());
    });

    test('names more than contain the text, where a letter beyond ASCII is the other case of one of ASCII', async () => {
      await withSqlite(path, file =>
        file.exec(
          `insert into users (${columns})
           with recursive n(i) as (select 1 union all select i + 1 from n where i < 10100)
           select printf('%06d', i), i || '@example.org', iif(i > 10098, '300 k', '300 \u212a'), null, null,
                  1, 1, 0, 0, 1, 1 from n`,
        ),
      );
      expect((await users.list({ search: '300 K' })).map(({ id }) => id)).toEqual(['010100', '010099']);
      expect(await users.count({ search: '300 k' }, 10_000)).toBe(2);
      expect(await users.count({ search: '300 \u212a' }, 10_000)).toBe(10_000);
    });

    test('forgets a row that another takes the place of', async () => {
      const put = (id: string, email: string, name: string) =>
        withSqlite(path, file =>
          file.exec(
            `insert or replace into users (${columns})
             values ('${id}', '${email}', '${name}', null, null, 1, 1, 0, 0, 1, 1)`,
          ),
        );
      await users.add({ ...asUser(person('old@example.org', 'Forgotten Person')), id: 'one' });
      await put('one', 'new@example.org', 'Somebody');
      await put('two', 'new@example.org', 'Somebody Else');
      for (const search of ['forgotten', 'somebody', 'example']) {
        const ids = (await users.list({ search })).map(({ id }) => id);
        expect(ids).toEqual(search === 'forgotten' ? [] : ['two']);
        expect(await users.count({ search }, 10)).toBe(ids.length);
      }
      await users.remove('two');
      const left = await withSqlite(path, file => file.prepare('select * from users_search_texts').all());
      expect(left).toEqual([]);
    });

    test('gives pages of more hits than are counted, wherever they are', async () => {
      // The hits are the older third, so that none is among the newest.
      await withSqlite(path, file =>
        file.exec(
          `insert into users (${columns})
           with recursive n(i) as (select 1 union all select i + 1 from n where i < 31000)
           select printf('%06d', i), iif(i <= 10500, 'old-', 'new-') || i || '@example.org', null, null, null,
                  1, 1, 0, 0, i, i from n`,
        ),
      );
      const ids = async (page: object) => (await users.list({ search: 'old-', ...page })).map(({ id }) => id);
      expect(await ids({ limit: 2 })).toEqual(['010500', '010499']);
      expect(await ids({ limit: 2, skip: 10_498 })).toEqual(['000002', '000001']);
      expect(await ids({ limit: 2, after: { createdAt: new Date(3), id: '000003' } })).toEqual([
        '000002',
        '000001',
      ]);
      expect(await ids({ limit: 2, kind: { isSuperuser: true } })).toEqual([]);
      expect(await ids({ limit: 2, skip: 2 ** 31 })).toEqual([]);
      expect((await users.list({ search: 'example', limit: 1 })).map(({ id }) => id)).toEqual(['031000']);
      expect(await users.count({ search: 'old-' }, 10_000)).toBe(10_000);
      expect(await users.count({ search: 'old-' })).toBe(10_500);
      expect(await users.count({ search: 'old-', kind: { isActive: true } }, 10_000)).toBe(10_000);
      expect(await users.count({ search: 'old-', kind: { isSuperuser: true } }, 10_000)).toBe(0);
    });
  },
  { only: ['sqlite'] },
);

/** The schema as it was before there was an index of texts. */
async function installFirstVersion(database: DatabaseUrl): Promise<void> {
  if (database.backend === 'mongodb') {
    await withMongo(database.url, client =>
      client
        .db(database.database)
        .collection<{ _id: string; version: number }>('users_migrations')
        .insertOne({ _id: 'schema', version: 1 }),
    );
    return;
  }
  const options =
    database.backend === 'postgresql'
      ? postgresqlOptions(database, storageOptions())
      : sqliteOptions(database.path, storageOptions());
  const migrations = { ...options.migrations, migrationsList: options.migrations.migrationsList.slice(0, 1) };
  const orm =
    database.backend === 'postgresql'
      ? await PostgresORM.init({ ...postgresqlOptions(database, storageOptions()), migrations })
      : await SqliteORM.init({ ...sqliteOptions(database.path, storageOptions()), migrations });
  await orm.migrator.up();
  await orm.close(true);
}

/** A user as an operator's script would write it. */
async function insertRaw(database: DatabaseUrl, id: string, email: string): Promise<void> {
  const now = new Date();
  if (database.backend === 'mongodb') {
    const document = { _id: id, email, full_name: null, is_active: true, created_at: now, updated_at: now };
    await withMongo(database.url, client =>
      client.db(database.database).collection<{ _id: string }>('users').insertOne(document),
    );
    return;
  }
  const [yes, no, time] =
    database.backend === 'postgresql' ? ['true', 'false', 'now()'] : ['1', '0', String(now.getTime())];
  const statement = `insert into users (id, email, is_active, is_verified, is_superuser, is_mfa_enabled, created_at, updated_at)
    values ('${id}', '${email}', ${yes}, ${no}, ${no}, ${no}, ${time}, ${time})`;
  if (database.backend === 'postgresql') return void (await executeOnPostgres(database.url, statement));
  await withSqlite(database.path, file => file.exec(statement));
}
