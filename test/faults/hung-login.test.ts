import { MikroORM } from '@mikro-orm/postgresql';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { type App, logIn, type Member, signUp, startApp } from '../support/app.ts';
import { describeEachBackend, type TestDatabase } from '../support/backends.ts';

describeEachBackend(
  'a database that hangs',
  backend => {
    let database: TestDatabase;
    let app: App;
    let member: Member;
    let orm: MikroORM;
    beforeAll(async () => {
      database = await backend.createDatabase();
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

    test('amid a login is waited for once, and the next login is served', async () => {
      // The database stops to write when the password was right and its place is taken, which is to be given back.
      const pool = await orm.em.getConnection().getNativeClient();
      const locker = await pool.connect();
      onTestFinished(() => locker.release(true));
      await locker.query('begin');
      await locker.query('lock table users in share mode');
      const { email, password } = member;
      const startedAt = performance.now();
      const reply = app.rest('POST', '/login', { email, password });
      const { attempts } = app.gatehouse.repositories;
      await vi.waitFor(async () => expect(await attempts.list(email)).toHaveLength(1));
      await locker.query('lock table login_attempts in share mode');

      const { status, body } = await reply;
      expect([status, body.code]).toEqual([503, 'unavailable']);
      expect(performance.now() - startedAt).toBeLessThan(3000);
      await locker.query('commit');
      await logIn(app, member);
    });
  },
  { only: ['postgresql'] },
);
