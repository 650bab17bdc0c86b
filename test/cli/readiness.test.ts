import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { startServer } from '../../src/cli/server.ts';
import { createGatehouse } from '../../src/index.ts';
import { withSqlite } from '../support/admin.ts';
import { jwtSecret } from '../support/app.ts';

test('the log says once why a server is not ready, and when it is again', async () => {
  // A balancer alone asks, and its requests say nothing but 503.
  const folder = await mkdtemp(join(inject('temporaryFolder'), 'readiness-'));
  const file = join(folder, 'svc.db');
  const records: unknown[] = [];
  const keep = (level: string) => (_fields: object, message: string) =>
    void (message === 'request' || records.push([level, message]));
  const logger = { debug() {}, info: keep('info'), warn: keep('warn'), error: keep('error') };
  const gatehouse = await createGatehouse({
    ...{ jwtSecret, databaseUrl: `sqlite+aiosqlite:///${file}`, port: 0, host: '127.0.0.1' },
    logger,
  });
  await gatehouse.installSchema();
  const server = await startServer(gatehouse, logger);
  const ask = async () => (await fetch(`${server.url}/readyz`)).status;
  records.length = 0;

  expect([await ask(), await ask()]).toEqual([200, 200]);
  expect(records).toEqual([]);
  await withSqlite(file, db =>
    db.exec(`insert into users_migrations (name, executed_at) values ('9999-later', current_timestamp)`),
  );
  expect([await ask(), await ask()]).toEqual([503, 503]);
  expect(records).toEqual([['warn', 'not ready: a newer version has migrated the database: run that one']]);
  await withSqlite(file, db => db.exec(`delete from users_migrations where name = '9999-later'`));
  expect([await ask(), await ask()]).toEqual([200, 200]);
  expect(records.slice(1)).toEqual([['info', 'ready again']]);

  await server.stop();
  await gatehouse.close();
  await rm(folder, { recursive: true });
});
