import { expect, test } from 'vitest';
import { parseDatabaseUrl } from '../../src/config/database-url.ts';
import { newUser } from '../../src/services/new-user.ts';
import { openStorage } from '../../src/storage/open.ts';
import { executeOnPostgres } from '../support/admin.ts';
import { describeEachBackend } from '../support/backends.ts';
import { storageOptions } from '../support/storage.ts';

describeEachBackend(
  'a connection',
  backend => {
    test('outlasts rows that are refused', async () => {
      // Whoever guesses at one password makes many, and must not make the server open a connection for each.
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
