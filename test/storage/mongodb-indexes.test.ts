import { afterEach, beforeEach, expect, test } from 'vitest';
import { parseDatabaseUrl } from '../../src/config/database-url.ts';
import { StorageError } from '../../src/storage/errors.ts';
import { openStorage, type Storage } from '../../src/storage/open.ts';
import { withMongo } from '../support/admin.ts';
import { describeEachBackend, type TestDatabase } from '../support/backends.ts';
import { storageOptions } from '../support/storage.ts';

describeEachBackend(
  'installing the indexes',
  backend => {
    let database: TestDatabase;
    let storage: Storage;
    beforeEach(async () => {
      database = await backend.createDatabase();
      storage = await openStorage(parseDatabaseUrl(database.url, 'svc'), storageOptions());
    });
    afterEach(async () => {
      await storage.close();
      await database.drop();
    });

    type Collection =
      ReturnType<Parameters<Parameters<typeof withMongo>[1]>[0]['db']> extends infer Db
        ? Db extends { collection(name: string): infer C }
          ? C
          : never
        : never;

    /** Works with a collection as its operator does. */
    const as = <T>(name: string, work: (collection: Collection) => Promise<T>): Promise<T> =>
      withMongo(database.url, client =>
        work(client.db(new URL(database.url).pathname.slice(1)).collection(name) as Collection),
      );
    const indexesOf = (name: string) => as(name, collection => collection.indexes());
    const refusal = () =>
      storage.install().then(
        () => 'installed',
        error => (error instanceof StorageError ? error.message : String(error)),
      );

    test("leaves the operator's own indexes alone", async () => {
      await as('users', users =>
        users.createIndex({ full_name: 1, created_at: -1 }, { name: 'for-our-reports' }),
      );
      await storage.install();
      await storage.install();
      const names = (await indexesOf('users')).map(index => index.name);
      expect(names).toContain('for-our-reports');
      expect(names).toContain('email_1');
    });

    test('keeps an index that does the same under another name', async () => {
      await as('users', users => users.createIndex({ email: 1 }, { name: 'ours', unique: true }));
      await storage.install();
      const names = (await indexesOf('users')).map(index => index.name);
      expect(names).toContain('ours');
      expect(names).not.toContain('email_1');
      expect(await storage.readSchemaState()).toBe('current');
    });

    test('gives an index that is there the lifetime that is configured', async () => {
      await storage.install();
      const longer = { ...storageOptions(), attemptLifetimeSeconds: 7200 };
      const other = await openStorage(parseDatabaseUrl(database.url, 'svc'), longer);
      await other.install();
      await other.close();
      const [when] = (await indexesOf('login_attempts')).filter(index => index.name === 'when_1');
      expect(when?.expireAfterSeconds).toBe(7200 + 86_400);
    });

    test('gives a plain index on the end of rows a lifetime', async () => {
      await as('token_blacklist', blacklist => blacklist.createIndex({ exp: 1 }));
      await storage.install();
      const [exp] = (await indexesOf('token_blacklist')).filter(index => index.name === 'exp_1');
      expect(exp?.expireAfterSeconds).toBe(86_400);
    });

    test('lets a finished sign-in end with its time, and a flow under way a day later', async () => {
      await storage.install();
      await storage.install();
      const states = (await indexesOf('oauth_states')).filter(({ key }) => key.expires_at);
      expect(states).toMatchObject([
        { key: { expires_at: 1 }, expireAfterSeconds: 86_400 },
        {
          key: { expires_at: -1 },
          expireAfterSeconds: 300,
          partialFilterExpression: { result_token: { $type: 'string' } },
        },
      ]);
    });

    test('drops the unique index of the former version on a subject, but none that an operator made', async () => {
      const keys = { provider: 1, subject_id: 1 } as const;
      await as('oauth_identities', identities => identities.createIndex(keys, { unique: true }));
      await storage.install();
      const names = async () => (await indexesOf('oauth_identities')).map(({ name }) => name);
      expect(await names()).toEqual(['_id_', 'issuer_1_subject_id_1', 'user_id_1_provider_1']);
      await as('oauth_identities', identities => identities.createIndex(keys, { name: 'for-our-reports' }));
      await storage.install();
      expect(await names()).toContain('for-our-reports');
    });

    const weaker: [string, object][] = [
      ['not unique', {}],
      ['unique among some documents only', { unique: true, partialFilterExpression: { is_active: true } }],
      ['unique among documents that have the field', { unique: true, sparse: true }],
      ['unique in another collation', { unique: true, collation: { locale: 'en', strength: 1 } }],
    ];

    test.each(weaker)(
      'does not take an index that is %s for ours, and leaves it there',
      async (_, options) => {
        await as('users', users => users.createIndex({ email: 1 }, { name: 'for-our-reports', ...options }));
        await storage.install();
        const [id, theirs, ours] = await indexesOf('users');
        expect([id?.name, theirs?.name]).toEqual(['_id_', 'for-our-reports']);
        expect(ours).toEqual({ v: 2, key: { email: 1 }, name: 'email_1', unique: true });
      },
    );

    test.each(weaker)('refuses an index that is %s and has the name of ours', async (_, options) => {
      await as('users', users => users.createIndex({ email: 1 }, { name: 'email_1', ...options }));
      const before = await indexesOf('users');
      expect(await refusal()).toBe(
        "The collection users has another index on (email) or one of the same name, that can't be used. Drop it, then start again.",
      );
      expect(await indexesOf('users')).toEqual(before);
      expect(await storage.readSchemaState()).toBe('behind');
    });

    test('refuses another index that has the name of one of ours', async () => {
      await as('users', users => users.createIndex({ full_name: 1 }, { name: 'email_1' }));
      expect(await refusal()).toContain(
        'The collection users has another index on (email) or one of the same name',
      );
    });

    test('refuses a collection that holds doubles, without quoting them', async () => {
      await as('users', users =>
        users.insertMany([{ email: 'ada@example.org' }, { email: 'ada@example.org' }]),
      );
      expect(await refusal()).toBe(
        'The collection users contains documents with the same email. Remove the duplicates, then start again.',
      );
      await as('users', users => users.deleteMany({}));
      expect(await refusal()).toBe('installed');
    });
  },
  { only: ['mongodb', 'mongodb-replica'] },
);
