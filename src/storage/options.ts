import type { Config } from '../config/schema.ts';
import { camelCase } from '../names.ts';
import { forEachTable, type TableNames } from '../tables/index.ts';
import type { IdentityIssuers } from '../tables/oauth-identity.ts';

export interface StorageOptions {
  names: TableNames;
  /** The table or collection that records which steps of the schema have run. */
  migrations: string;
  /** PostgreSQL: the schema of the tables; without one, the search path decides. */
  schema?: string | undefined;
  /** How long a failed login counts, in seconds: the lockout window. */
  attemptLifetimeSeconds: number;
  /** The issuers of identities that an earlier version stored without one. */
  identityIssuers: IdentityIssuers;
  /** Connections of one process, if the configuration sets a number. */
  poolSize?: number | undefined;
  /** How long a pending registration waits for its verification, in seconds. */
  pendingLifetimeSeconds: number;
  /** Whether the session check reads when a session was last used. */
  readsLastSeen?: boolean;
  /** Whether the session check leaves own fields and roles unread, because the configuration names none. */
  omitsOwnData?: boolean;
  /**
   * Receives what a server logs of its storage. On SQLite, a server writes the write-ahead log back in a worker thread, and
   * reports here when it cannot; without it, as in a command, no thread is started.
   */
  warnOfServer?: ((fields: object, message: string) => void) | undefined;
  /** Receives the outcome and duration of each call, for metrics. */
  onCall?: ((outcome: 'ok' | 'failed', seconds: number) => void) | undefined;
}

/** The part of a configuration that storage needs. */
export type StorageConfig = Pick<
  Config,
  | Extract<keyof Config, `${string}Collection`>
  | 'databaseSchema'
  | 'databasePoolSize'
  | 'loginLockoutWindowSeconds'
  | 'verificationTokenTtlSeconds'
  | 'sessionIdleTtlSeconds'
  | 'oauth'
  | 'userFields'
  | 'roles'
>;

/** Returns the options of storage that a configuration sets. */
export function storageOptionsOf(config: StorageConfig): StorageOptions {
  return {
    names: forEachTable(({ setting }) => config[camelCase(setting)]),
    migrations: config.migrationCollection,
    schema: config.databaseSchema,
    attemptLifetimeSeconds: config.loginLockoutWindowSeconds,
    identityIssuers: { google: config.oauth.providers.google?.issuer ?? config.oauth.googleIssuer },
    poolSize: config.databasePoolSize,
    pendingLifetimeSeconds: config.verificationTokenTtlSeconds,
    readsLastSeen: config.sessionIdleTtlSeconds > 0,
    omitsOwnData: Object.keys(config.userFields).length === 0 && config.roles.length === 0,
  };
}
