import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseDatabaseUrl } from '../src/config/database-url.ts';
import { openStorage } from '../src/storage/open.ts';
import { withMongo, withPostgres, withSqlite } from './support/admin.ts';
import { type App, logIn, startApp, TestClock, tokenOf } from './support/app.ts';
import { type Backend, describeEachBackend, type TestDatabase } from './support/backends.ts';
import { before, type FormerPeople, former } from './support/former.ts';
import { changeAsLaterVersion } from './support/later-version.ts';
import { baseUrl, type Oidc, startOidc } from './support/oidc.ts';
import { storedSettings } from './support/outbox.ts';
import { storageOptions } from './support/storage.ts';

// A database of the first version (test/fixtures/former) holds an account of each kind; upgrade-before.test.ts has one of
// the version before this one (test/fixtures/before). scripts/write-upgrade-fixtures.ts makes them.

const address = (name: string) => `${name}@example.org`;
const nameOf = (backend: Backend) => backend.name as 'sqlite' | 'postgresql' | 'mongodb';

describeEachBackend(
  'a database of the first version',
  backend => {
    let database: TestDatabase;
    let oidc: Oidc;
    let app: App;
    let people: FormerPeople;
    beforeAll(async () => {
      people = former.people(nameOf(backend));
      database = await backend.createDatabase();
      await former.restore(database.url);
      oidc = await startOidc();
      app = await startApp({
        databaseUrl: database.url,
        clock: new TestClock(people.now),
        settings: {
          ...{ baseUrl, enableOauth: true, enableSms2fa: true, enableAdminRouter: true },
          ...{ oauth: oidc.settings, loginRateLimit: '1000/hour' },
        },
      });
    });
    afterAll(async () => {
      await app?.close();
      await oidc?.close();
      await database?.drop();
    });

    const attempt = (name: string, password = people.password) =>
      app.rest('POST', '/login', { email: address(name), password });
    const signedIn = (name: string) => logIn(app, { email: address(name), password: people.password });
    const me = (token: string) => app.rest('GET', '/me', undefined, { token });
    const codeTo = async (phone: string) => /(\d{6})$/.exec((await app.nextText(phone)).text)![1]!;
    async function signInAt(login: string): Promise<string> {
      const start = await app.rest('GET', '/oauth/google/start');
      const { search } = await oidc.signInAt(start.headers.get('Location')!, login);
      const ended = await app.rest('GET', `/oauth/google/callback${search}`);
      const id = new URL(ended.headers.get('Location')!).searchParams.get('id');
      return (await app.rest('POST', '/oauth/exchange', { id })).body.access_token;
    }

    test('stays usable by this version when a later one adds to it', async () => {
      const undo = await changeAsLaterVersion(database.url, { isCompatible: true });
      expect(await app.gatehouse.schemaState()).toBe('compatible');
      await undo();
      expect(await app.gatehouse.readiness()).toMatchObject({ isReady: true, schema: 'ok' });
    });

    test('keeps sessions, and what ended them', async () => {
      const { ordinary, loggedOut, revoked } = people.sessions;
      expect((await me(ordinary)).body).toMatchObject({ id: people.ids.ordinary, full_name: 'Grace Hopper' });
      expect([(await me(loggedOut)).status, (await me(revoked)).status]).toEqual([401, 401]);
    });

    test('lets in the people who could sign in before, and no others', async () => {
      for (const name of ['superuser', 'ordinary', 'linked']) {
        expect((await me(await signedIn(name))).body).toMatchObject({
          email: address(name),
          is_verified: true,
        });
      }
      const refusals = [];
      for (const name of ['unverified', 'disabled', 'locked', 'waiting', 'revoked', 'nobody']) {
        refusals.push([name, (await attempt(name)).body.code]);
      }
      expect(refusals).toEqual([
        ['unverified', 'email_not_verified'],
        ['disabled', 'account_disabled'],
        ['locked', 'account_locked'],
        ['waiting', 'email_not_verified'],
        // Its password was changed.
        ['revoked', 'invalid_credentials'],
        ['nobody', 'invalid_credentials'],
      ]);
    });

    test('finishes a sign-in that waited for its code, and asks for one again', async () => {
      const finished = await app.rest('POST', '/login/mfa-confirm', people.login);
      expect((await me(finished.body.access_token)).body.email).toBe(address('mfa'));
      const { body } = await attempt('mfa');
      expect(body).toMatchObject({ status: 'mfa_required' });
      const code = await codeTo(people.phone);
      const { mfa_pending_token } = body;
      expect((await app.rest('POST', '/login/mfa-confirm', { mfa_pending_token, code })).status).toBe(200);
    });

    test('knows who signs in with a provider', async () => {
      const { external, linked } = people.ids;
      expect((await me(await signInAt('external-subject'))).body.id).toBe(external);
      expect((await me(await signInAt('linked-subject'))).body.id).toBe(linked);
      const { body } = await app.rest('GET', '/oauth/providers', undefined, {
        token: await signedIn('linked'),
      });
      expect(body.linked).toMatchObject([{ provider: 'google', email: 'linked-subject@people.example' }]);
    });

    test('makes waiting registrations accounts, and verifies addresses, by the links that were mailed', async () => {
      const verify = (token: string) => app.rest('POST', '/verify', { token });
      expect((await verify(people.registration)).body).toMatchObject({ email: address('waiting') });
      expect((await verify(people.verification)).body).toMatchObject({
        ...{ email: address('unverified'), is_verified: true },
      });
      expect((await attempt('waiting')).status).toBe(200);
      expect((await attempt('unverified')).status).toBe(200);
      expect((await verify(people.registration)).status).toBe(400);
    });

    test('finds people by parts of addresses and names, those included who came or changed afterwards', async () => {
      const token = await signedIn('superuser');
      const found = async (search: string) => {
        const { body } = await app.rest('GET', `/admin/users?search=${search}`, undefined, { token });
        return body.items.map((user: { email: string }) => user.email);
      };
      expect(await found('hopp')).toEqual([address('ordinary')]);
      expect(await found('xternal')).toEqual(['external-subject@people.example']);
      const full_name = 'Katherine Johnson';
      await app.rest('POST', '/register', { email: address('new'), password: people.password, full_name });
      await app.rest('POST', '/verify', { token: tokenOf(await app.nextMail(address('new'))) });
      await app.rest('PATCH', '/me', { full_name: 'Ada Lovelace' }, { token });
      expect(await found('johnson')).toEqual([address('new')]);
      expect(await found('lovel')).toEqual([address('superuser')]);
    });

    test('takes own fields and roles for the accounts that were there, without a migration by hand', async () => {
      const own = await startApp({
        databaseUrl: database.url,
        clock: app.clock,
        settings: {
          ...{ baseUrl, enableAdminRouter: true, loginRateLimit: '1000/hour' },
          ...{ userFields: { company: { required: true } }, roles: ['editor'] },
        },
      });
      const token = await logIn(own, { email: address('superuser'), password: people.password });
      const { ordinary } = people.ids;
      const before = await own.rest('GET', `/admin/users/${ordinary}`, undefined, { token });
      expect(before.body).toMatchObject({ fields: { company: null }, roles: [] });
      const given = { fields: { company: 'Acme' }, roles: ['editor'] };
      expect((await own.rest('PATCH', `/admin/users/${ordinary}`, given, { token })).body).toMatchObject(
        given,
      );
      const { body } = await own.rest('GET', '/admin/users?role=editor', undefined, { token });
      expect(body).toMatchObject({ items: [{ id: ordinary }], total: 1 });
      // An instance whose configuration names none leaves them as they are.
      const plain = await app.rest(
        'PATCH',
        `/admin/users/${ordinary}`,
        { full_name: 'Grace Hopper' },
        { token },
      );
      expect(plain.body).not.toHaveProperty('fields');
      expect((await own.rest('GET', `/admin/users/${ordinary}`, undefined, { token })).body).toMatchObject(
        given,
      );
      await own.close();
    });

    test('stores messages once that is switched on, beside instances that keep them in memory', async () => {
      const storing = await startApp({
        databaseUrl: database.url,
        clock: app.clock,
        settings: { baseUrl, ...storedSettings, loginRateLimit: '1000/hour' },
      });
      expect((await storing.rest('POST', '/forgot-password', { email: address('linked') })).status).toBe(202);
      const mail = await storing.nextMail(address('linked'));
      const reset = { token: tokenOf(mail), new_password: people.password };
      expect((await app.rest('POST', '/reset-password', reset)).status).toBe(200);
      await storing.close();
      expect(await app.gatehouse.repositories.outbox.list({}, { limit: 1 })).toEqual([]);
    });

    test('keeps audit records once that is switched on, beside instances that write them to their log', async () => {
      const storing = await startApp({
        databaseUrl: database.url,
        clock: app.clock,
        settings: { baseUrl, auditStore: 'database', loginRateLimit: '1000/hour' },
      });
      const credentials = { email: address('linked'), password: people.password };
      const token = await logIn(storing, credentials);
      await logIn(app, credentials);
      const { items } = (await storing.rest('GET', '/activity', undefined, { token })).body;
      expect(items).toMatchObject([{ operation: 'login', outcome: 'ok' }]);
      await storing.close();
    });

    test('takes the link to reset a password, once', async () => {
      const reset = { token: people.reset, new_password: 'a third horse battery' };
      expect((await app.rest('POST', '/reset-password', reset)).status).toBe(200);
      expect((await app.rest('POST', '/reset-password', reset)).status).toBe(400);
      expect((await attempt('ordinary', reset.new_password)).status).toBe(200);
      expect((await me(people.sessions.ordinary)).status).toBe(401);
    });
  },
  { only: ['sqlite', 'postgresql', 'mongodb'] },
);

describe.each([
  ['the first version', former],
  ['the version before this one', before],
])('a database of %s', (_, version) => {
  describeEachBackend(
    'afterwards',
    backend => {
      test('has the schema of this version, and is changed no more', async () => {
        const { url, drop } = await backend.createDatabase();
        await version.restore(url);
        const storage = await openStorage(parseDatabaseUrl(url, 'svc'), storageOptions());
        await storage.install();
        expect(await storage.findDifferences()).toEqual([]);
        expect(await storage.install()).toBe(0);
        await storage.close();
        await drop();
      });
    },
    { only: ['sqlite', 'postgresql', 'mongodb'] },
  );
  describeEachBackend(
    'every statement that this version sends',
    backend => {
      test('is still understood, and refused nothing', async () => {
        const { url, drop } = await backend.createDatabase();
        await version.restore(url);
        const database = parseDatabaseUrl(url, 'svc');
        const storage = await openStorage(database, storageOptions());
        await storage.install();
        await storage.close();
        const { names } = storageOptions();
        const statements = version.statements(backend.name as 'sqlite' | 'postgresql');
        const kinds = new Set(statements.map(({ sql }) => sql.trim().split(/\s/)[0]!.toLowerCase()));
        expect([...kinds].sort()).toEqual(['delete', 'insert', 'select', 'update']);
        // Rows that it inserted are there already, so each statement begins with empty tables.
        const empty = Object.values(names).map(name => `delete from ${name}`);
        if (database.backend === 'sqlite') {
          await withSqlite(database.path, file => {
            for (const { sql, values } of statements) {
              file.exec(`begin; ${empty.join('; ')}`);
              const statement = file.prepare(sql);
              if (statement.reader) statement.all(values);
              else statement.run(values);
              file.exec('rollback');
            }
          });
        }
        if (database.backend === 'postgresql') {
          await withPostgres(database.url, async client => {
            for (const { sql, values } of statements) {
              await client.query({ text: `begin; ${empty.join('; ')}` });
              await client.query({ text: sql, values });
              await client.query({ text: 'rollback' });
            }
          });
        }
        await drop();
      });
    },
    { only: ['sqlite', 'postgresql'] },
  );

  describeEachBackend(
    'documents as this version stores them',
    backend => {
      test('are read by the new one when they come after the upgrade', async () => {
        const { url, drop } = await backend.createDatabase();
        const storage = await openStorage(parseDatabaseUrl(url, 'svc'), storageOptions());
        await storage.install();
        await withMongo(url, async client => {
          const db = client.db(new URL(url).pathname.slice(1));
          for (const [name, { documents }] of Object.entries(version.collections())) {
            if (name !== 'users_migrations' && documents.length > 0) {
              await db.collection(name).insertMany(documents);
            }
          }
        });
        const { repositories } = storage;
        const { ids } = version.people('mongodb');
        expect(await repositories.users.find(ids.ordinary)).toMatchObject({ fullName: 'Grace Hopper' });
        expect(await repositories.users.list({ search: 'hopper' })).toHaveLength(1);
        expect(await repositories.oauth_identities.listByUser(ids.linked)).toHaveLength(1);
        expect(await repositories.pending.find(address('waiting'))).not.toBeNull();
        await storage.close();
        await drop();
      });
    },
    { only: ['mongodb'] },
  );
});
