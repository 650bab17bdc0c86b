import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { parseDatabaseUrl } from '../../src/config/database-url.ts';
import { newUser } from '../../src/domain/new-user.ts';
import { StorageError } from '../../src/storage/errors.ts';
import { openStorage } from '../../src/storage/open.ts';
import { executeOnPostgres } from '../support/admin.ts';
import { describeEachBackend, type TestDatabase } from '../support/backends.ts';
import { freePort } from '../support/server-process.ts';
import { storageOptions } from '../support/storage.ts';

const password = 'hunter2';

/** The message of the error with which installing ends; fails where it is not one clear line without a password. */
async function refusalOf(url: string): Promise<string> {
  const storage = await openStorage(parseDatabaseUrl(url, 'svc'), storageOptions());
  try {
    await storage.install();
  } catch (error) {
    expect(error).toBeInstanceOf(StorageError);
    const { message } = error as StorageError;
    expect(message).toMatch(/^[^\n]+\.$/);
    expect(message).not.toContain(password);
    return message;
  } finally {
    await storage.close();
  }
  throw new Error('the schema was installed');
}

/** The URL with other parts. */
function changed(url: string, change: (url: URL) => void): string {
  const parsed = new URL(url);
  change(parsed);
  return parsed.href;
}

describeEachBackend(
  'an operation without the schema',
  backend => {
    let database: TestDatabase;
    beforeAll(async () => {
      database = await backend.createDatabase();
    });
    afterAll(() => database.drop());

    test('is refused as unavailable, and the cause says what to do, until the schema is there', async () => {
      const storage = await openStorage(parseDatabaseUrl(database.url, 'svc'), storageOptions());
      const { users } = storage.repositories;
      const ada = newUser(new Date(), { ...person, email: 'ada@example.org' });
      for (const work of [() => users.findByEmail(ada.email), () => users.add(ada)]) {
        await expect(work()).rejects.toMatchObject({
          code: 'unavailable',
          cause: {
            message:
              'The database schema is not installed: call installSchema() at start-up, or run svc migrate.',
          },
        });
      }
      // Another process installs it.
      const installer = await openStorage(parseDatabaseUrl(database.url, 'svc'), storageOptions());
      await installer.install();
      await installer.close();
      expect(await users.findByEmail(ada.email)).toBeNull();
      expect(await users.add(ada)).toBe(true);
      await storage.close();
    });
  },
  { only: ['sqlite', 'postgresql', 'mongodb'] },
);

const person = { fullName: null, hashedPassword: null, isVerified: true };

describe('an SQLite file that cannot be used (sqlite)', () => {
  const folder = () => mkdtemp(join(inject('temporaryFolder'), 'refused-'));
  const refused = (path: string) => refusalOf(`sqlite+aiosqlite:///${path}`);

  test('is not made in a folder that is missing', async () => {
    const path = join(await folder(), 'missing', 'svc.db');
    expect(await refused(path)).toBe(
      `The folder of the SQLite file ${path} does not exist. Create it, or change database_url.`,
    );
  });

  test('is left alone when it is something else', async () => {
    const path = join(await folder(), 'letter.txt');
    await writeFile(path, 'Dear Ada, '.repeat(500));
    expect(await refused(path)).toContain(`The file ${path} is not an SQLite database.`);
    expect(await readFile(path, 'utf8')).toMatch(/^Dear Ada/);
  });

  test('is told when it is a folder', async () => {
    const path = join(await folder(), 'svc.db');
    await mkdir(path);
    expect(await refused(path)).toContain(`The SQLite file ${path} can't be written`);
  });

  test('is told when its folder is a file', async () => {
    const path = join(await folder(), 'file', 'svc.db');
    await writeFile(join(path, '..'), '');
    expect(await refused(path)).toContain(`The SQLite file ${path} can't be written`);
  });

  // Root ignores the mode of a file, but cannot write into /proc.
  test.skipIf(process.platform !== 'linux')('is told when it cannot be written', async () => {
    expect(await refused('/proc/svc.db')).toContain("The SQLite file /proc/svc.db can't be written");
  });
});

describeEachBackend(
  'a server that cannot be used',
  backend => {
    let database: TestDatabase;
    beforeAll(async () => {
      database = await backend.createDatabase();
    });
    afterAll(() => database.drop());

    test('is named when nothing listens there', async () => {
      const port = String(await freePort());
      const message = await refusalOf(
        changed(database.url, url => Object.assign(url, { port, username: 'ada', password })),
      );
      expect(message).toMatch(/is unreachable \(.+\)\. Check that it runs/);
    });

    test('is named when its name does not resolve', async () => {
      const message = await refusalOf(
        changed(database.url, url => Object.assign(url, { hostname: 'db.invalid' })),
      );
      expect(message).toMatch(/is unreachable \(.+\)\. Check that it runs/);
    });

    test('is named when it takes the connection and then says nothing', async () => {
      const mute = createServer().listen(0, '127.0.0.1');
      await once(mute, 'listening');
      const port = String((mute.address() as AddressInfo).port);
      const message = await refusalOf(changed(database.url, url => Object.assign(url, { port, search: '' })));
      mute.close();
      expect(message).toMatch(/is unreachable \(.+\)\. Check that it runs/);
    });

    test('does not let a stranger in, and says so', async () => {
      const message = await refusalOf(
        changed(database.url, url => Object.assign(url, { username: 'ada', password })),
      );
      expect(message).toMatch(/rejects (the user or the password|the credentials of "ada")\. Check user/);
    });
  },
  { only: ['postgresql', 'mongodb'] },
);

describeEachBackend(
  'a database that cannot be used',
  backend => {
    let database: TestDatabase;
    let server: string;
    beforeAll(async () => {
      database = await backend.createDatabase();
      server = database.url.replace('+asyncpg', '');
    });
    afterAll(() => database.drop());

    test('is named when it does not exist', async () => {
      const message = await refusalOf(
        changed(database.url, url => Object.assign(url, { pathname: 'absent db' })),
      );
      expect(message).toContain('has no database "absent db". Create it, or change database_url.');
      // A mistyped name must not become an empty database, where all accounts are gone.
      const there = await executeOnPostgres(server, `select 1 from pg_database where datname = 'absent db'`);
      expect(there).toEqual([]);
    });

    test('is unavailable while it accepts no connections, as during a restore, and is named', async () => {
      const other = await backend.createDatabase();
      const storage = await openStorage(parseDatabaseUrl(other.url, 'svc'), storageOptions());
      const name = new URL(other.url).pathname.slice(1);
      await executeOnPostgres(server, `alter database "${name}" allow_connections false`);
      try {
        await expect(storage.repositories.users.findByEmail('ada@example.org')).rejects.toMatchObject({
          code: 'unavailable',
          cause: { message: expect.stringContaining(`accepts no connections to "${name}"`) },
        });
      } finally {
        await storage.close();
        await other.drop();
      }
    });

    test('is named when its user may not create tables', async () => {
      const role = `role_${new URL(server).pathname.slice(1)}`;
      await executeOnPostgres(server, `create role ${role} login password '${password}'`);
      try {
        const message = await refusalOf(
          changed(database.url, url => Object.assign(url, { username: role, password })),
        );
        expect(message).toContain(`"${role}" may not create tables in`);
      } finally {
        await executeOnPostgres(server, `drop role ${role}`);
      }
    });

    test('is unavailable to a user who may not use its tables, and is not ready', async () => {
      const role = `guest_${new URL(server).pathname.slice(1)}`;
      const owner = await openStorage(parseDatabaseUrl(database.url, 'svc'), storageOptions());
      await owner.install();
      await owner.close();
      await executeOnPostgres(server, `create role ${role} login password '${password}'`);
      const url = changed(database.url, url => Object.assign(url, { username: role, password }));
      const guest = await openStorage(parseDatabaseUrl(url, 'svc'), storageOptions());
      const refused = {
        code: 'unavailable',
        cause: {
          message: `"${role}" may not read or write Gatehouse's tables: make it their owner, or grant it usage on their schema and select, insert, update and delete on them.`,
        },
      };
      try {
        await expect(guest.repositories.users.findByEmail('ada@example.org')).rejects.toMatchObject(refused);
        await expect(guest.readSchemaState()).rejects.toMatchObject(refused);
        const rights = 'select, insert, update, delete';
        await executeOnPostgres(server, `grant ${rights} on all tables in schema public to ${role}`);
        expect(await guest.findDifferences()).toEqual([]);
        const lacks = (tables: string, isFatal: boolean) => ({
          text: `"${role}" lacks a right on ${tables} (make it their owner, or grant it select, insert, update and delete on them)`,
          isFatal,
        });
        await executeOnPostgres(server, `revoke insert, update on users, mfa_codes from ${role}`);
        expect(await guest.findDifferences()).toEqual([lacks('mfa_codes, users', true)]);
        // Whoever may read and add, and not delete, has taken that right on purpose; columns are as good as a table.
        await executeOnPostgres(server, `grant insert (id), update (id) on users to ${role}`);
        await executeOnPostgres(server, `revoke delete on login_attempts from ${role}`);
        expect(await guest.findDifferences()).toEqual([
          lacks('mfa_codes', true),
          lacks('login_attempts', false),
        ]);
      } finally {
        await guest.close();
        await executeOnPostgres(server, `drop owned by ${role}`);
        await executeOnPostgres(server, `drop role ${role}`);
      }
    });
  },
  { only: ['postgresql'] },
);
