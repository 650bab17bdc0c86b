import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseDatabaseUrl } from '../../src/config/database-url.ts';
import { openStorage, type Storage } from '../../src/storage/open.ts';
import type { User } from '../../src/tables/user.ts';
import { executeOnPostgres, withSqlite } from '../support/admin.ts';
import { describeEachBackend, type TestDatabase } from '../support/backends.ts';
import { storageOptions } from '../support/storage.ts';
import { at, counter, hostile, pendingRow, user } from './records.ts';

describeEachBackend('storage of own fields and roles', backend => {
  let database: TestDatabase;
  let storage: Storage;
  beforeAll(async () => {
    database = await backend.lendDatabase();
    storage = await openStorage(parseDatabaseUrl(database.url, 'gatehouse'), storageOptions());
    await storage.install();
  });
  afterAll(async () => {
    await storage?.close();
    await database?.drop();
  });

  async function stored(fields: Partial<User> = {}): Promise<User> {
    const record = user(fields);
    await storage.repositories.users.add(record);
    return record;
  }
  const read = async ({ id }: User) => (await storage.repositories.users.find(id))!;

  describe('fields', () => {
    test('come back as they were stored, in the session check too', async () => {
      const fields = {
        text: hostile,
        whole: 7,
        part: 0.1,
        large: 1.7976931348623157e308,
        small: 5e-324,
        no: false,
      };
      const record = await stored({ fields, roles: ['editor'] });
      expect(await read(record)).toEqual(record);
      const session = await storage.repositories.users.findSession(record.id, 'no-such-jti');
      expect(session?.user).toEqual(record);
    });

    test('are not read by the session check while the configuration names none', async () => {
      const parsed = parseDatabaseUrl(database.url, 'gatehouse');
      if (parsed.backend === 'mongodb' || backend.name === 'sqlite-memory') return;
      const record = await stored({ fields: { company: 'Acme' }, roles: ['editor'] });
      const plain = await openStorage(parsed, { ...storageOptions(), omitsOwnData: true });
      const session = await plain.repositories.users.findSession(record.id, 'no-such-jti');
      expect(session?.user).toEqual({ ...record, fields: null, roles: null });
      expect(await plain.repositories.users.find(record.id)).toEqual(record);
      await plain.close();
    });

    test('change one by one: null removes one, and the others stay', async () => {
      const record = await stored({ fields: { company: 'Acme', team: 'Blue', former: { is: 'kept' } } });
      const { users } = storage.repositories;
      const changed = await users.change(record.id, { fields: { company: hostile, team: null, size: 3 } });
      const expected = { company: hostile, former: { is: 'kept' }, size: 3 };
      expect(changed?.fields).toEqual(expected);
      expect((await read(record)).fields).toEqual(expected);
      expect(
        (await users.change(record.id, { fields: { $where: 'x', $company: '$email' } }))?.fields,
      ).toEqual({
        ...expected,
        $where: 'x',
        $company: '$email',
      });
    });

    test('are added to a user who has none', async () => {
      const record = await stored();
      const { users } = storage.repositories;
      await users.change(record.id, { fields: { company: 'Acme' }, set: { fullName: 'Ada' } });
      expect(await read(record)).toMatchObject({ fields: { company: 'Acme' }, fullName: 'Ada' });
    });

    test('are not lost when many change different ones at once', async () => {
      const record = await stored({ fields: { first: 1 } });
      const names = Array.from({ length: 40 }, (_, i) => `field_${i}`);
      const { users } = storage.repositories;
      await Promise.all(names.map((name, i) => users.change(record.id, { fields: { [name]: i } })));
      expect((await read(record)).fields).toEqual({
        first: 1,
        ...Object.fromEntries(names.map((name, i) => [name, i])),
      });
    });

    test('change only while the conditions hold', async () => {
      const record = await stored({ isActive: false, fields: { company: 'Acme' } });
      const change = { fields: { company: 'Other' }, roles: { known: ['editor'], given: ['editor'] } };
      expect(await storage.repositories.users.change(record.id, change, { isActive: true })).toBeNull();
      expect(await read(record)).toEqual(record);
    });
  });

  describe('roles', () => {
    const known = ['editor', 'billing'];
    const give = (record: User, ...given: string[]) =>
      storage.repositories.users.change(record.id, { roles: { known, given } });
    const sorted = (record: User | null) => record?.roles?.toSorted();

    test('are set among those that are known; the others stay', async () => {
      const record = await stored({ roles: ['former', 'billing'] });
      expect(sorted(await give(record, 'editor'))).toEqual(['editor', 'former']);
      expect(sorted(await give(record, 'editor', 'billing'))).toEqual(['billing', 'editor', 'former']);
      expect(sorted(await give(record))).toEqual(['former']);
      expect(sorted(await read(record))).toEqual(['former']);
      expect(sorted(await give(await stored(), 'editor'))).toEqual(['editor']);
    });

    test('are not lost when lists of different roles are set at once', async () => {
      const record = await stored({ roles: ['former'] });
      const names = Array.from({ length: 20 }, (_, i) => `one-of-many-${i}`);
      const { users } = storage.repositories;
      await Promise.all(
        names.map(name => users.change(record.id, { roles: { known: [name], given: [name] } })),
      );
      expect(sorted(await read(record))).toEqual(['former', ...names].toSorted());
    });

    test('filter the list of users: newest first, in pages, with other filters and a search', async () => {
      const { users } = storage.repositories;
      const role = `role-${++counter.value}`;
      const name = `Holder ${counter.value}`;
      const records = [];
      for (let i = 0; i < 5; i++) {
        records.push(
          await stored({
            id: `${role}-${i}`,
            createdAt: new Date(i),
            fullName: name,
            isActive: i !== 3,
            roles: i === 1 ? ['other'] : [role],
          }),
        );
      }
      const idsOf = async (listing: object) =>
        (await users.list({ role, ...listing })).map(({ id }) => id.slice(role.length + 1));
      expect(await idsOf({})).toEqual(['4', '3', '2', '0']);
      expect(await idsOf({ limit: 2 })).toEqual(['4', '3']);
      expect(await idsOf({ limit: 2, skip: 2 })).toEqual(['2', '0']);
      expect(await idsOf({ after: { createdAt: new Date(3), id: `${role}-3` } })).toEqual(['2', '0']);
      expect(await idsOf({ kind: { isActive: true } })).toEqual(['4', '2', '0']);
      expect(await idsOf({ search: name })).toEqual(['4', '3', '2', '0']);
      expect(await idsOf({ search: name, kind: { isActive: false } })).toEqual(['3']);
      expect(await idsOf({ search: 'Nobody' })).toEqual([]);
      expect(await users.count({ role })).toBe(4);
      expect(await users.count({ role }, 3)).toBe(3);
      expect(await users.count({ role, search: name })).toBe(4);
      expect(await users.listAndCount({ role, kind: { isActive: true }, limit: 1 }, 100)).toMatchObject({
        rows: [{ id: `${role}-4` }],
        total: 3,
      });
      expect(await users.count({ role: role.toUpperCase() })).toBe(0);
      expect(await users.count({ role: hostile })).toBe(0);
    });

    test('leave the filter when they are taken, and with the account', async () => {
      const { users } = storage.repositories;
      const role = `role-${++counter.value}`;
      const roles = { known: [role], given: [role] };
      const [one, two] = [await stored({ roles: [role] }), await stored()];
      await users.change(two.id, { roles });
      expect(await users.count({ role })).toBe(2);
      await users.change(one.id, { roles: { known: [role], given: [] } });
      expect(await users.list({ role })).toMatchObject([{ id: two.id }]);
      await users.remove(two.id);
      expect(await users.count({ role })).toBe(0);
      expect(await users.list({ role })).toEqual([]);
    });

    test('are decided by the user, not by the index alone', async () => {
      const parsed = parseDatabaseUrl(database.url, 'gatehouse');
      if (parsed.backend === 'mongodb' || backend.name === 'sqlite-memory') return;
      const { users } = storage.repositories;
      const role = `role-${++counter.value}`;
      const [one, two] = [await stored({ roles: [role] }), await stored()];
      for (const id of [two.id, 'nobody']) {
        const at = parsed.backend === 'postgresql' ? 'now()' : Date.now();
        const statement = `insert into users_role_index (role, user_created_at, user_id) values ('${role}', ${at}, '${id}')`;
        if (parsed.backend === 'postgresql') await executeOnPostgres(parsed.url, statement);
        else await withSqlite(parsed.path, file => file.exec(statement));
      }
      expect(await users.list({ role })).toMatchObject([{ id: one.id }]);
      expect(await users.count({ role })).toBe(1);
    });

    test('are found, too, when another program wrote them', async () => {
      const parsed = parseDatabaseUrl(database.url, 'gatehouse');
      if (parsed.backend === 'mongodb' || backend.name === 'sqlite-memory') return;
      const role = `role-${++counter.value}`;
      const [one, two] = [await stored(), await stored({ roles: [role] })];
      const statements = [
        `update users set own_roles = '["${role}", "${role}"]' where id = '${one.id}'`,
        `update users set id = 'renamed-${two.id}' where id = '${two.id}'`,
      ];
      for (const statement of statements) {
        if (parsed.backend === 'postgresql') await executeOnPostgres(parsed.url, statement);
        else await withSqlite(parsed.path, file => file.exec(statement));
      }
      const { users } = storage.repositories;
      const ids = (await users.list({ role })).map(({ id }) => id);
      expect(ids.toSorted()).toEqual([`renamed-${two.id}`, one.id].toSorted());
    });
  });

  describe('fields of a pending registration', () => {
    test('belong to the registration that gave them', async () => {
      const { pending } = storage.repositories;
      const row = pendingRow({ fields: { company: 'Acme' }, fieldsAt: at(0) });
      await pending.add(row);
      expect((await pending.find(row.email))?.fields).toEqual({ company: 'Acme' });
      // A new link is not another registration.
      await pending.renew(row, { tokenHash: 'another link', expiresAt: at(2000) });
      expect((await pending.findByTokenHash('another link'))?.fields).toEqual({ company: 'Acme' });
      // The former version replaces what it knows, and leaves the fields.
      const {
        fields: _,
        fieldsAt: __,
        ...asFormerly
      } = { ...row, createdAt: at(500), tokenHash: 'third link' };
      await pending.supersede({ ...row, tokenHash: 'another link' }, asFormerly as typeof row);
      expect(await pending.find(row.email)).toMatchObject({ tokenHash: 'third link', fields: null });
    });
  });
});
