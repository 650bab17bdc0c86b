import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import express from 'express';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { parseDatabaseUrl } from '../../src/config/database-url.ts';
import { GatehouseError } from '../../src/errors.ts';
import { executeOnPostgres, withSqlite } from '../support/admin.ts';
import { type App, startApp, tokenOf } from '../support/app.ts';
import { type Backend, describeEachBackend, type TestDatabase } from '../support/backends.ts';
import { blocksOf } from '../support/documents.ts';
import { type Listening, listen } from '../support/listening.ts';
import { newAddress } from '../support/people.ts';

const run = promisify(execFile);
const blocks = await blocksOf('docs/server-api.md');
const textsIn = (language: string) =>
  blocks.filter(block => block.language === language).map(({ text }) => text);

test('docs/server-api.md: its program runs, from the first line to the last', async () => {
  const app = await startApp();
  onTestFinished(() => app.close());
  const said: unknown[][] = [];
  const done: string[] = [];
  let site: Listening | undefined;
  onTestFinished(() => site?.close());

  /** What the reader does and sees after a block with this text. */
  const after: Record<string, (host: express.Express) => Promise<void>> = {
    'users.invite(': async () => {
      // The first one is void, because the account was disabled since.
      await app.nextMail('ada@example.org');
      const token = tokenOf(await app.nextMail('ada@example.org'));
      const [command] = textsIn('sh');
      const typed = command!.replace('http://localhost:8000/api/auth', app.url).replace('<TOKEN>', token);
      const { stdout } = await run('sh', ['-c', typed.replace('curl ', 'curl --fail --silent ')]);
      expect(JSON.parse(stdout)).toMatchObject({ email: 'ada@example.org', is_verified: true });
    },
    'sessions.issue(': async host => {
      site = await listen(host);
      const ask = (badge: string) =>
        fetch(`${site!.origin}/kiosk`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify({ badge }),
        });
      expect((await ask('1')).status).toBe(401);
      const { accessToken: token } = (await (await ask('4711')).json()) as { accessToken: string };
      const { body } = await app.rest('GET', '/me', undefined, { token });
      expect(body).toMatchObject({ email: 'ada@example.org' });
    },
    'GatehouseError)': async () => {
      expect(said).toEqual([[true, 1, 1], ['Ada has an account already.']]);
    },
    'users.remove(': async () => {
      expect((await app.gatehouse.users.list()).total).toBe(0);
    },
  };

  const source = textsIn('ts')
    .slice(1)
    .map((text, i) => `${text}\nawait seen(${i}, app);`)
    .join('\n')
    // Asked for before it is there.
    .replace('const app = ', 'var app = ');
  const names = ['gatehouse', 'express', 'GatehouseError', 'console', 'seen'];
  const program = Object.getPrototypeOf(async () => {}).constructor(...names, source);
  const seen = async (i: number, host: express.Express) => {
    const text = textsIn('ts').slice(1)[i]!;
    for (const [what, look] of Object.entries(after)) {
      if (!text.includes(what)) continue;
      done.push(what);
      await look(host);
    }
  };
  await program(
    app.gatehouse,
    express,
    GatehouseError,
    { log: (...words: unknown[]) => said.push(words) },
    seen,
  );
  expect(done.toSorted()).toEqual(Object.keys(after).toSorted());
});

describeEachBackend(
  'docs/server-api.md: the tables of a host',
  backend => {
    let database: TestDatabase;
    let app: App;
    beforeAll(async () => {
      database = await backend.createDatabase();
      app = await startApp({ databaseUrl: database.url });
    });
    afterAll(async () => {
      await app?.close();
      await database?.drop();
    });

    test('do what the document says when an account is deleted', async () => {
      const [onPostgres] = textsIn('sql');
      const onSqlite = onPostgres!.replaceAll(
        'bigint generated always as identity primary key',
        'integer primary key',
      );
      const statements = (backend.name === 'postgresql' ? onPostgres! : onSqlite)
        .split(/;\n/)
        .filter(Boolean);
      const execute = executor(backend, database);
      for (const statement of statements) await execute(statement);
      const count = async (condition: string) =>
        Number(Object.values((await execute(`select count(*) as n from ${condition}`))[0]!)[0]);

      const { users } = app.gatehouse;
      const [free, bound] = [
        await users.create({ email: newAddress() }),
        await users.create({ email: newAddress() }),
      ];
      for (const { id } of [free, bound]) {
        for (const table of ['orders', 'drafts']) {
          await execute(`insert into ${table} (user_id) values ('${id}')`);
        }
      }
      await execute(`insert into invoices (user_id) values ('${bound.id}')`);

      await users.remove(free.id);
      expect(await count('orders where user_id is null')).toBe(1);
      expect(await count(`drafts where user_id = '${free.id}'`)).toBe(0);
      await expect(users.remove(bound.id)).rejects.toMatchObject({ code: 'user_in_use' });
      expect(await count(`orders where user_id = '${bound.id}'`)).toBe(1);
      expect(await count(`drafts where user_id = '${bound.id}'`)).toBe(1);
      expect(await users.find(bound.id)).toEqual(bound);
    });
  },
  { only: ['sqlite', 'postgresql'] },
);

/** Returns a function that executes one statement in a connection of the host's own. */
function executor({ name }: Backend, { url }: TestDatabase) {
  const parsed = parseDatabaseUrl(url, 'svc');
  return async (statement: string): Promise<Record<string, unknown>[]> => {
    if (parsed.backend === 'postgresql') return executeOnPostgres(parsed.url, statement);
    if (parsed.backend !== 'sqlite') throw new Error(`${name} has no SQL`);
    return withSqlite(parsed.path, file => {
      file.pragma('foreign_keys = on');
      const prepared = file.prepare(statement);
      if (prepared.reader) return prepared.all() as Record<string, unknown>[];
      prepared.run();
      return [];
    });
  };
}
