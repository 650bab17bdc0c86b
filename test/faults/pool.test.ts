import { MikroORM } from '@mikro-orm/postgresql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type App, type Member, signUp, startApp } from '../support/app.ts';
import { describeEachBackend, type TestDatabase } from '../support/backends.ts';

describeEachBackend(
  'while somebody locks the users and every connection waits',
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
    const me = () => app.rest('GET', '/me', undefined, { token: member.token });

    test('60 requests are all refused, nobody gets in, and all are served when it is over', async () => {
      const pool = await orm.em.getConnection().getNativeClient();
      const locker = await pool.connect();
      await locker.query('begin');
      await locker.query('lock table users in access exclusive mode');

      const refused = await Promise.all(Array.from({ length: 60 }, me));
      expect(new Set(refused.map(({ status, body }) => `${status} ${body.code}`))).toEqual(
        new Set(['503 unavailable']),
      );
      expect(refused.every(({ headers }) => Number(headers.get('Retry-After')) > 0)).toBe(true);

      await locker.query('commit');
      locker.release();
      const served = await Promise.all(Array.from({ length: 60 }, me));
      expect(new Set(served.map(({ status }) => status))).toEqual(new Set([200]));
    });
  },
  { only: ['postgresql'] },
);
