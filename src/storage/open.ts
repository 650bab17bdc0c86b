import type { DatabaseUrl } from '../config/database-url.ts';
import { GatehouseError } from '../errors.ts';
import type { Backend, Counters } from './backend.ts';
import { isFull } from './driver-codes.ts';
import { StorageError, translate } from './errors.ts';
import { withDeadline } from './guard.ts';
import type { StorageOptions } from './options.ts';
import { assertOneRelease } from './orm-release.ts';
import { createRepositories, type Repositories } from './repositories/index.ts';
import type { Run } from './repositories/table.ts';
import { createSlowness, type Slowness } from './slowness.ts';

export interface Storage {
  readonly backend: Backend['name'];
  readonly repositories: Repositories;
  /**
   * Brings the schema to the latest version. Returns how many steps that took. Idempotent, and safe when several processes
   * do it at once.
   */
  install(): Promise<number>;
  /** Returns how the installed schema compares with the one this version needs. */
  readSchemaState: Backend['readSchemaState'];
  /** Returns how the tables and indexes differ from what this version needs. */
  findDifferences: Backend['findDifferences'];
  /** @throws {GatehouseError} unavailable, when the database does not respond or accepts no writes */
  ping(): Promise<void>;
  /** Returns how the connection to the database is made. @throws {GatehouseError} unavailable, when it does not respond */
  describeConnection: Backend['describeConnection'];
  /** Returns the present time by the clock of the database. */
  now(): Promise<Date>;
  /** Returns what an operator should know about the database itself. */
  listRemarks: Backend['listRemarks'];
  /** See `Slowness.bounded`; undefined where each answer has one deadline and that is enough. */
  bounded: Slowness['bounded'] | undefined;
  /** Returns where requests are counted. */
  openCounters(): Promise<Counters>;
  close(): Promise<void>;
}

/** How long a write that failed for lack of disk space keeps the instance from being ready, in milliseconds. */
const fullForMs = 10_000;

const diskFullError = () =>
  new GatehouseError('unavailable', {
    retryAfterSeconds: 5,
    cause: new StorageError('The disk of the database is full. Free some space.', 'full'),
  });

/** Opens the storage that a database URL names; it connects at the first use. @throws {StorageError} */
export async function openStorage(database: DatabaseUrl, options: StorageOptions): Promise<Storage> {
  assertOneRelease(database.backend);
  const backend = await openBackend(database, options);

  let fullAt = Number.NEGATIVE_INFINITY;

  async function translateErrors<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (isFull(error)) fullAt = performance.now();
      throw translate(error, backend);
    }
  }

  // While a replica set elects another primary, its driver answers late again and again.
  const slowness = backend.name === 'mongodb' ? createSlowness() : null;
  const guarded: Run = work => translateErrors(() => backend.guard(work));
  const run: Run = slowness ? work => slowness.watch(() => guarded(work)) : guarded;

  const { onCall } = options;
  async function measure<T>(work: () => Promise<T>): Promise<T> {
    const startedAt = performance.now();
    let outcome: 'ok' | 'failed' = 'failed';
    try {
      const result = await run(work);
      outcome = 'ok';
      return result;
    } finally {
      onCall?.(outcome, (performance.now() - startedAt) / 1000);
    }
  }

  return {
    backend: backend.name,
    repositories: createRepositories(backend, onCall ? measure : run, options),
    install: () => backend.install(),
    readSchemaState: () => translateErrors(backend.readSchemaState),
    findDifferences: () => translateErrors(() => withDeadline(backend.findDifferences)),
    async ping() {
      await translateErrors(backend.ping);
      if (performance.now() - fullAt < fullForMs) throw diskFullError();
    },
    listRemarks: () => translateErrors(() => withDeadline(backend.listRemarks)),
    describeConnection: () => translateErrors(backend.describeConnection),
    now: () => run(backend.now),
    bounded: slowness?.bounded,
    openCounters: () =>
      translateErrors(async () => ({
        store: await backend.openCounterStore(),
        table: options.names.rate_limits,
        run,
        shortenWindow: (key, leftMs) => run(() => backend.shortenWindow(key, leftMs)),
      })),
    close: () => backend.close(),
  };
}

/** Loads only the backend that the URL names. */
async function openBackend(database: DatabaseUrl, options: StorageOptions): Promise<Backend> {
  switch (database.backend) {
    case 'sqlite':
      return (await import('./sqlite.ts')).openSqlite(database, options);
    case 'postgresql':
      return (await import('./postgresql.ts')).openPostgresql(database, options);
    case 'mongodb':
      return (await import('./mongodb.ts')).openMongodb(database, options);
  }
}
