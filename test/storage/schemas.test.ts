import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import type { ConfigInput } from '../../src/config/schema.ts';
import { tableNames } from '../../src/tables/index.ts';
import { checkDatabase } from '../../src/validate/configuration/database.ts';
import { executeOnPostgres } from '../support/admin.ts';
import { type App, jwtSecret, signUpByMail, startApp } from '../support/app.ts';
import { describeEachBackend, type TestDatabase } from '../support/backends.ts';

const role = { name: '', password: 'hunter2' };

let database: TestDatabase;
const apps: App[] = [];
const open = async (settings: ConfigInput = {}, databaseUrl = database.url) => {
  const app = await startApp({ databaseUrl, settings: { loginRateLimit: '100/hour', ...settings } });
  apps.push(app);
  return app;
};
const serverUrl = () => database.url.replace('+asyncpg', '');
const execute = (statement: string) => executeOnPostgres(serverUrl(), statement);

/** The tables of each schema, those of the server apart. */
async function tables(): Promise<Record<string, number>> {
  const rows = await execute(
    `select table_schema as schema, count(*)::int as count from information_schema.tables
     where table_schema not in ('pg_catalog', 'information_schema') group by 1`,
  );
  return Object.fromEntries(rows.map(row => [row.schema, row.count]));
}

/** Everything that has SQL of its own: accounts, sessions, logouts, counted requests, search, counted records, purging. */
async function useAll(app: App): Promise<void> {
  const { gatehouse } = app;
  const ada = await signUpByMail(app, 'ada@example.org');
  expect((await app.rest('GET', '/me', undefined, { token: ada.token })).status).toBe(200);
  expect((await app.rest('POST', '/logout', {}, { token: ada.token })).status).toBe(200);
  expect((await app.rest('GET', '/me', undefined, { token: ada.token })).status).toBe(401);
  const found = async (search: string) =>
    (await gatehouse.repositories.users.list({ search })).map(user => user.email);
  expect(await found('ada@ex')).toEqual(['ada@example.org']);
  expect(await found('ad')).toEqual(['ada@example.org']);
  await app.rest('POST', '/login', { email: ada.email, password: 'a wrong one' });
  expect(await gatehouse.repositories.attempts.list(ada.email)).toHaveLength(1);
  const act = { at: new Date(), operation: 'login', by: 'self', outcome: 'refused', count: 1 } as const;
  const nothing = { actor: null, subject: null, code: null, changes: null, ip: null, requestId: null };
  for (const id of ['a', 'b'])
    await gatehouse.repositories.audit.add({ id, ...act, ...nothing, device: null, fold: 'equal' });
  expect(await gatehouse.repositories.audit.list({}, { limit: 9 })).toMatchObject([{ id: 'a', count: 2 }]);
  await gatehouse.purgeExpired();
  expect(await gatehouse.schemaState()).toBe('current');
  expect(await gatehouse.readiness()).toMatchObject({ isReady: true, schema: 'ok' });
}

/** Those of the declarations, the index of roles, and the record of the steps. */
const ownTables = tableNames.length + 2;

const lifecycle = (backend: { createDatabase(): Promise<TestDatabase> }) => {
  beforeEach(async () => {
    database = await backend.createDatabase();
  });
  afterEach(async () => {
    await Promise.all(apps.splice(0).map(app => app.close()));
    await database.drop();
  });
};

describeEachBackend(
  'schemas',
  backend => {
    lifecycle(backend);
    const isOn = (name: string) =>
      `alter database ${new URL(serverUrl()).pathname.slice(1)} set search_path to ${name}`;

    test.each([
      ['database', (path: string) => execute(isOn(path))],
      [
        'role',
        (path: string) =>
          execute(
            `alter role ${role.name} in database ${new URL(serverUrl()).pathname.slice(1)} set search_path to ${path}`,
          ),
      ],
    ])('the search path of the %s holds, at the first start and at later ones', async (_, setPath) => {
      role.name = new URL(serverUrl()).username;
      await execute('create schema accounts');
      await setPath('accounts, public');
      await useAll(await open());
      const again = await open();
      expect(await again.gatehouse.schemaState()).toBe('current');
      expect(await again.gatehouse.readiness()).toMatchObject({ isReady: true });
      expect(await tables()).toEqual({ accounts: ownTables });
    });

    test('two roles with search paths of their own share nothing in one database', async () => {
      const names = ['one', 'two'].map(schema => `${schema}_${new URL(serverUrl()).pathname.slice(1)}`);
      for (const name of names) {
        await execute(`create role ${name} login password '${role.password}'`);
        await execute(`create schema authorization ${name}`);
      }
      try {
        for (const username of names) {
          const url = Object.assign(new URL(database.url), { username, password: role.password });
          // The search path of every role begins with the schema of its own name.
          await useAll(await open({}, url.href));
        }
        expect(await tables()).toEqual(Object.fromEntries(names.map(name => [name, ownTables])));
      } finally {
        await Promise.all(apps.splice(0).map(app => app.close()));
        for (const name of names) {
          await execute(`drop owned by ${name} cascade`);
          await execute(`drop role ${name}`);
        }
      }
    });

    test('database_schema is created, and wins over the search path', async () => {
      await execute('create schema elsewhere');
      await execute(isOn('elsewhere'));
      const settings = { databaseSchema: 'Accounts' };
      await useAll(await open(settings));
      expect(await (await open(settings)).gatehouse.schemaState()).toBe('current');
      expect(await tables()).toEqual({ Accounts: ownTables });
    });

    test('two instances in two schemas of one database share nothing', async () => {
      await Promise.all(['one', 'two'].map(async databaseSchema => useAll(await open({ databaseSchema }))));
      expect(await tables()).toEqual({ one: ownTables, two: ownTables });
    });

    test('a schema that may not be created is named, and nothing is left', async () => {
      const name = `role_${new URL(serverUrl()).pathname.slice(1)}`;
      await execute(`create role ${name} login password '${role.password}'`);
      const url = Object.assign(new URL(database.url), { username: name, password: role.password });
      try {
        await expect(open({ databaseSchema: 'accounts' }, url.href)).rejects.toThrow(
          `There is no schema accounts, and the role "${name}" may not create it. Create it for this role (create schema "accounts" authorization "${name}"), or grant the role CREATE on the database.`,
        );
        // The remedy that the error names works.
        await execute(`create schema "accounts" authorization "${name}"`);
        await useAll(await open({ databaseSchema: 'accounts' }, url.href));
        await Promise.all(apps.splice(0).map(app => app.close()));

        await execute('create schema others');
        await expect(open({ databaseSchema: 'others' }, url.href)).rejects.toThrow(
          `"${name}" may not create tables in the schema others`,
        );
        expect(await tables()).toEqual({ accounts: ownTables });
      } finally {
        await execute(`drop owned by ${name} cascade`);
        await execute(`drop role ${name}`);
      }
    });

    test('a search path without a schema that exists is an error that names it', async () => {
      await execute(isOn('nowhere'));
      await expect(open()).rejects.toThrow(
        'The search path of PostgreSQL (nowhere) names no schema that exists. Create one of them, or set database_schema.',
      );
    });

    test('tables of another schema on the search path are neither taken nor hidden', async () => {
      const running = await open();
      await useAll(running);
      await execute('create schema accounts');
      await execute(isOn('accounts, public'));
      // Connections that are open keep their search path.
      await execute(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and pid <> pg_backend_pid()`,
      );
      const refusal =
        'The tables are in the schema public, but the search path (accounts, public) begins with accounts. Set database_schema to public to keep using them, or to accounts for new ones.';
      await expect(open()).rejects.toThrow(refusal);
      // Running instances are not affected, and svc validate reports the error of the next start.
      await expect.poll(() => running.gatehouse.readiness()).toMatchObject({ isReady: true });
      const { config } = running.gatehouse;
      expect(await checkDatabase(config)).toContainEqual({ name: 'database', finding: ['fail', refusal] });
      expect(await tables()).toEqual({ public: ownTables });
      const same = await open({ databaseSchema: 'public' });
      expect(await same.gatehouse.repositories.users.findByEmail('ada@example.org')).not.toBeNull();
      await useAll(await open({ databaseSchema: 'accounts' }));
      expect(await tables()).toEqual({ public: ownTables, accounts: ownTables });
    });
  },
  { only: ['postgresql'] },
);

describeEachBackend(
  'names of tables',
  backend => {
    lifecycle(backend);

    test('every one of them begins with table_prefix, and those of other prefixes are not touched', async () => {
      const settings: ConfigInput[] = [{}, { tablePrefix: 'one_' }, { tablePrefix: 'two_' }];
      await Promise.all(settings.map(async each => useAll(await open(each))));
    });

    // Where the server cuts names off, these would become one.
    const long = 'a'.repeat(62);

    test('two names that differ in the last of 63 letters are two', async () => {
      for (const end of ['x', 'y']) {
        const tablePrefix = `${'p'.repeat(41)}${end}`;
        await useAll(await open({ userCollection: `${long}${end}`, tablePrefix }));
        expect(
          await (await open({ userCollection: `${long}${end}`, tablePrefix })).gatehouse.schemaState(),
        ).toBe('current');
      }
    });
  },
  { only: ['sqlite', 'postgresql', 'mongodb'] },
);

test('names that are given are taken as they are, the others get the prefix', () => {
  const { config } = loadConfig({
    arguments: {
      jwtSecret,
      tablePrefix: 'acme_',
      pendingCollection: 'waiting',
      rateLimitCollection: 'counts',
    },
    env: {},
    cwd: import.meta.dirname,
  });
  expect(config).toMatchObject({
    userCollection: 'acme_users',
    pendingCollection: 'waiting',
    blacklistCollection: 'acme_token_blacklist',
    rateLimitCollection: 'counts',
    migrationCollection: 'acme_users_migrations',
  });
});
