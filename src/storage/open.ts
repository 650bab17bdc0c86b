import type { DatabaseUrl } from '../config/database-url.ts';
import type { Config } from '../config/schema.ts';
import type { EntityNames } from '../entities/index.ts';
import type { Backend, Counters } from './backend.ts';
import { translate } from './errors.ts';
import { openMongodb } from './mongodb.ts';
import { openPostgresql } from './postgresql.ts';
import { createRepositories, type Repositories } from './repositories/index.ts';
import type { Run } from './repositories/table.ts';
import { openSqlite } from './sqlite.ts';

export interface StorageOptions {
  names: EntityNames;
  /** How long a failed login counts, in seconds: the lockout window. */
  attemptLifetimeSeconds: number;
  /** Told how long each call took, where somebody measures. */
  onCall?: ((outcome: 'ok' | 'failed', seconds: number) => void) | undefined;
}

/** What storage needs to know of a configuration. */
export function storageOptionsOf(config: Config): StorageOptions {
  return {
    names: {
      user: config.userCollection,
      pending: config.pendingCollection,
      blacklist: config.blacklistCollection,
      loginAttempt: config.loginAttemptCollection,
      mfaCode: config.mfaCodeCollection,
      oauthIdentity: config.oauthIdentityCollection,
      oauthState: config.oauthStateCollection,
    },
    attemptLifetimeSeconds: config.loginLockoutWindowSeconds,
  };
}

export interface Storage {
  readonly backend: Backend['name'];
  readonly repositories: Repositories;
  /**
   * Brings the schema to the latest version, and answers how many steps that took. Idempotent, and safe when several
   * processes do it at once.
   */
  install(): Promise<number>;
  /** How the schema that is there compares with the one this version needs. */
  schemaState: Backend['schemaState'];
  /** @throws {GatehouseError} unavailable, when the database does not answer. */
  ping(): Promise<void>;
  /** Where requests are counted. */
  counters(): Promise<Counters>;
  close(): Promise<void>;
}

/** Opens the storage that a database URL names; connects at the first use. @throws {StorageError} */
export async function openStorage(database: DatabaseUrl, options: StorageOptions): Promise<Storage> {
  const backend = await openBackend(database, options);

  async function translated<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw translate(error, backend.explain);
    }
  }

  const run: Run = work => translated(() => backend.guard(work));

  const { onCall } = options;
  async function measured<T>(work: () => Promise<T>): Promise<T> {
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
    repositories: createRepositories(backend, onCall ? measured : run),
    install: () => backend.install(),
    schemaState: () => translated(backend.schemaState),
    ping: () => translated(backend.ping),
    counters: () => translated(async () => ({ store: await backend.counterStore(), run })),
    close: () => backend.close(),
  };
}

function openBackend(database: DatabaseUrl, options: StorageOptions): Promise<Backend> | Backend {
  switch (database.backend) {
    case 'sqlite':
      return openSqlite(database.path, options);
    case 'postgresql':
      return openPostgresql(database.url, options);
    case 'mongodb':
      return openMongodb(database.url, database.database, options);
  }
}
