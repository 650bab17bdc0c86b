import { afterEach, beforeEach, expect, test } from 'vitest';
import { parseDatabaseUrl } from '../../src/config/database-url.ts';
import { newUser } from '../../src/domain/new-user.ts';
import { numberedTexts } from '../../src/storage/migrations/0019-list-order.ts';
import { openStorage, type Storage } from '../../src/storage/open.ts';
import type { User } from '../../src/tables/user.ts';
import { withSqlite } from '../support/admin.ts';
import { describeEachBackend, describeEachKind, type TestDatabase } from '../support/backends.ts';
import { storageOptions } from '../support/storage.ts';

const id = (number: number) => `user-${String(number).padStart(5, '0')}`;

interface Person {
  number: number;
  /** In milliseconds since 1970. */
  at: number;
  email: string;
}

// The expected pages are cut here from everybody, in the order of CONTRACT §2.2: `created_at`, then `id`.
describeEachKind('pages of users', backend => {
  let database: TestDatabase;
  let storage: Storage;
  let users: Storage['repositories']['users'];
  beforeEach(async () => {
    database = await backend.lendDatabase();
    storage = await openStorage(parseDatabaseUrl(database.url, 'svc'), storageOptions());
    await storage.install();
    ({ users } = storage.repositories);
  });
  afterEach(async () => {
    await storage?.close();
    await database?.drop();
  });

  /** Adds users. One in seven is not active, one in three has a role. */
  const add = (people: readonly Person[]) =>
    users.addMany(
      people.map(({ number, at, email }) => ({
        ...newUser(new Date(at), { email, fullName: null, hashedPassword: null, isVerified: true }),
        ...{ id: id(number), isActive: number % 7 > 0, roles: number % 3 > 0 ? null : ['editor'] },
      })),
    );

  const range = (count: number, of: (number: number) => Omit<Person, 'number'>): Person[] =>
    Array.from({ length: count }, (_, i) => ({ number: i + 1, ...of(i + 1) }));
  const oldOrNew = (number: number, isOld: boolean) => `${isOld ? 'old' : 'new'}-${number}@example.org`;

  const inOrder = (a: User, b: User) =>
    b.createdAt.getTime() - a.createdAt.getTime() || (a.id < b.id ? 1 : -1);

  async function expectPages(searches: (string | undefined)[] = [undefined, 'old-', 'w-3']): Promise<void> {
    const all = (await users.list({})).toSorted(inOrder);
    const places = [undefined, ...[0.5, 0.9].map(part => all[Math.floor(all.length * part)])];
    for (const search of searches) {
      for (const kind of [{}, { isActive: true }, { isActive: false }, { isReported: false }]) {
        for (const role of search === undefined ? [undefined, 'editor'] : [undefined]) {
          const hits = all.filter(
            ({ email, isActive, roles }) =>
              email.includes(search ?? '') &&
              isActive === (kind.isActive ?? isActive) &&
              (role === undefined || roles?.includes(role)),
          );
          for (const after of places) {
            const behind = hits.filter(
              user => after === undefined || (user.id !== after.id && inOrder(after, user) < 0),
            );
            for (const [skip, limit] of [
              [0, 20],
              [300, 51],
            ] as const) {
              const listing = { search, kind, role, after, skip, limit };
              const expected = behind.slice(skip, skip + limit).map(user => user.id);
              const page = await users.list(listing);
              expect(page.map(user => user.id)).toEqual(expected);
              // Both count the same.
              if (skip > 0) continue;
              const { rows, total } = await users.listAndCount(listing, 1000);
              expect(rows).toEqual(page);
              expect(total).toBe(Math.min(1000, hits.length));
            }
          }
          expect(await users.count({ search, kind, role }, 1000)).toBe(Math.min(1000, hits.length));
        }
      }
    }
  }

  test('are in the order of created_at, whatever their ids are and whenever they were added', async () => {
    await add(range(2500, n => ({ at: (n * 7919) % 10_007, email: oldOrNew(n, n % 3 > 0) })));
    await expectPages();
  });

  test('are in the order of ids where many were created at the same time', async () => {
    await add(range(2500, n => ({ at: n % 3, email: oldOrNew((n * 7919) % 10_007, n % 4 > 0) })));
    await expectPages();
  });

  test('are in order where no hit is among the newest', async () => {
    await add(range(2500, n => ({ at: n, email: oldOrNew(n, n <= 1500) })));
    await expectPages();
  });

  test('are in order after renamings, deletions and later arrivals', async () => {
    await add(range(2000, n => ({ at: 10 * n, email: oldOrNew(n, n <= 1500) })));
    await users.changeEmail(id(30), 'renamed-30@example.org');
    await users.changeEmail(id(1900), 'old-fellow@example.org');
    for (let number = 1000; number < 1050; number++) await users.remove(id(number));
    await add(
      range(60, n => ({ at: 100 * n + 5, email: `old-later-${n}@example.org` })).map(later => ({
        ...later,
        number: later.number + 5000,
      })),
    );
    await expectPages();
    const [first] = await users.list({ search: 'old-', limit: 1 });
    expect(first!.email).toBe('old-fellow@example.org');
  });

  test('go on behind a user who is gone', async () => {
    await add(range(5, n => ({ at: n, email: oldOrNew(n, true) })));
    const [, second] = await users.list({ limit: 2 });
    await users.remove(second!.id);
    expect((await users.list({ limit: 2, after: second! })).map(user => user.id)).toEqual([id(3), id(2)]);
  });
});

const columns = `id, email, full_name, hashed_password, phone_number, is_active, is_verified, is_superuser,
  is_mfa_enabled, created_at, updated_at`;

describeEachBackend(
  "SQLite's index of texts",
  backend => {
    let database: TestDatabase;
    let storage: Storage;
    let users: Storage['repositories']['users'];
    let execute: (sql: string) => Promise<unknown>;
    beforeEach(async () => {
      database = await backend.lendDatabase();
      const parsed = parseDatabaseUrl(database.url, 'svc');
      const { path } = parsed as { path: string };
      execute = sql => withSqlite(path, file => file.exec(sql));
      storage = await openStorage(parsed, storageOptions());
      await storage.install();
      ({ users } = storage.repositories);
    });
    afterEach(async () => {
      await storage?.close();
      await database?.drop();
    });

    const add = (number: number, at: number | string, insert = 'insert') =>
      execute(`${insert} into users (${columns})
        values ('${id(number)}', 'old-${number}@example.org', null, null, null, 1, 1, 0, 0, ${at}, 1)`);
    const found = async (search = 'old-') => (await users.list({ search, limit: 20 })).map(user => user.id);

    test('follows what other programs write', async () => {
      for (const number of [1, 2, 3, 4]) await add(number, number);
      await execute(`update users set created_at = 9 where id = '${id(1)}'`);
      expect(await found()).toEqual([id(1), id(4), id(3), id(2)]);
      await execute(`update users set id = '${id(5)}' where id = '${id(2)}'`);
      await execute(`update or replace users set email = 'old-4@example.org' where id = '${id(3)}'`);
      expect(await found()).toEqual([id(1), id(3), id(5)]);
      await add(1, 2, 'insert or replace');
      expect(await found()).toEqual([id(3), id(5), id(1)]);
      await execute('delete from users');
      expect(await found()).toEqual([]);
      await execute(`insert into users_search (users_search) values ('integrity-check')`);
    });

    test('takes every time that another program may have stored', async () => {
      const times = ['-5', '1e300', '9e18', '1.5', `'2026-01-02'`, '253402300799999'];
      for (const [i, at] of times.entries()) await add(i, at);
      expect((await found()).toSorted()).toEqual(times.map((_, i) => id(i)));
    });

    test('has room for those for whom their millisecond has no number left', async () => {
      for (const number of [1, 2]) await add(number, 7);
      const last = 8 * 2 ** 20 - 1;
      await execute(
        `insert into users_search_texts (no, user_id, email) values (${last}, 'x', char(1, 1) || 'x')`,
      );
      await add(3, 8);
      for (const number of [4, 5]) await add(number, 7);
      expect(await found()).toEqual([id(3), id(5), id(4), id(2), id(1)]);
    });
  },
  { only: ['sqlite'] },
);

test('the migration numbers texts in the order of the list, also where a millisecond has more users than numbers', async () => {
  const numbered = await withSqlite(':memory:', file => {
    file.exec(`create table users (id text, created_at integer);
      create table texts (user_id text, email text, full_name text);
      insert into users values ('c', 10), ('a', 10), ('b', 10), ('d', 11), ('e', 11), ('z', 9), ('f', 20);
      insert into texts select id, id, null from users`);
    return file.prepare(`${numberedTexts('texts', 'users', 2)} order by no`).all();
  });
  expect(numbered.map((row: object) => Object.values(row))).toEqual([
    ['z', 'z', null, 18],
    ['a', 'a', null, 20],
    ['b', 'b', null, 21],
    ['c', 'c', null, 22],
    ['d', 'd', null, 23],
    ['e', 'e', null, 24],
    ['f', 'f', null, 40],
  ]);
});
