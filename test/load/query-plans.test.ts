import type { EntityManager } from '@mikro-orm/core';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { parseDatabaseUrl } from '../../src/config/database-url.ts';
import { newUser } from '../../src/services/new-user.ts';
import type { Backend as StorageBackend } from '../../src/storage/backend.ts';
import { openMongodb } from '../../src/storage/mongodb.ts';
import { openPostgresql } from '../../src/storage/postgresql.ts';
import { createRepositories, type Repositories } from '../../src/storage/repositories/index.ts';
import { openSqlite } from '../../src/storage/sqlite.ts';
import { executeOnPostgres, withMongo } from '../support/admin.ts';
import { type Backend, describeEachDriver, type TestDatabase } from '../support/backends.ts';
import { storageOptions } from '../support/storage.ts';

/** What is asked for while many use the service, or of all users: its cost must not grow with their number. */
const reads: [string, (r: Repositories) => Promise<unknown>][] = [
  ['the session check', r => r.users.findSession('id', 'jti')],
  ['the user of an address', r => r.users.findByEmail('ada@example.org')],
  ['the failures of an address', r => r.attempts.list('ada@example.org')],
  ['the first page of users', r => r.users.list({ limit: 50 })],
  ['the page of users behind a cursor', r => r.users.list({ limit: 50, after: 'id' })],
  ['the first page of pending registrations', r => r.pending.list({ limit: 50 }, new Date())],
  ['a pending registration of a link', r => r.pending.findByTokenHash('hash')],
  ['a user', r => r.users.find('id')],
  ['a code', r => r.mfa_codes.find('id', 'login')],
  ['an external sign-in under way', r => r.oauth_states.find('id')],
  ['an identity', r => r.oauth_identities.findBySubject('google', 'subject')],
];

interface Opened {
  storage: StorageBackend;
  /** The plans of all that the work asks of the database. */
  plansOf(work: () => Promise<unknown>): Promise<string[]>;
}

describeEachDriver('however many users there are', backend => {
  let database: TestDatabase;
  let opened: Opened;
  let repositories: Repositories;
  beforeAll(async () => {
    database = await backend.createDatabase();
    opened = await openWithPlans(backend, database.url);
    const { storage } = opened;
    await storage.install();
    repositories = createRepositories(storage, work => storage.guard(work));
    const now = new Date();
    for (let i = 0; i < 100; i++) {
      const fields = { email: `${i}@example.org`, fullName: null, hashedPassword: null, isVerified: true };
      await repositories.users.add(newUser(now, fields));
    }
  });
  afterAll(async () => {
    await opened?.storage.close();
    await database?.drop();
  });

  test.each(reads)('%s is read through an index, in its order', async (_, read) => {
    const plans = await opened.plansOf(() => read(repositories));
    expect(plans).not.toEqual([]);
    for (const plan of plans) {
      expect(plan).toMatch(/USING (COVERING )?INDEX|Index (Only )?Scan|IXSCAN|IDHACK/);
      expect(plan).not.toMatch(/SCAN \w+$|SCAN \w+ *\n|Seq Scan|COLLSCAN|TEMP B-TREE|Sort Key|hasSortStage/);
    }
  });
});

async function openWithPlans(backend: Backend, url: string): Promise<Opened> {
  const options = storageOptions();
  if (backend.name === 'mongodb') return openMongoWithPlans(url);
  if (backend.name === 'sqlite-memory') {
    return openSqlWithPlans(openSqlite(':memory:', options), 'explain query plan ');
  }
  // A table of a few rows is read as a whole unless that is forbidden, whatever indexes it has.
  const plain = url.replace('+asyncpg', '');
  const { pathname } = new URL(plain);
  for (const way of ['seqscan', 'sort', 'bitmapscan'])
    await executeOnPostgres(plain, `alter database ${pathname.slice(1)} set enable_${way} = off`);
  return openSqlWithPlans(await openPostgresql(plain, options), 'explain ');
}

type Execute = (sql: string, params?: unknown[], ...rest: unknown[]) => Promise<object[]>;
type PoolQuery = (query: { text: string; values: unknown[] }) => Promise<unknown>;

/** Listens to all that the database is asked, by the ORM and past it, and has it explain each statement. */
function openSqlWithPlans(storage: StorageBackend, explain: string): Opened {
  const connectionOf = (em: EntityManager) => em.getConnection() as unknown as { execute: Execute };
  const connection = connectionOf(storage.em());
  const execute = connection.execute.bind(connection);
  const asPlan = (rows: object[]) => rows.map(row => Object.values(row).at(-1)).join('\n');
  return {
    storage,
    async plansOf(work) {
      const asked: [string, unknown[]][] = [];
      const { client } = (await storage.counterStore()) as {
        client: { prepare: (sql: string) => unknown; query: PoolQuery };
      };
      if (storage.name === 'sqlite') {
        // Everything passes here; what was prepared before is asked for by no other of these reads.
        const prepare = vi.spyOn(client, 'prepare');
        await work();
        asked.push(...prepare.mock.calls.map(([sql]): [string, unknown[]] => [bound(sql), []]));
        prepare.mockRestore();
      } else {
        const query = vi.spyOn(client, 'query');
        connection.execute = (sql, params = [], ...rest) => {
          asked.push([sql, params]);
          return execute(sql, params, ...rest);
        };
        await work();
        connection.execute = execute;
        asked.push(...query.mock.calls.map(([{ text }]): [string, unknown[]] => [bound(text), []]));
        query.mockRestore();
      }
      const plans: string[] = [];
      for (const [sql, params] of asked) plans.push(asPlan(await execute(explain + sql, params)));
      return plans;
    },
  };
}

/** A statement of the driver's with texts in place of its parameters. */
const bound = (sql: string) => sql.replace(/\$\d|\?/g, "'x'");

/** The server's own profile has the plan of everything that it did. */
async function openMongoWithPlans(url: string): Promise<Opened> {
  const parsed = parseDatabaseUrl(url, 'svc');
  if (parsed.backend !== 'mongodb') throw new Error('not a MongoDB URL');
  const profile = (level: number) =>
    withMongo(url, async client => {
      const db = client.db(parsed.database);
      await db.command({ profile: level });
      if (level > 0) return [];
      const entries = await db
        .collection('system.profile')
        .find({ ns: { $not: /system/ } })
        .toArray();
      await db.collection('system.profile').drop();
      return entries.flatMap(({ planSummary, hasSortStage }) =>
        planSummary ? [`${planSummary}${hasSortStage ? ' hasSortStage' : ''}`] : [],
      );
    });
  return {
    storage: await openMongodb(parsed.url, parsed.database, storageOptions()),
    async plansOf(work) {
      await profile(2);
      await work();
      return profile(0);
    },
  };
}
