import { createHash, randomUUID } from 'node:crypto';
import { join, relative } from 'node:path';
import { describe, expect, inject } from 'vitest';
import { executeOnPostgres, withMongo } from './admin.ts';
import { emptyMongo, emptyPostgres, lending } from './lent.ts';
import { needed } from './needed.ts';
import { type ServerName, serverNames } from './projects.ts';
import { createSqliteFile, createSqliteMemory, lendSqliteFile } from './sqlite.ts';

/** Every kind of database that Gatehouse runs on. */
export type BackendName = 'sqlite' | 'sqlite-memory' | ServerName;

/** An empty database of one test's own. */
export interface TestDatabase {
  /** The setting `database_url`. */
  url: string;
  /** Deletes the database, cutting connections that are still open. */
  drop(): Promise<void>;
}

/** A kind of database as this run has it. */
export interface Backend {
  name: BackendName;
  available: boolean;
  /** Why it is not available. */
  reason?: string;
  /** Makes a new database at each call. */
  createDatabase(): Promise<TestDatabase>;
  /**
   * Lends a database that nobody else has meanwhile. It has no rows; it may have the tables of the usual names, and no test
   * changes them.
   */
  lendDatabase(): Promise<TestDatabase>;
}

/** All backends of this run, those that this machine cannot have included; in the fast part they are of SQLite alone. */
export const backends: Backend[] = [
  { name: 'sqlite', available: true, createDatabase: createSqliteFile, lendDatabase: lendSqliteFile },
  {
    name: 'sqlite-memory',
    available: true,
    createDatabase: createSqliteMemory,
    lendDatabase: createSqliteMemory,
  },
  ...serverNames.filter(name => inject('needs').includes(name)).map(onServer),
];

// Here alone is decided on which databases a rule runs:
//
// - `describeEachBackend`: a rule to which a file or a replica set may make a difference. Each kind of backend.
// - `describeEachDriver`: a rule that the three databases must keep alike: what races, counts, caps, ends or removes, and
//   what asks them in a way of its own. One kind of each database.
// - `describeEachKind`: such a rule, which `npm run test:all` repeats on the other kinds.
// - `describeStory`: a long story through a door. Its operations run on all three databases in test/doors/effects.test.ts
//   so `npm test` has it on SQLite and on one server, by turns, and `npm run test:all` on all three.
//
// The fast part has one kind of SQLite.

type Body = (backend: Backend) => void;

const everyKind = backends.map(({ name }) => name);
/** One kind of each database. */
const drivers: BackendName[] = ['sqlite', 'postgresql', 'mongodb'];

/** Describes the same rules once for each kind of backend; those of a backend that cannot be had are skipped by name. */
export function describeEachBackend(
  title: string,
  body: Body,
  { only = everyKind }: { only?: BackendName[] } = {},
): void {
  describeOn(only, title, body);
}

/** As `describeEachBackend`, but once for each of the three databases. */
export function describeEachDriver(title: string, body: Body): void {
  describeOn(drivers, title, body);
}

/** As `describeEachDriver`, and on every kind in `npm run test:all`. */
export function describeEachKind(
  title: string,
  body: Body,
  { only = everyKind }: { only?: BackendName[] } = {},
): void {
  describeOn(isEverything() ? only : drivers, title, body);
}

/** As `describeEachDriver`, but in `npm test` on SQLite and one of the servers. */
export function describeStory(
  title: string,
  body: Body,
  { only = drivers }: { only?: BackendName[] } = {},
): void {
  const file = relative(join(import.meta.dirname, '..'), expect.getState().testPath!);
  const left = isOdd(file + title) ? 'postgresql' : 'mongodb';
  describeOn(isEverything() ? only : only.filter(name => name !== left), title, body);
}

const isEverything = () => inject('tier') === 'all';

/** Divides texts into two halves. */
const isOdd = (text: string) => createHash('sha256').update(text).digest()[0]! % 2 === 1;

function describeOn(names: BackendName[], title: string, body: Body): void {
  if (inject('project') === 'unit')
    throw new Error(
      `${title}: a rule for each backend belongs to another project (test/support/projects.ts)`,
    );
  const chosen = backends.filter(({ name }) => names.includes(name));
  for (const backend of inject('tier') === 'fast' ? chosen.slice(0, 1) : chosen) {
    describe.skipIf(!backend.available)(`${title} (${backend.name})`, () => body(backend));
  }
}

function onServer(name: ServerName): Backend {
  const [create, empty] =
    name === 'postgresql' ? [createPostgresDatabase, emptyPostgres] : [createMongoDatabase, emptyMongo];
  const server = needed(name);
  if ('url' in server) {
    const createDatabase = () => create(server.url);
    return { name, available: true, createDatabase, lendDatabase: lending(createDatabase, empty) };
  }
  const { reason } = server;
  const createDatabase = () => Promise.reject(new Error(`${name} cannot be had: ${reason}`));
  return { name, available: false, reason, createDatabase, lendDatabase: createDatabase };
}

async function createPostgresDatabase(serverUrl: string): Promise<TestDatabase> {
  const name = uniqueName();
  await executeOnPostgres(serverUrl, `create database ${name}`);
  const url = new URL(serverUrl);
  url.pathname = name;
  return {
    url: url.href.replace(/^postgres(ql)?:/, 'postgresql+asyncpg:'),
    drop: async () =>
      void (await executeOnPostgres(serverUrl, `drop database if exists ${name} with (force)`)),
  };
}

async function createMongoDatabase(serverUrl: string): Promise<TestDatabase> {
  const name = uniqueName();
  const url = new URL(serverUrl);
  // Without this, credentials would be looked up in the new database.
  if (url.username && !url.searchParams.has('authSource')) {
    url.searchParams.set('authSource', url.pathname.slice(1) || 'admin');
  }
  url.pathname = name;
  return {
    url: url.href,
    drop: async () => void (await withMongo(serverUrl, client => client.db(name).dropDatabase())),
  };
}

const uniqueName = () => `${inject('databasePrefix')}${randomUUID().replaceAll('-', '')}`;
