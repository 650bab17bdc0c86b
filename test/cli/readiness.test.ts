import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Server, startServer } from '../../src/cli/server.ts';
import { parseDatabaseUrl } from '../../src/config/database-url.ts';
import type { ConfigInput } from '../../src/config/schema.ts';
import { createGatehouse, type Gatehouse } from '../../src/index.ts';
import { executeOnPostgres, withMongo, withSqlite } from '../support/admin.ts';
import { jwtSecret, password } from '../support/app.ts';
import { describeEachBackend, describeStory, type TestDatabase } from '../support/backends.ts';
import { changeAsLaterVersion } from '../support/later-version.ts';
import { isMissing } from '../support/needed.ts';
import { newAddress } from '../support/people.ts';
import { type ServerHandle, startMongo } from '../support/servers.ts';

/** An instance that serves, and what a balancer and its log see of it. */
interface Instance {
  gatehouse: Gatehouse;
  server: Server;
  /** What `/readyz` answers. */
  ask(): Promise<number>;
  /** A registration, which reads and writes. */
  register(): Promise<number>;
  /** Levels and messages, those of requests apart. */
  records: [level: string, message: string][];
  close(): Promise<void>;
}

const instances: Instance[] = [];

async function start(databaseUrl: string, settings: ConfigInput = {}): Promise<Instance> {
  const records: Instance['records'] = [];
  const keep = (level: string) => (_fields: object, message: string) =>
    void (message === 'request' || message === 'audit' || records.push([level, message]));
  const logger = { debug() {}, info: keep('info'), warn: keep('warn'), error: keep('error') };
  const gatehouse = await createGatehouse({
    ...{ jwtSecret, databaseUrl, port: 0, host: '127.0.0.1', requireVerification: false },
    ...{ mailer: { send: async () => {} }, logger, ...settings },
  });
  await gatehouse.installSchema();
  const server = await startServer(gatehouse, logger);
  records.length = 0;
  const instance: Instance = {
    ...{ gatehouse, server, records },
    ask: async () => (await fetch(`${server.url}/readyz`)).status,
    async register() {
      const body = JSON.stringify({ email: newAddress(), password });
      const headers = { 'Content-Type': 'application/json' };
      return (await fetch(`${server.url}/api/auth/register`, { method: 'POST', headers, body })).status;
    },
    async close() {
      await server.stop();
      await gatehouse.close();
    },
  };
  instances.push(instance);
  return instance;
}

/** Lets everything that is remembered for some seconds be asked for again. */
const later = () => {
  const now = performance.now();
  vi.spyOn(performance, 'now').mockImplementation(() => now + 20_000);
};

afterEach(async () => {
  vi.restoreAllMocks();
  await Promise.all(instances.splice(0).map(instance => instance.close()));
});

describeStory(
  'readiness',
  backend => {
    let database: TestDatabase;
    beforeEach(async () => {
      database = await backend.createDatabase();
    });
    afterEach(async () => {
      await Promise.all(instances.splice(0).map(instance => instance.close()));
      await database.drop();
    });

    /** Changes the database behind the back of the instance. */
    async function execute(statement: string): Promise<void> {
      const parsed = parseDatabaseUrl(database.url, 'svc');
      if (parsed.backend === 'sqlite') await withSqlite(parsed.path, file => file.exec(statement));
      if (parsed.backend === 'postgresql') await executeOnPostgres(parsed.url, statement);
    }

    test('the log says once why an instance is not ready, and when it is again', async () => {
      // A balancer alone asks, and its requests say nothing but 503.
      const { ask, records } = await start(database.url);
      expect([await ask(), await ask()]).toEqual([200, 200]);
      expect(records).toEqual([]);
      const undo = await changeAsLaterVersion(database.url, { isCompatible: false });
      expect([await ask(), await ask()]).toEqual([503, 503]);
      expect(records).toEqual([
        ['warn', 'not ready: the database was migrated by a newer version: run that version'],
      ]);
      await undo();
      expect([await ask(), await ask()]).toEqual([200, 200]);
      expect(records.slice(1)).toEqual([['info', 'ready again']]);
    });

    test('an instance stays ready, serves and starts again while a later version has added to the schema', async () => {
      const former = await start(database.url);
      await changeAsLaterVersion(database.url, { isCompatible: true });
      later();
      expect([await former.ask(), await former.register()]).toEqual([200, 201]);
      expect(await former.gatehouse.status()).toMatchObject({
        status: 'degraded',
        degraded: ['schema'],
        checks: { schema: { status: 'compatible' } },
      });
      // One that is restarted in the middle of an upgrade.
      const again = await start(database.url);
      expect([await again.ask(), await again.register()]).toEqual([200, 201]);
      expect(again.records).toEqual([]);
    });

    test('is lost while the unique constraint on the address is missing, and the log names it', async () => {
      const instance = await start(database.url);
      expect(await instance.ask()).toBe(200);
      await withoutUniqueAddress();
      // The comparison is not made for each request.
      expect(await instance.ask()).toBe(200);
      later();
      expect(await instance.ask()).toBe(503);
      expect(instance.records).toEqual([
        [
          'warn',
          expect.stringMatching(
            /^not ready: the unique (constraint|index) on users \(email\) is missing: svc validate names every difference$/,
          ),
        ],
      ]);
      expect(await instance.gatehouse.status()).toMatchObject({
        status: 'not_ready',
        checks: { schema: { status: 'drift' } },
      });
    });

    async function withoutUniqueAddress(): Promise<void> {
      if (backend.name === 'postgresql')
        return execute('alter table users drop constraint users_email_unique');
      if (backend.name === 'sqlite') return execute('drop index users_email_unique');
      await withMongo(database.url, client =>
        client.db(new URL(database.url).pathname.slice(1)).collection('users').dropIndex('email_1'),
      );
    }

    if (backend.name === 'mongodb') return;

    test('is lost while a column is missing, and kept without an index', async () => {
      const instance = await start(database.url);
      await execute('drop index users_is_active_created_at_id_index');
      expect(await instance.ask()).toBe(200);
      await execute('alter table users drop column phone_number');
      later();
      expect(await instance.ask()).toBe(503);
      expect(instance.records[0]![1]).toContain('the column users.phone_number is missing');
    });
  },
  { only: ['sqlite', 'postgresql', 'mongodb'] },
);

describeEachBackend(
  'a database that takes no writes',
  backend => {
    test.each([
      ['database', (name: string) => `alter database ${name} set default_transaction_read_only = on`],
      [
        'role',
        (name: string) =>
          `alter role current_user in database ${name} set default_transaction_read_only = on`,
      ],
    ])('is not ready, and the log says why (%s)', async (_, setReadOnly) => {
      const database = await backend.createDatabase();
      const url = database.url.replace('+asyncpg', '');
      const name = new URL(url).pathname.slice(1);
      const instance = await start(database.url);
      expect(await instance.ask()).toBe(200);
      await executeOnPostgres(url, setReadOnly(name));
      // Connections that are open stay as they are.
      await executeOnPostgres(
        url,
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}' and pid <> pg_backend_pid()`,
      );
      await expect
        .poll(() => instance.gatehouse.readiness())
        .toEqual({
          isReady: false,
          database: 'read_only',
          schema: 'unknown',
          reason:
            'PostgreSQL accepts no writes: it is a standby, or default_transaction_read_only is on. Name the primary in database_url.',
        });
      expect(await instance.ask()).toBe(503);
      expect(instance.records).toEqual([
        ['warn', expect.stringMatching(/^not ready: PostgreSQL accepts no writes/)],
      ]);
      await Promise.all(instances.splice(0).map(each => each.close()));
      await database.drop();
    });

    test('is not ready for some seconds after a write found no room', async () => {
      const database = await backend.createDatabase();
      const url = database.url.replace('+asyncpg', '');
      const instance = await start(database.url);
      // As a full disk does.
      await executeOnPostgres(
        url,
        `create function no_room() returns trigger language plpgsql as
         $$ begin raise exception using errcode = 'disk_full'; end $$`,
      );
      await executeOnPostgres(
        url,
        'create trigger no_room before insert on users for each row execute function no_room()',
      );
      expect([await instance.ask(), await instance.register(), await instance.ask()]).toEqual([
        200, 503, 503,
      ]);
      expect(instance.records.at(-1)).toEqual([
        'warn',
        'not ready: The disk of the database is full. Free some space.',
      ]);
      await executeOnPostgres(url, 'drop trigger no_room on users');
      later();
      expect([await instance.ask(), await instance.register()]).toEqual([200, 201]);
      await Promise.all(instances.splice(0).map(each => each.close()));
      await database.drop();
    });
  },
  { only: ['postgresql'] },
);

describe.skipIf(isMissing('mongodb-replica'))('a MongoDB that is not the primary', () => {
  let server: ServerHandle;
  beforeEach(async () => {
    server = await startMongo({ replicaSet: true });
  });
  afterEach(async () => {
    await Promise.all(instances.splice(0).map(instance => instance.close()));
    await server.close();
  });

  test('is not ready, and ready again when it is', async () => {
    const whole = await start(server.url.replace('/?', '/svc?'));
    const direct = await start(server.url.replace('/?replicaSet=rs0', '/svc?directConnection=true'));
    expect([await whole.ask(), await direct.ask()]).toEqual([200, 200]);
    const admin = (command: object) =>
      withMongo(`${server.url}&directConnection=true`, client => client.db('admin').command(command));
    await admin({ replSetStepDown: 600, force: true });
    expect([await whole.ask(), await direct.ask()]).toEqual([503, 503]);
    expect(await direct.gatehouse.readiness()).toMatchObject({
      database: 'read_only',
      reason:
        'MongoDB accepts no writes: this server is not the primary. Name the whole replica set in database_url.',
    });
    await admin({ replSetFreeze: 0 });
    await expect.poll(direct.ask).toBe(200);
    await expect.poll(whole.ask).toBe(200);
  });
});
