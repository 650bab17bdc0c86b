import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { parseDatabaseUrl } from '../../src/config/database-url.ts';
import { newUser } from '../../src/domain/new-user.ts';
import { openStorage, type Storage } from '../../src/storage/open.ts';
import { emptyFolder, serve, svc } from '../cli/support.ts';
import { executeOnPostgres, withPostgres } from '../support/admin.ts';
import { logIn, signUp, startApp } from '../support/app.ts';
import { backends, type TestDatabase } from '../support/backends.ts';
import { needed } from '../support/needed.ts';
import { knowsPreparedStatements, type Pooler, startPooler } from '../support/pgbouncer.ts';
import { startPostgres } from '../support/servers.ts';
import { storageOptions } from '../support/storage.ts';

const pgbouncer = needed('pgbouncer');
const path = 'path' in pgbouncer ? pgbouncer.path : '';
const server = needed('postgresql');
const serverUrl = 'url' in server ? server.url : '';
const keepsApart = path !== '' && (await knowsPreparedStatements(path));
const script = join(import.meta.dirname, '../support/install-schema.ts');

/** The longest wait for an event on a loaded machine. */
const patience = { timeout: 20_000 };

/** Counts the locks that migrations of the connection's own database hold; the server may have others. */
const held = `select count(*)::int as count from pg_locks join pg_database on oid = database
  where locktype = 'advisory' and granted and datname = current_database()`;

/** A mode of PgBouncer in which it can be used, and whether it keeps prepared statements apart in it. */
type Mode = [mode: 'session' | 'transaction', settings: Record<string, number>, preparesStatements: boolean];
const modes: Mode[] = [
  ['session', {}, true],
  ['transaction', keepsApart ? { max_prepared_statements: 0 } : {}, false],
];
if (keepsApart) modes.push(['transaction', { max_prepared_statements: 100 }, true]);

describe.skipIf(path === '' || serverUrl === '').each(modes)(
  'through PgBouncer in %s mode with %j',
  (mode, settings, preparesStatements) => {
    let pooler: Pooler;
    let direct: TestDatabase;
    let url: string;
    beforeAll(async () => {
      // So few that clients share them.
      pooler = await startPooler(serverUrl, {
        ...{ path, mode },
        settings: { ...settings, default_pool_size: mode === 'session' ? 30 : 3 },
      });
      direct = await backends.find(({ name }) => name === 'postgresql')!.createDatabase();
      url = pooler.through(direct.url);
    });
    afterAll(async () => {
      await pooler?.close();
      await direct?.drop();
    });
    const plain = () => direct.url.replace('+asyncpg', '');
    const open = (at = url) => openStorage(parseDatabaseUrl(at, 'svc'), storageOptions());
    const state = async (at: string) => {
      const storage = await open(at);
      const found = await storage.readSchemaState();
      await storage.close();
      return found;
    };

    /** A process that installs the schema, and what becomes of it. */
    function installer(at = url) {
      const child = spawn(process.execPath, [script, at], { stdio: ['pipe', 'pipe', 'pipe'] });
      onTestFinished(() => void child.kill('SIGKILL'));
      let errors = '';
      child.stderr.setEncoding('utf8').on('data', text => {
        errors += text;
      });
      const ended = once(child, 'close').then(([code]) => ({ code, errors }));
      const isReady = once(child.stdout, 'data');
      return { child, ended, isReady, go: () => child.stdin.end() };
    }

    test('one that is killed while it migrates does not keep the next from migrating', async () => {
      await withPostgres(plain(), async own => {
        // The first table can't come to be, so that the migration stops with its lock held.
        await own.query({ text: 'begin' });
        await own.query({ text: 'create table users (id int)' });
        const killed = installer();
        await killed.isReady;
        killed.go();
        await expect.poll(() => executeOnPostgres(plain(), held), patience).toEqual([{ count: 1 }]);
        killed.child.kill('SIGKILL');
        await killed.ended;
        await own.query({ text: 'rollback' });
        // Well before a wait for the lock would be given up.
        await expect.poll(() => executeOnPostgres(plain(), held), patience).toEqual([{ count: 0 }]);
      });
      const next = installer();
      await next.isReady;
      next.go();
      expect(await next.ended).toEqual({ code: 0, errors: '' });
      expect(await state(direct.url)).toBe('current');
    });

    test('five processes migrate one database at once', async () => {
      const other = await backends.find(({ name }) => name === 'postgresql')!.createDatabase();
      const installers = Array.from({ length: 5 }, () => installer(pooler.through(other.url)));
      await Promise.all(installers.map(each => each.isReady));
      for (const each of installers) each.go();
      const ends = await Promise.all(installers.map(each => each.ended));
      expect(ends).toEqual(Array(5).fill({ code: 0, errors: '' }));
      expect(await state(other.url)).toBe('current');
      await other.drop();
    });

    test('people register, sign in and are counted, many at once and in two instances', async () => {
      const settings = { loginRateLimit: '1000/minute' };
      const apps = [
        await startApp({ databaseUrl: url, settings }),
        await startApp({ databaseUrl: url, settings }),
      ];
      const members = await Promise.all(Array.from({ length: 6 }, (_, i) => signUp(apps[i % 2]!)));
      const replies = await Promise.all(
        Array.from({ length: 60 }, async (_, i) => {
          const member = members[i % 6]!;
          if (i % 10 === 0) return logIn(apps[i % 2]!, member);
          const { status } = await apps[i % 2]!.rest('GET', '/me', undefined, { token: member.token });
          return status;
        }),
      );
      expect(new Set(replies.filter(reply => typeof reply === 'number'))).toEqual(new Set([200]));
      await Promise.all(apps.map(app => app.close()));
    });

    test('svc validate walks an account through every flow', async () => {
      const log = join(await emptyFolder(), 'svc.log');
      const env = { SVC_DATABASE_URL: url, SVC_ENABLE_SMS_2FA: 'true', SVC_EMAIL__LOG_BODIES: 'true' };
      const { api, stop } = await serve([], {
        env: { ...env, SVC_SMS__LOG_BODIES: 'true' },
        copyTo: createWriteStream(log),
      });
      const { code, stdout } = await svc([
        'validate',
        '--url',
        api,
        '--log-source',
        `file:${log}`,
        '--phone',
        '+4915112345678',
        '--json',
      ]);
      const { checks } = JSON.parse(stdout) as { checks: { name: string; outcome: string }[] };
      expect(checks.filter(({ outcome }) => outcome === 'fail')).toEqual([]);
      const walked = checks.filter(({ outcome }) => outcome === 'ok').map(({ name }) => name);
      expect(walked).toEqual(
        expect.arrayContaining(['register', 'login', 'logout', 'reset', 'sms', 'delete']),
      );
      expect(code).toBe(0);
      await stop();
    });

    test('leaves nothing set in the sessions that others get next', async () => {
      const storage = await open();
      const users = (each: Storage) => each.repositories.users;
      await Promise.all(Array.from({ length: 10 }, () => users(storage).find('nobody')));
      const own = newUser(new Date(), {
        ...{ email: 'ada@example.org', fullName: null, hashedPassword: null, isVerified: true },
      });
      await users(storage).add(own);
      const other = pooler.through(plain());
      const asked = Array.from({ length: 10 }, () => executeOnPostgres(other, 'show statement_timeout'));
      expect(new Set((await Promise.all(asked)).map(([row]) => row!.statement_timeout))).toEqual(
        new Set(['0']),
      );
      expect(await executeOnPostgres(other, held)).toEqual([{ count: 0 }]);
      await storage.close();
    });

    test('svc validate names what stands between, and what to change', async () => {
      const { stdout } = await svc(['validate', '--json'], { env: { SVC_DATABASE_URL: url } });
      const { checks } = JSON.parse(stdout) as {
        checks: { name: string; outcome: string; detail: string }[];
      };
      const [, , pooled] = checks.filter(({ name }) => name === 'database');
      expect(pooled).toEqual(
        preparesStatements
          ? { name: 'database', outcome: 'ok', detail: expect.stringContaining('a connection pooler') }
          : { name: 'database', outcome: 'warn', detail: expect.stringContaining('max_prepared_statements') },
      );
    });
  },
);

describe.skipIf(path === '' || serverUrl === '')('PgBouncer', () => {
  test('whose server is down refuses as the server would, and serves when it is back', async () => {
    const own = await startPostgres();
    // By itself it would not look at the server again for a quarter of a minute.
    const pooler = await startPooler(own.url, {
      path,
      mode: 'transaction',
      settings: { server_login_retry: 1 },
    });
    const app = await startApp({ databaseUrl: pooler.through(own.url) });
    const member = await signUp(app);
    const me = () => app.rest('GET', '/me', undefined, { token: member.token });
    expect((await me()).status).toBe(200);
    await own.stop();
    // The first find their connections broken; those after them are told by the pooler.
    for (let i = 0; i < 5; i++) {
      const { status, body } = await me();
      expect([status, body.code]).toEqual([503, 'unavailable']);
    }
    await own.start();
    await expect.poll(async () => (await me()).status, patience).toBe(200);
    await app.close();
    await pooler.close();
    await own.close();
  });

  test('in a mode without transactions is refused by name', async () => {
    const pooler = await startPooler(serverUrl, { path, mode: 'statement' });
    onTestFinished(() => pooler.close());
    const url = pooler.through(serverUrl);
    const storage = await openStorage(parseDatabaseUrl(url, 'svc'), storageOptions());
    await expect(storage.install()).rejects.toThrow(/pool_mode/);
    await storage.close();
    const { code, stdout } = await svc(['validate'], { env: { SVC_DATABASE_URL: url } });
    expect(code).toBe(1);
    expect(stdout).toMatch(/^fail {2}database .*pool_mode/m);
  });

  test('that takes no such parameter at the start is named with what to do', async () => {
    const pooler = await startPooler(serverUrl, { path, mode: 'transaction' });
    onTestFinished(() => pooler.close());
    const url = `${pooler.through(serverUrl)}?options=-c%20geqo%3Doff`;
    const { code, stdout } = await svc(['validate'], { env: { SVC_DATABASE_URL: url } });
    expect(code).toBe(1);
    expect(stdout).toMatch(/^fail {2}database .*unsupported startup parameter.*ignore_startup_parameters/m);
  });

  test('is not seen where there is none', async () => {
    const { stdout } = await svc(['validate', '--json'], { env: { SVC_DATABASE_URL: serverUrl } });
    expect(stdout).not.toContain('pooler');
  });
});
