import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, inject } from 'vitest';
import { executeOnPostgres, withMongo } from './admin.ts';
import { needed } from './needed.ts';
import { type ServerName, serverNames } from './projects.ts';

/** Every kind of database that Gatehouse runs on. */
export type BackendName = 'sqlite' | 'sqlite-memory' | ServerName;

/** An empty database of one test's own. */
export interface TestDatabase {
  /** What a configuration takes as `database_url`. */
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
  /** Makes a database that nobody else has, at each call. */
  createDatabase(): Promise<TestDatabase>;
}

/** All backends of this run, those that this machine cannot have included; in the fast part they are of SQLite alone. */
export const backends: Backend[] = [
  { name: 'sqlite', available: true, createDatabase: createSqliteFile },
  { name: 'sqlite-memory', available: true, createDatabase: createSqliteMemory },
  ...serverNames.filter(name => inject('needs').includes(name)).map(onServer),
];

/** Describes the same rules once for each backend of this run; those of a backend that cannot be had are skipped by name. */
export function describeEachBackend(
  title: string,
  body: (backend: Backend) => void,
  { only }: { only?: BackendName[] } = {},
): void {
  if (inject('project') === 'unit')
    throw new Error(
      `${title}: a rule for each backend belongs to another project (test/support/projects.ts)`,
    );
  const chosen = backends.filter(({ name }) => !only || only.includes(name));
  // In the fast part one kind of SQLite stands for both.
  const isFast = inject('needs').length === 0;
  for (const backend of isFast ? chosen.slice(-1) : chosen) {
    describe.skipIf(!backend.available)(`${title} (${backend.name})`, () => body(backend));
  }
}

/**
 * As `describeEachBackend`, but once for each of the three drivers: for rules that no file, and no replica set, can
 * make a difference to.
 */
export function describeEachDriver(title: string, body: (backend: Backend) => void): void {
  describeEachBackend(title, body, { only: ['sqlite-memory', 'postgresql', 'mongodb'] });
}

function onServer(name: ServerName): Backend {
  const create = name === 'postgresql' ? createPostgresDatabase : createMongoDatabase;
  const server = needed(name);
  if ('url' in server) return { name, available: true, createDatabase: () => create(server.url) };
  const { reason } = server;
  const createDatabase = () => Promise.reject(new Error(`${name} cannot be had: ${reason}`));
  return { name, available: false, reason, createDatabase };
}

async function createSqliteFile(): Promise<TestDatabase> {
  const folder = await mkdtemp(join(inject('temporaryFolder'), 'sqlite-'));
  const url = `sqlite+aiosqlite:///${join(folder, 'gatehouse.db')}`;
  return { url, drop: () => rm(folder, { recursive: true, force: true }) };
}

async function createSqliteMemory(): Promise<TestDatabase> {
  return { url: 'sqlite+aiosqlite:///:memory:', drop: async () => {} };
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

function uniqueName(): string {
  return `test_${randomUUID().replaceAll('-', '')}`;
}
