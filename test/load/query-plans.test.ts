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
  ['the first page of superusers', r => r.users.list({ limit: 50, kind: { isSuperuser: true } })],
  ['the number of superusers', r => r.users.count({ kind: { isSuperuser: true } })],
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
      expect(plan).toMatch(/USING (COVERING )?INDEX|Index (Only )?Scan|IXSCAN|IDHACK|COUNT_SCAN/);
      expect(plan).not.toMatch(/SCAN \w+$|SCAN \w+ *\n|Seq Scan|COLLSCAN|TEMP B-TREE|Sort Key|hasSortStage/);
    }
  });
});

describeEachDriver('a search among many users', backend => {
  let database: TestDatabase;
  let opened: Opened;
  let repositories: Repositories;
  beforeAll(async () => {
    database = await backend.createDatabase();
    opened = await openWithPlans(backend, database.url, false);
    const { storage } = opened;
    await storage.install();
    repositories = createRepositories(storage, work => storage.guard(work));
    const now = new Date();
    for (let i = 0; i < 2000; i += 20) {
      const few = Array.from({ length: 20 }, (_, j) => {
        const fields = {
          email: `${i + j}@example.org`,
          fullName: null,
          hashedPassword: null,
          isVerified: true,
        };
        return repositories.users.add(newUser(now, fields));
      });
      await Promise.all(few);
    }
    if (backend.name === 'postgresql') {
      await executeOnPostgres(database.url.replace('+asyncpg', ''), 'analyze users');
    }
  });
  afterAll(async () => {
    await opened?.storage.close();
    await database?.drop();
  });

  test('reads the index of texts, and never every user', async () => {
    const { users } = repositories;
    const plans = await opened.plansOf(async () => {
      for (const search of ['1234@', 'q@', 'nobody']) {
        await users.list({ limit: 50, search });
        await users.count({ search }, 10);
      }
    });
    expect(plans.join('\n')).toMatch(/VIRTUAL TABLE INDEX|Index Scan on users_search|grams: 1/);
    for (const plan of plans) expect(plan).not.toMatch(/SCAN users\b|Seq Scan|COLLSCAN/);
  });
});

async function openWithPlans(backend: Backend, url: string, isSmall = true): Promise<Opened> {
  const options = storageOptions();
  if (backend.name === 'mongodb') return openMongoWithPlans(url);
  if (backend.name === 'sqlite-memory') {
    return openSqlWithPlans(openSqlite(':memory:', options), 'explain query plan ');
  }
  // A table of a few rows is read as a whole unless that is forbidden, whatever indexes it has.
  const plain = url.replace('+asyncpg', '');
  const { pathname } = new URL(plain);
  for (const way of isSmall ? ['seqscan', 'sort', 'bitmapscan'] : [])
    await executeOnPostgres(plain, `alter database ${pathname.slice(1)} set enable_${way} = off`);
  return openSqlWithPlans(await openPostgresql(plain, options), 'explain ');
}

interface Connection {
  query(asked: { text: string; values: unknown[] }): Promise<{ rows: object[] }>;
  release(): void;
}
interface Client {
  prepare(sql: string): { all(values: unknown[]): object[] };
  connect(): Promise<Connection>;
}

/** Listens to all that the database is asked, and has it explain each statement. */
function openSqlWithPlans(storage: StorageBackend, explain: string): Opened {
  return {
    storage,
    async plansOf(work) {
      const { client } = (await storage.counterStore()) as unknown as { client: Client };
      // Everything passes here; what was prepared before is asked for by no other of the reads.
      if (storage.name === 'sqlite') {
        const prepare = vi.spyOn(client, 'prepare');
        await work();
        const statements = prepare.mock.calls.map(([sql]) => sql);
        prepare.mockRestore();
        return statements.map(sql => asPlan(client.prepare(explain + sql).all(anything(sql))));
      }
      const connection = await client.connect();
      const query = vi.spyOn(Object.getPrototypeOf(connection) as Connection, 'query');
      await work();
      const asked = query.mock.calls.flatMap(([statement]) => (statement.text ? [statement] : []));
      query.mockRestore();
      const plans: string[] = [];
      for (const { text, values } of asked) {
        plans.push(asPlan((await connection.query({ text: explain + text, values })).rows));
      }
      connection.release();
      return plans;
    },
  };
}

/** A value for each parameter: a plan is the same for all. */
const anything = (sql: string) => Array.from(sql.matchAll(/\?/g), () => 1);

const asPlan = (rows: object[]) => rows.map(row => Object.values(row).at(-1)).join('\n');

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
