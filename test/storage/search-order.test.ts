import { afterEach, beforeEach, expect, test } from 'vitest';
import { parseDatabaseUrl } from '../../src/config/database-url.ts';
import { openStorage, type Storage } from '../../src/storage/open.ts';
import { withSqlite } from '../support/admin.ts';
import { describeEachBackend, type TestDatabase } from '../support/backends.ts';
import { storageOptions } from '../support/storage.ts';

const columns = `id, email, full_name, hashed_password, phone_number, is_active, is_verified, is_superuser,
  is_mfa_enabled, created_at, updated_at`;
const id = (number: number) => String(number).padStart(6, '0');

// A search with more hits than are counted reads the newest of them from SQLite's index, which is in the order of ids but
// for some rows. The expected pages are cut here from the list of all users.
describeEachBackend(
  'pages of a text that many users have',
  backend => {
    let database: TestDatabase;
    let storage: Storage;
    let users: Storage['repositories']['users'];
    let execute: (sql: string) => Promise<unknown>;
    beforeEach(async () => {
      database = await backend.createDatabase();
      const parsed = parseDatabaseUrl(database.url, 'svc') as { backend: 'sqlite'; path: string };
      execute = sql => withSqlite(parsed.path, file => file.exec(sql));
      storage = await openStorage(parsed as ReturnType<typeof parseDatabaseUrl>, storageOptions());
      await storage.install();
      ({ users } = storage.repositories);
    });
    afterEach(async () => {
      await storage?.close();
      await database?.drop();
    });

    /** Adds users by another program, with these ids and addresses by number. One in seven is not active. */
    const add = (numbers: string, address: string, insert = 'insert') =>
      execute(`${insert} into users (${columns})
        select printf('%06d', i), ${address}, null, null, null, i % 7 > 0, 1, 0, 0, 1, 1 from (${numbers})`);
    const range = (from: number, to: number) =>
      `with recursive n(i) as (select ${from} union all select i + 1 from n where i < ${to}) select i from n`;

    async function expectPages(search = 'old-') {
      const all = await users.list({});
      const hits = all.filter(({ email, fullName }) => `${email} ${fullName}`.includes(search));
      expect(hits.length).toBeGreaterThan(1000);
      for (const kind of [{}, { isActive: true }, { isActive: false }]) {
        const of = hits.filter(({ isActive }) => isActive === (kind.isActive ?? isActive));
        for (const after of [undefined, id(2000), id(1501), id(40), '']) {
          const behind = of.filter(user => after === undefined || user.id < after);
          for (const [skip, limit] of [
            [0, 20],
            [7, 51],
            [300, 20],
            [2490, 20],
          ] as const) {
            const page = await users.list({ search, kind, after, skip, limit });
            const expected = behind.slice(skip, skip + limit);
            expect(page.map(user => user.id)).toEqual(expected.map(user => user.id));
          }
        }
        expect(await users.count({ search, kind }, 1000)).toBe(Math.min(1000, of.length));
      }
    }

    test('are in order where no hit is among the newest', async () => {
      await add(range(1, 4000), `iif(i <= 3000, 'old-', 'new-') || i || '@example.org'`);
      await expectPages();
    });

    test('are in order after renamings, deletions and replacements', async () => {
      await add(range(1, 4000), `iif(i <= 2500, 'old-', 'new-') || i || '@example.org'`);
      await users.changeEmail(id(30), 'renamed-30@example.org');
      await users.changeEmail(id(3700), 'old-fellow@example.org');
      await users.change(id(3600), { set: { fullName: 'an old-fashioned name' } });
      await execute(`delete from users where id between '${id(1000)}' and '${id(1100)}'`);
      await execute(`update users set email = 'old-' || email where id > '${id(3900)}' and id % 3 = 0`);
      await execute(`update or replace users set email = 'old-2@example.org' where id = '${id(3500)}'`);
      await execute(`update users set id = '${id(50_000)}' where id = '${id(10)}'`);
      await execute(`update users set id = '${id(1050)}' where id = '${id(2400)}'`);
      await add(range(2500, 2510), `'old-other-' || i || '@example.org'`, 'insert or replace');
      await expectPages();
      expect(
        (await users.list({ search: 'old-', limit: 3 })).map(({ email }) => email.replace(/\d.*/, '')),
      ).toEqual(['old-', 'old-new-', 'old-new-']);
    });

    test.each([
      ['some', 400],
      ['many', 1500],
    ])('are in order where %s users were added out of it', async (_, count) => {
      await add(range(1, 4000), `iif(i <= 3000 and i % 2 = 0, 'old-', 'new-') || i || '@example.org'`);
      const odd = `select i from (${range(1, 2 * count)}) where i % 2 > 0`;
      await execute(`delete from users where id in (select printf('%06d', i) from (${odd}))`);
      await add(`select i from (${odd}) order by i desc`, `'old-' || i || '@example.org'`);
      await expectPages();
    });

    test('are in order where ids are random', async () => {
      await add(
        `select (i * 7919) % 10007 as i from (${range(1, 4000)})`,
        `iif(i % 3 > 0, 'old-', 'new-') || i || '@example.org'`,
      );
      await expectPages();
    });

    test('leave nothing behind in the index', async () => {
      await add(range(1, 1200), `'old-' || i || '@example.org'`);
      await users.changeEmail(id(5), 'new@example.org');
      await execute(`update users set id = 'x' where id = '${id(6)}'`);
      await execute(`insert into users_search (users_search) values ('integrity-check')`);
      expect((await users.list({ search: 'new@' })).map(user => user.id)).toEqual([id(5)]);
      expect(await users.count({ search: 'old-5@' })).toBe(0);
      await execute('delete from users');
      expect(await users.count({ search: 'old-' })).toBe(0);
      await execute(`insert into users_search (users_search) values ('integrity-check')`);
    });
  },
  { only: ['sqlite'] },
);
