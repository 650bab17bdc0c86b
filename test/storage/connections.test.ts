import type { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { parseDatabaseUrl } from '../../src/config/database-url.ts';
import { newUser } from '../../src/domain/new-user.ts';
import { openStorage, type Storage } from '../../src/storage/open.ts';
import { executeOnPostgres } from '../support/admin.ts';
import { describeEachBackend } from '../support/backends.ts';
import { storageOptions } from '../support/storage.ts';

describeEachBackend(
  'a connection',
  backend => {
    test('outlasts rows that are refused', async () => {
      // An attacker who guesses at one password sends many requests, which must not open a connection each.
      const database = await backend.createDatabase();
      const parsed = parseDatabaseUrl(database.url, 'svc');
      const storage = await openStorage(parsed, storageOptions());
      await storage.install();
      const { users } = storage.repositories;
      const connections = () =>
        executeOnPostgres(
          parsed.backend === 'postgresql' ? parsed.url : '',
          `select pid from pg_stat_activity where datname = current_database() and application_name = 'gatehouse'`,
        );
      const someone = () =>
        newUser(new Date(), { email: 'a@b.c', fullName: null, hashedPassword: null, isVerified: true });
      expect(await users.add(someone())).toBe(true);
      const before = await connections();
      for (let i = 0; i < 5; i++) expect(await users.add(someone())).toBe(false);
      expect(await connections()).toEqual(before);
      await storage.close();
      await database.drop();
    });
  },
  { only: ['postgresql'] },
);

describeEachBackend(
  'closing',
  backend => {
    test('leaves no connection behind', async () => {
      // A command would end ten seconds late, and a host that reloads would use up the server.
      const database = await backend.createDatabase();
      const parsed = parseDatabaseUrl(database.url, 'svc');
      const storage = await openStorage(parsed, storageOptions());
      await storage.install();
      await storage.repositories.users.find('nobody');
      const open = () =>
        executeOnPostgres(
          parsed.backend === 'postgresql' ? parsed.url : '',
          `select pid from pg_stat_activity where datname = current_database() and application_name = 'gatehouse'`,
        );
      expect(await open()).not.toEqual([]);
      await storage.close();
      await expect.poll(open).toEqual([]);
      await database.drop();
    });
  },
  { only: ['postgresql'] },
);

describeEachBackend(
  'a pool of a size that the configuration gives',
  backend => {
    test('holds no more connections, however many want one', async () => {
      // A server takes so many connections, and all instances together must not want more.
      const database = await backend.createDatabase();
      const storage = await openStorage(parseDatabaseUrl(database.url, 'svc'), {
        ...storageOptions(),
        poolSize: 2,
      });
      const made = backend.name === 'mongodb' ? await countMade(storage) : null;
      await storage.install();
      await Promise.all(Array.from({ length: 40 }, () => storage.repositories.users.find('nobody')));
      expect(made ? made() : await countOpen(database.url)).toBe(2);
      await storage.close();
      await database.drop();
    });
  },
  { only: ['postgresql', 'mongodb'] },
);

/** How many connections of instances are open at a PostgreSQL database. */
async function countOpen(url: string): Promise<number> {
  const parsed = parseDatabaseUrl(url, 'svc');
  const sql = `select pid from pg_stat_activity where datname = current_database() and application_name = 'gatehouse'`;
  return parsed.backend === 'postgresql' ? (await executeOnPostgres(parsed.url, sql)).length : 0;
}

/** Counts the connections that the driver of MongoDB makes for operations from now on. */
async function countMade(storage: Storage): Promise<() => number> {
  const { store } = await storage.openCounters();
  let made = 0;
  (store.client as EventEmitter).on('connectionCreated', () => made++);
  return () => made;
}
