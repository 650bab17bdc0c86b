import { MikroORM } from '@mikro-orm/postgresql';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { type App, logIn, type Member, signUp, startApp } from '../support/app.ts';
import { describeEachBackend, type TestDatabase } from '../support/backends.ts';
import { eventually } from '../support/eventually.ts';

describeEachBackend(
  'while somebody locks tables',
  backend => {
    let database: TestDatabase;
    let app: App;
    let member: Member;
    let orm: MikroORM;
    beforeAll(async () => {
      database = await backend.lendDatabase();
      app = await startApp({ databaseUrl: database.url });
      member = await signUp(app);
      const clientUrl = database.url.replace('+asyncpg', '');
      orm = await MikroORM.init({ entities: [], discovery: { warnWhenNoEntities: false }, clientUrl });
    });
    afterAll(async () => {
      await orm?.close(true);
      await app?.close();
      await database?.drop();
    });
    /** A transaction on a connection of its own, which ends with the test. */
    async function begin() {
      const pool = await orm.em.getConnection().getNativeClient();
      const locker = await pool.connect();
      onTestFinished(() => locker.release(true));
      await locker.query('begin');
      return locker;
    }
    const me = () => app.rest('GET', '/me', undefined, { token: member.token });

    test('and every connection waits, 60 requests are all refused, and all are served when it is over', async () => {
      const locker = await begin();
      await locker.query('lock table users in access exclusive mode');

      const refused = await Promise.all(Array.from({ length: 60 }, me));
      expect(new Set(refused.map(({ status, body }) => `${status} ${body.code}`))).toEqual(
        new Set(['503 unavailable']),
      );
      expect(refused.every(({ headers }) => Number(headers.get('Retry-After')) > 0)).toBe(true);

      await locker.query('commit');
      const served = await Promise.all(Array.from({ length: 60 }, me));
      expect(new Set(served.map(({ status }) => status))).toEqual(new Set([200]));
    });

    test('a login in the midst of which they are locked waits once, and the next is served', async () => {
      // The database stops to write when the password was right and its place is taken, which is to be given back.
      const locker = await begin();
      await locker.query('lock table users in share mode');
      const { email, password } = member;
      const startedAt = performance.now();
      const reply = app.rest('POST', '/login', { email, password });
      const { attempts } = app.gatehouse.repositories;
      await eventually(async () => expect(await attempts.list(email)).toHaveLength(1));
      await locker.query('lock table login_attempts in share mode');

      const { status, body } = await reply;
      expect([status, body.code]).toEqual([503, 'unavailable']);
      const waitMs = performance.now() - startedAt;
      const secondAt = performance.now();
      const change = await app.rest('PATCH', '/me', { full_name: 'Ada' }, { token: member.token });
      expect(change.status).toBe(503);
      // One wait for the lock is what a single statement takes; two would be twice as long.
      expect(waitMs).toBeLessThan(1.75 * (performance.now() - secondAt));
      await locker.query('commit');
      await logIn(app, member);
    });
  },
  { only: ['postgresql'] },
);
