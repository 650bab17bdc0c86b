// Writes test/fixtures/former: a database of a former version on each backend, for the tests of upgrades.
//
//   clone the repository to ../former, check that version out there, and run npm ci in it; then
//   POSTGRES_TEST_URL=… MONGODB_TEST_URL=… node scripts/write-upgrade-fixtures.ts ../former
//
// The code in that folder creates and fills the databases, through its REST interface. pg_dump must be on the PATH, and
// must not be older than the server.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { FormerDatabase, FormerStatement, People } from '../test/support/former.ts';
import { stringifyDates } from '../test/support/former.ts';

const former = resolve(process.argv[2] ?? '');
const output = join(import.meta.dirname, '../test/fixtures/former');
const load = (path: string) => import(pathToFileURL(join(former, path)).href);
const formerRequire = createRequire(join(former, 'package.json'));

const { startApp, TestClock, tokenOf } = await load('test/support/app.ts');
const { baseUrl, startOidc } = await load('test/support/oidc.ts');
const { withMongo, withSqlite, executeOnPostgres } = await load('test/support/admin.ts');

const password = 'correct horse battery';
const verifier = 'a-verifier-of-43-characters-or-more-as-rfc-7636-says';
const challenge = createHash('sha256').update(verifier).digest('base64url');

/** Fills a database with one account of each kind. Returns what only their owners know. */
async function populate(databaseUrl: string): Promise<People> {
  const clock = new TestClock();
  const oidc = await startOidc();
  const settings = {
    ...{ baseUrl, enableOauth: true, enableSms2fa: true, enableAdminRouter: true },
    ...{ oauth: oidc.settings, loginRateLimit: '1000/hour' },
  };
  const app = await startApp({ databaseUrl, clock, settings });
  const open = await startApp({ databaseUrl, clock, settings: { ...settings, requireVerification: false } });

  const address = (name: string) => `${name}@example.org`;
  async function call(method: string, path: string, body?: object, token?: string, status = 200) {
    const reply = await app.rest(method, path, body, { token });
    if (reply.status !== status) throw new Error(`${method} ${path}: ${JSON.stringify(reply.body)}`);
    clock.advance(1000);
    return reply.body;
  }
  const logIn = (name: string) => call('POST', '/login', { email: address(name), password });
  async function signUp(name: string, full_name?: string) {
    await call('POST', '/register', { email: address(name), password, full_name }, undefined, 201);
    const { id } = await call('POST', '/verify', { token: tokenOf(await app.nextMail(address(name))) });
    return { id, email: address(name), token: (await logIn(name)).access_token };
  }
  const codeTo = async (phone: string) => /(\d{6})$/.exec((await app.nextText(phone)).text)![1]!;
  async function external(start: string, subject: string): Promise<URL> {
    const { search } = await oidc.signInAt(start, subject);
    const reply = await app.rest('GET', `/oauth/google/callback${search}`);
    return new URL(reply.headers.get('Location'));
  }
  async function startSignIn(): Promise<string> {
    const reply = await app.rest('GET', `/oauth/google/start?code_challenge=${challenge}`);
    return reply.headers.get('Location');
  }

  await app.gatehouse.operator.createAdmin({ email: address('superuser'), password });
  const superuser = (await logIn('superuser')).access_token;
  const ordinary = await signUp('ordinary', 'Grace Hopper');
  const loggedOut = (await logIn('ordinary')).access_token;
  await call('POST', '/logout', {}, loggedOut);

  const revoked = await signUp('revoked');
  const changed = { current_password: password, new_password: 'another horse battery' };
  await call('POST', '/change-password', changed, revoked.token);

  await open.rest('POST', '/register', { email: address('unverified'), password });
  await call('POST', '/resend-verification', { email: address('unverified') }, undefined, 202);
  const verification = tokenOf(await app.nextMail(address('unverified')));

  const phone = '+4915112345678';
  const mfa = await signUp('mfa');
  const setup = { phone_number: phone, current_password: password };
  const { pending_token } = await call('POST', '/phone/start', setup, mfa.token, 202);
  await call('POST', '/phone/confirm', { pending_token, code: await codeTo(phone) }, mfa.token);
  const { mfa_pending_token } = await logIn('mfa');
  const login = { mfa_pending_token, code: await codeTo(phone) };

  const linked = await signUp('linked');
  const { authorization_url } = await call('POST', '/oauth/google/link/start', {}, linked.token);
  await external(authorization_url, 'linked-subject');
  await external(await startSignIn(), 'external-subject');
  const { id: externalId } = await app.gatehouse.repositories.users.findByEmail(
    'external-subject@people.example',
  );
  // A flow in progress, one that has ended at the application, and a phone set-up that waits for its code.
  await startSignIn();
  await external(await startSignIn(), 'linked-subject');
  const other = { phone_number: '+4915187654321', current_password: password };
  await call('POST', '/phone/start', other, ordinary.token, 202);

  const disabled = await signUp('disabled');
  await call('PATCH', `/admin/users/${disabled.id}`, { is_active: false }, superuser);
  await signUp('locked');
  for (let i = 0; i < 5; i++) {
    await call('POST', '/login', { email: address('locked'), password: 'a wrong one' }, undefined, 401);
  }
  await call('POST', '/register', { email: address('waiting'), password }, undefined, 201);
  const registration = tokenOf(await app.nextMail(address('waiting')));
  await call('POST', '/forgot-password', { email: address('ordinary') }, undefined, 202);
  const reset = tokenOf(await app.nextMail(address('ordinary')));

  const now = clock.now().toISOString();
  await app.close();
  await open.close();
  await oidc.close();
  return {
    now,
    password,
    ids: { ordinary: ordinary.id, linked: linked.id, external: externalId },
    sessions: { ordinary: ordinary.token, loggedOut, revoked: revoked.token },
    phone,
    ...{ login, registration, verification, reset },
  };
}

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
  const people = await populate(`sqlite+aiosqlite:///${file}`);
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
  const { record, statements } = recorder();
  const { Client } = createRequire(formerRequire.resolve('@mikro-orm/postgresql'))('pg');
  const { query } = Client.prototype;
  Client.prototype.query = function (config: { text?: string; values?: unknown[] }, ...rest: unknown[]) {
    record(config?.text, config?.values);
    return query.call(this, config, ...rest);
  };
  const people = await populate(url.href.replace(/^postgres(ql)?:/, 'postgresql+asyncpg:'));
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
