import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadConfig } from '../../../src/config/load.ts';
import { createGatehouse } from '../../../src/index.ts';
import { checkDatabase } from '../../../src/validate/configuration/database.ts';
import type { Finding } from '../../../src/validate/configuration/finding.ts';
import { executeOnPostgres, withMongo } from '../../support/admin.ts';
import { jwtSecret } from '../../support/app.ts';
import { describeEachBackend } from '../../support/backends.ts';
import { changeAsLaterVersion } from '../../support/later-version.ts';
import { isMissing } from '../../support/needed.ts';
import { type ServerHandle, startMongo } from '../../support/servers.ts';

const logger = { debug() {}, info() {}, warn() {}, error() {} };

/** What svc validate finds about a database; warnings about the server's version apart, which is that of the tests. */
async function findings(databaseUrl: string, name: string): Promise<Finding[]> {
  const { config } = loadConfig({ arguments: { jwtSecret, databaseUrl }, env: {}, cwd: import.meta.dirname });
  const all = await checkDatabase(config);
  return all
    .filter(check => check.name === name)
    .map(({ finding }) => finding)
    .filter(([outcome, text]) => outcome !== 'warn' || !/CVE/.test(text));
}

async function install(databaseUrl: string): Promise<void> {
  const gatehouse = await createGatehouse({ jwtSecret, databaseUrl, logger });
  await gatehouse.installSchema();
  await gatehouse.close();
}

describeEachBackend(
  'a schema that differs',
  backend => {
    test('is a failure with a line for each difference', async () => {
      const { url, drop } = await backend.createDatabase();
      await install(url);
      expect(await findings(url, 'schema')).toEqual([['ok', 'is up to date']]);
      const server = url.replace('+asyncpg', '');
      await executeOnPostgres(server, 'alter table users drop constraint users_email_unique');
      await executeOnPostgres(server, 'alter table mfa_codes drop column attempts');
      expect(await findings(url, 'schema')).toEqual([
        ['fail', 'the unique constraint on users (email) is missing'],
        ['fail', 'the column mfa_codes.attempts is missing'],
      ]);
      await drop();
    });

    test('is no failure where a later version has added to it', async () => {
      const { url, drop } = await backend.createDatabase();
      await install(url);
      await changeAsLaterVersion(url, { isCompatible: true });
      expect(await findings(url, 'schema')).toEqual([
        ['warn', 'was migrated by a newer version with which this one is compatible: finish the upgrade'],
      ]);
      await drop();
    });

    test('a database that is read-only is a failure', async () => {
      const { url, drop } = await backend.createDatabase();
      await install(url);
      const server = url.replace('+asyncpg', '');
      await executeOnPostgres(
        server,
        `alter database ${new URL(server).pathname.slice(1)} set default_transaction_read_only = on`,
      );
      expect(await findings(url, 'database')).toEqual([
        [
          'fail',
          expect.stringMatching(
            /^PostgreSQL accepts no writes: it is a standby, or default_transaction_read_only/,
          ),
        ],
      ]);
      await drop();
    });
  },
  { only: ['postgresql'] },
);

describe.skipIf(isMissing('mongodb'))('a MongoDB user', () => {
  let server: ServerHandle;
  const admin = { user: 'admin', pwd: 'hunter2', roles: ['root'] };
  const as = (user: string) => {
    const url = Object.assign(new URL(server.url), { username: user, password: admin.pwd, pathname: '/svc' });
    url.searchParams.set('authSource', 'admin');
    return url.href;
  };
  beforeAll(async () => {
    server = await startMongo({ auth: true });
    const command = (url: string, document: object) =>
      withMongo(url, client => client.db('admin').command(document));
    await command(server.url, { createUser: admin.user, pwd: admin.pwd, roles: admin.roles });
    const role = (name: string, actions: string[], collection = '') => ({
      createRole: name,
      privileges: [{ resource: { db: 'svc', collection }, actions }],
      roles: [],
    });
    const documents = ['find', 'insert', 'update', 'remove'];
    await command(as('admin'), role('noIndexes', [...documents, 'listIndexes']));
    await command(as('admin'), role('usersOnly', [...documents, 'listIndexes', 'createIndex'], 'users'));
    for (const [user, roles] of [
      ['noIndexes', ['noIndexes']],
      ['usersOnly', ['usersOnly']],
      ['reader', [{ role: 'read', db: 'svc' }]],
      ['writer', [{ role: 'readWrite', db: 'svc' }]],
    ] as const) {
      await command(as('admin'), { createUser: user, pwd: admin.pwd, roles });
    }
    await install(as('writer'));
  });
  afterAll(() => server?.close());

  test.each([
    ['noIndexes', 'createIndex'],
    ['usersOnly', 'find, insert, update, remove, createIndex, listIndexes'],
    ['reader', 'insert, update, remove, createIndex'],
  ])('(%s) without rights that Gatehouse needs is a failure that names them', async (user, actions) => {
    // Behind what says that the server answers, and how it is reached.
    expect((await findings(as(user), 'database')).slice(2)).toEqual([
      [
        'fail',
        `the MongoDB user "${user}" has no right to ${actions} in "svc": grant it the role readWrite there`,
      ],
    ]);
  });

  test.each(['writer', 'admin'])('(%s) with these rights is none', async user => {
    expect((await findings(as(user), 'database')).slice(2)).toEqual([]);
  });
});
