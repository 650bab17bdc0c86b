// Writes test/fixtures/former or test/fixtures/before: a database of a former version on each backend, for the tests of
// upgrades. `former` is the first version, `before` the one before the next release.
//
//   git worktree add ../former <commit>, and npm ci there; then
//   POSTGRES_TEST_URL=… MONGODB_TEST_URL=… node scripts/write-upgrade-fixtures.ts before ../former
//
// The code in that folder creates and fills the databases, through its REST interface. pg_dump must be on the PATH, and
// must not be older than the server.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type FormerDatabase, type FormerStatement, stringifyDates } from '../test/support/former.ts';
import { populateBefore } from './upgrade-fixtures/before.ts';
import { populateFormer } from './upgrade-fixtures/former.ts';

const populations = { former: populateFormer, before: populateBefore };
const [version = '', folder = ''] = process.argv.slice(2);
if (!(version in populations))
  throw new Error(`The version is one of ${Object.keys(populations).join(', ')}.`);
const former = resolve(folder);
const output = join(import.meta.dirname, '../test/fixtures', version);
const load = (path: string) => import(pathToFileURL(join(former, path)).href);
const formerRequire = createRequire(join(former, 'package.json'));

const { withMongo, withSqlite, executeOnPostgres } = await load('test/support/admin.ts');

const populate = (databaseUrl: string) => populations[version as keyof typeof populations](load, databaseUrl);

/** Makes the tables, so that what is recorded afterwards is what that version sends while it runs. */
async function install(databaseUrl: string): Promise<void> {
  const { startApp } = await load('test/support/app.ts');
  await (await startApp({ databaseUrl })).close();
}

type People = Awaited<ReturnType<typeof populate>>;

/** Records the first of each statement that the code of that version sends, with its values. */
function recorder() {
  const seen = new Map<string, FormerStatement>();
  return {
    record(sql: unknown, values: unknown) {
      if (typeof sql !== 'string' || !/^\s*(select|insert|update|delete)\b/i.test(sql)) return;
      if (!seen.has(sql) && Array.isArray(values)) seen.set(sql, { sql, values });
    },
    statements: () => [...seen.values()],
  };
}

async function writeSqlite(): Promise<[People, FormerStatement[]]> {
  const folder = mkdtempSync(join(tmpdir(), 'former-'));
  const file = join(folder, 'svc.db');
  const databaseUrl = `sqlite+aiosqlite:///${file}`;
  await install(databaseUrl);
  const { record, statements } = recorder();
  const Database = createRequire(formerRequire.resolve('@mikro-orm/sqlite'))('better-sqlite3');
  const memory = new Database(':memory:');
  const prototype = Object.getPrototypeOf(memory.prepare('select 1'));
  for (const method of ['all', 'run'] as const) {
    const original = prototype[method];
    prototype[method] = function (this: { source: string }, ...values: unknown[]) {
      if (values.length === 1) record(this.source, values[0]);
      return original.apply(this, values);
    };
  }
  const people = await populate(databaseUrl);
  const recorded = statements();
  const sql: string[] = await withSqlite(file, dumpSqlite);
  writeFileSync(join(output, 'sqlite.sql'), `${sql.join(';\n')};\n`);
  memory.close();
  rmSync(folder, { recursive: true });
  return [people, recorded];
}

// biome-ignore lint/suspicious/noExplicitAny: a connection of the other version's own
function dumpSqlite(db: any): string[] {
  const tables: { name: string; type: string }[] = db
    .prepare(`select name, type from pragma_table_list where schema = 'main' and name not like 'sqlite_%'`)
    .all();
  const sqlOf = (name: string) =>
    db.prepare('select sql from sqlite_master where name = ?').get(name).sql as string;
  const plain = tables.filter(({ type }) => type === 'table').map(({ name }) => name);
  const rows = plain.flatMap(name => {
    const columns: { name: string }[] = db.prepare(`pragma table_info("${name}")`).all();
    const values = columns.map(column => `quote("${column.name}")`).join(` || ', ' || `);
    const found: { row: string }[] = db.prepare(`select ${values} as row from "${name}"`).all();
    return found.map(({ row }) => `insert into "${name}" values (${row})`);
  });
  // The search index before the table of its contents.
  const virtual = tables.filter(({ type }) => type === 'virtual').map(({ name }) => name);
  virtual.sort((a, b) => a.length - b.length);
  const later: { sql: string }[] = db
    .prepare(`select sql from sqlite_master where type in ('index', 'trigger') and sql is not null`)
    .all();
  return [
    ...plain.map(sqlOf),
    ...rows,
    ...virtual.map(sqlOf),
    `insert into "${virtual[0]}" ("${virtual[0]}") values ('rebuild')`,
    ...later.map(({ sql }) => sql),
  ];
}

async function writePostgres(serverUrl: string): Promise<[People, FormerStatement[]]> {
  const name = 'gatehouse_former';
  await executeOnPostgres(serverUrl, `drop database if exists ${name}`);
  await executeOnPostgres(serverUrl, `create database ${name}`);
  const url = new URL(serverUrl);
  url.pathname = name;
  const databaseUrl = url.href.replace(/^postgres(ql)?:/, 'postgresql+asyncpg:');
  await install(databaseUrl);
  const { record, statements } = recorder();
  const { Client } = createRequire(formerRequire.resolve('@mikro-orm/postgresql'))('pg');
  const { query } = Client.prototype;
  Client.prototype.query = function (config: { text?: string; values?: unknown[] }, ...rest: unknown[]) {
    record(config?.text, config?.values);
    return query.call(this, config, ...rest);
  };
  const people = await populate(databaseUrl);
  const recorded = statements();
  Client.prototype.query = query;
  const dump = execFileSync('pg_dump', ['--no-owner', '--no-privileges', '--inserts', url.href], {
    encoding: 'utf8',
  });
  const lines = dump.split('\n').filter(line => line.trim() !== '' && !/^(--|\\|SET )/.test(line));
  writeFileSync(join(output, 'postgresql.sql'), `${lines.join('\n')}\n`);
  await executeOnPostgres(serverUrl, `drop database ${name}`);
  return [people, recorded];
}

async function writeMongo(serverUrl: string): Promise<People> {
  const url = new URL(serverUrl);
  url.pathname = 'gatehouse_former';
  // biome-ignore lint/suspicious/noExplicitAny: a client of the other version's own
  return withMongo(serverUrl, async (client: any) => {
    const db = client.db('gatehouse_former');
    await db.dropDatabase();
    const people = await populate(url.href);
    const collections: FormerDatabase = {};
    for (const { collectionName } of await db.collections()) {
      const collection = db.collection(collectionName);
      const documents = await collection.find().toArray();
      collections[collectionName] = { documents, indexes: await collection.indexes() };
    }
    writeFileSync(join(output, 'mongodb.json'), stringifyDates(collections));
    await db.dropDatabase();
    return people;
  });
}

mkdirSync(output, { recursive: true });
const [sqlite, sqliteStatements] = await writeSqlite();
const [postgresql, postgresqlStatements] = await writePostgres(process.env.POSTGRES_TEST_URL!);
const mongodb = await writeMongo(process.env.MONGODB_TEST_URL!);
writeFileSync(join(output, 'people.json'), stringifyDates({ sqlite, postgresql, mongodb }));
const statements = { sqlite: sqliteStatements, postgresql: postgresqlStatements };
writeFileSync(join(output, 'statements.json'), stringifyDates(statements));
console.log(`written to ${output}`);
