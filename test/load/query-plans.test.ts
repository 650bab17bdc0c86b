import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { parseDatabaseUrl } from '../../src/config/database-url.ts';
import { newUser } from '../../src/domain/new-user.ts';
import type { Backend as StorageBackend } from '../../src/storage/backend.ts';
import { openMongodb } from '../../src/storage/mongodb.ts';
import { openPostgresql } from '../../src/storage/postgresql.ts';
import { createRepositories, type Repositories } from '../../src/storage/repositories/index.ts';
import { openSqlite } from '../../src/storage/sqlite.ts';
import { executeOnPostgres, withMongo, withPostgres } from '../support/admin.ts';
import { type Backend, describeEachDriver, type TestDatabase } from '../support/backends.ts';
import { storageOptions } from '../support/storage.ts';

const day = (number: number) => new Date(number * 86_400_000);
const place = { createdAt: day(20_000), id: 'id' };
const record = '019c0a2b-5d3e-7f10-8a6b-3c4d5e6f7081';

/** What is asked for while many use the service, or of all users: its cost must not grow with their number. */
const reads: [string, (r: Repositories) => Promise<unknown>][] = [
  [
    'the session check, alone and with others',
    async ({ users }) => {
      await users.findSession('id', 'jti');
      await Promise.all(['a', 'b'].map(id => users.findSession(id, id)));
    },
  ],
  [
    'the check of access tokens, alone and with others, and of that of a key',
    async ({ users, api_keys }) => {
      await users.findToken('id', 'jti', 'token');
      await Promise.all(['a', 'b'].map(id => users.findToken(id, id, id)));
      await api_keys.findOfToken('id', 'jti');
    },
  ],
  ['the user of an address', r => r.users.findByEmail('ada@example.org')],
  ['the failures of an address', r => r.attempts.list('ada@example.org')],
  ['what a sign-in starts from', r => r.users.findForSignIn('ada@example.org', 'decoy:1')],
  ['the messages of the hour', r => r.attempts.countAfter('sms:installation', new Date())],
  ['the oldest message of the hour', r => r.attempts.listAfter('sms:installation', new Date(), 1)],
  ['the first page of users', r => r.users.list({ limit: 50 })],
  ['the page of users behind a cursor', r => r.users.list({ limit: 50, after: place })],
  [
    'the page of active users behind a cursor',
    r => r.users.list({ limit: 50, after: place, kind: { isActive: true } }),
  ],
  [
    'the page of accounts that were not reported behind a cursor',
    r => r.users.list({ limit: 50, after: place, kind: { isReported: false } }),
  ],
  ['the first page of superusers', r => r.users.list({ limit: 50, kind: { isSuperuser: true } })],
  ['the first page of users with a role', r => r.users.list({ limit: 50, role: 'editor' })],
  ['the page of a role behind a cursor', r => r.users.list({ limit: 50, role: 'editor', after: place })],
  [
    'the active users with a role',
    r => r.users.list({ limit: 50, role: 'editor', kind: { isActive: true } }),
  ],
  ['the number of users with a role', r => r.users.count({ role: 'editor' }, 10)],
  ['the number of superusers', r => r.users.count({ kind: { isSuperuser: true } })],
  ['the first page of pending registrations', r => r.pending.listAndCount({ limit: 50 }, new Date(), 1)],
  ['a pending registration of a link', r => r.pending.findByTokenHash('hash')],
  ['the messages that are due', r => r.outbox.claim('lease', 20_000, 4)],
  ['the first page of messages', r => r.outbox.list({}, { limit: 50 })],
  [
    'the page of dead messages behind a cursor',
    r => r.outbox.list({ state: 'dead' }, { after: 'id', limit: 50 }),
  ],
  ['the number of dead messages', r => r.outbox.count({ kind: 'mail', state: 'dead' }, 10)],
  ['the first page of audit records', r => r.audit.list({}, { limit: 50 })],
  ['the audit records of a day', r => r.audit.list({ since: day(1), until: day(2) }, { limit: 50 })],
  ['the acts about a user', r => r.audit.list({ subject: 'id' }, { limit: 50, after: record })],
  ['one’s own acts', r => r.audit.list({ subject: 'id', by: 'self' }, { limit: 50 })],
  ['the acts of a user since a day', r => r.audit.list({ actor: 'id', since: day(1) }, { limit: 50 })],
  ['the acts of an operation', r => r.audit.list({ operation: 'login' }, { limit: 50 })],
  ['the failed acts', r => r.audit.list({ outcome: 'failed' }, { limit: 50 })],
  [
    'the acts by every filter',
    r => {
      const only = { actor: 'a', subject: 'id', operation: 'login', outcome: 'ok' } as const;
      return r.audit.list({ ...only, since: day(1), until: day(2) }, { limit: 50 });
    },
  ],
  [
    'the refusals of an operation',
    r => r.audit.list({ operation: 'login', outcome: 'refused' }, { limit: 50, after: record }),
  ],
  ['the audit records that are too old', r => r.audit.purge(day(1))],
  ['a user', r => r.users.find('id')],
  ['a code', r => r.mfa_codes.find('id', 'login')],
  ['an external sign-in under way', r => r.oauth_states.find('id')],
  [
    'an identity',
    r => r.oauth_identities.findBySubject({ name: 'google', issuer: 'https://issuer.example' }, 'subject'),
  ],
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
    // Not a lent one: plans depend on the statistics that former rows leave.
    database = await backend.createDatabase();
    opened = await openWithPlans(backend, database.url);
    const { storage } = opened;
    await storage.install();
    repositories = createRepositories(storage, work => storage.guard(work), storageOptions());
    // MongoDB makes a collection without an index of its own with the first document.
    await repositories.password_failures.add({ subject: 'decoy:1', password: '', failures: 1 });
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
    // Rows are counted up to a bound.
    for (const plan of plans.map(plan => plan.replace(/SCAN counted$/, ''))) {
      expect(plan).toMatch(/USING (COVERING )?INDEX|Index (Only )?Scan|IXSCAN|IDHACK|COUNT_SCAN/);
      expect(plan).not.toMatch(/SCAN \w+$|SCAN \w+ *\n|Seq Scan|COLLSCAN|TEMP B-TREE|Sort Key|hasSortStage/);
    }
  });

  test('the locked addresses are found among the rows of the window alone', async () => {
    const bound = { least: 5, prefix: 'known:', limit: 9 };
    const plans = await opened.plansOf(() => repositories.attempts.listFull(new Date(), bound));
    expect(plans).toHaveLength(1);
    expect(plans[0]).toMatch(/login_attempts_when_index|when: 1/);
    expect(plans[0]).not.toMatch(/SCAN (login|\w+$)|Seq Scan|COLLSCAN/);
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
    repositories = createRepositories(storage, work => storage.guard(work), storageOptions());
    const now = new Date();
    // The planner would find them last in the list of users.
    for (let i = 0; i < 20; i++) {
      const fields = {
        email: `editor-${i}@example.org`,
        fullName: null,
        hashedPassword: null,
        isVerified: true,
      };
      await repositories.users.add(newUser(now, { ...fields, roles: ['editor'] }));
    }
    for (let i = 0; i < 2000; i += 20) {
      const few = Array.from({ length: 20 }, (_, j) => {
        const fields = {
          email: `${i + j}@example.org`,
          fullName: null,
          hashedPassword: null,
          isVerified: true,
        };
        return repositories.users.add(newUser(now, { ...fields, roles: ['member'] }));
      });
      await Promise.all(few);
    }
    if (backend.name === 'postgresql') {
      await executeOnPostgres(database.url.replace('+asyncpg', ''), 'analyze');
    }
  });
  afterAll(async () => {
    await opened?.storage.close();
    await database?.drop();
  });

  test('reads the index of texts, and never every user', async () => {
    const { users } = repositories;
    // The first search reads a sample of the users.
    await users.count({ search: 'nobody' }, 10);
    const plans = await opened.plansOf(async () => {
      for (const search of ['1234@', 'q@', 'nobody', 'ÜÑÉ']) {
        await users.list({ limit: 50, search });
        await users.count({ search }, 10);
        await users.listAndCount({ limit: 50, search }, 1000);
      }
    });
    expect(plans.join('\n')).toMatch(/VIRTUAL TABLE INDEX|Index Scan on users_search|grams: 1/);
    for (const plan of plans) expect(plan).not.toMatch(/SCAN users\b|Seq Scan|COLLSCAN/);
  });

  test('for a role reads its index in the order of the list, and of the users only those that it names', async () => {
    const { users } = repositories;
    const plans = await opened.plansOf(async () => {
      for (const after of [null, { createdAt: day(40_000), id: 'f' }]) {
        expect(await users.list({ limit: 10, role: 'editor', after })).toHaveLength(10);
      }
      expect(await users.count({ role: 'editor' }, 10)).toBe(10);
    });
    expect(plans).toHaveLength(3);
    for (const plan of plans) {
      expect(plan).toMatch(
        /SEARCH h USING PRIMARY KEY \(role=\?|Index Only Scan( Backward)? using users_role_index_pkey|own_roles: 1, created_at: 1, _id: 1/,
      );
      expect(plan).not.toMatch(/(SCAN|Seq Scan on) users\b|COLLSCAN|TEMP B-TREE|hasSortStage|Merge Join/);
    }
  });
});

// PostgreSQL and MongoDB choose their plans by what is stored.
test('a search on SQLite for a text that many have reads the newest hits from the index, in its order', async () => {
  const { storage, plansOf } = openSqliteWithPlans(
    openSqlite({ backend: 'sqlite', path: ':memory:' }, storageOptions()),
  );
  await storage.install();
  const { users } = createRepositories(storage, work => storage.guard(work), storageOptions());
  for (let i = 0; i < 1500; i++) {
    const email = `${i < 1200 ? 'old' : 'new'}-${i}@example.org`;
    const user = newUser(new Date(), { email, fullName: null, hashedPassword: null, isVerified: true });
    await users.add({ ...user, id: `user-${i}`, createdAt: new Date(i) });
  }
  const plans = await plansOf(async () => {
    const [newest] = await users.list({ limit: 10, search: 'old-' });
    const [next] = await users.list({ limit: 10, search: 'old-', after: newest! });
    expect([newest!.id, next!.id]).toEqual(['user-1199', 'user-1198']);
  });
  expect(plans).toHaveLength(2);
  for (const plan of plans) {
    expect(plan).not.toMatch(/SCAN (users|users_search_texts)$/m);
    // Only what is then sorted is a page.
    expect(plan).toMatch(
      /SCALAR SUBQUERY \d+\n *CO-ROUTINE \S+\n *SCAN users_search VIRTUAL TABLE INDEX 192:/,
    );
    expect(plan.match(/TEMP B-TREE/g)).toHaveLength(1);
  }
  await storage.close();
});

async function openWithPlans(backend: Backend, url: string, isSmall = true): Promise<Opened> {
  if (backend.name === 'mongodb') return openMongoWithPlans(url);
  if (backend.name === 'sqlite') {
    return openSqliteWithPlans(openSqlite({ backend: 'sqlite', path: ':memory:' }, storageOptions()));
  }
  // A table of a few rows is read as a whole unless that is forbidden, whatever indexes it has.
  const plain = url.replace('+asyncpg', '');
  const { pathname } = new URL(plain);
  for (const way of isSmall ? ['seqscan', 'sort', 'bitmapscan'] : [])
    await executeOnPostgres(plain, `alter database ${pathname.slice(1)} set enable_${way} = off`);
  return openPostgresWithPlans(plain);
}

interface Connection {
  query(asked: { text: string; values?: unknown[] }): Promise<{ rows: object[] }>;
}
interface File {
  prepare(sql: string): { all(values: unknown[]): object[] };
}

/** Listens to all that the file is asked, and has it explain each statement. */
function openSqliteWithPlans(storage: StorageBackend): Opened {
  return {
    storage,
    async plansOf(work) {
      const { client } = (await storage.openCounterStore()) as unknown as { client: File };
      const prepare = vi.spyOn(client, 'prepare');
      await work();
      const statements = prepare.mock.calls.map(([sql]) => sql);
      prepare.mockRestore();
      return statements.map(sql => asPlan(client.prepare(`explain query plan ${sql}`).all(anything(sql))));
    },
  };
}

/** Listens to all that the server is asked, and has it explain each statement. */
async function openPostgresWithPlans(url: string): Promise<Opened> {
  const parsed = parseDatabaseUrl(url, 'svc');
  if (parsed.backend !== 'postgresql') throw new Error('not a PostgreSQL URL');
  const storage = await openPostgresql(parsed, storageOptions());
  return {
    storage,
    plansOf: work =>
      withPostgres(url, async own => {
        // Every connection of the driver's, ours included, inherits it.
        const query = vi.spyOn(Object.getPrototypeOf(own) as Connection, 'query');
        await work();
        const asked = query.mock.calls.flatMap(([{ text, values }]) => (values ? [{ text, values }] : []));
        query.mockRestore();
        const plans: string[] = [];
        for (const { text, values } of asked) {
          plans.push(asPlan((await own.query({ text: `explain ${text}`, values })).rows));
        }
        return plans;
      }),
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
    storage: await openMongodb(parsed, storageOptions()),
    async plansOf(work) {
      await profile(2);
      await work();
      return profile(0);
    },
  };
}
