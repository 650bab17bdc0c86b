import { featureTables } from '../feature-parts.ts';
import { authenticators } from './authenticator.ts';
import { blacklist } from './blacklist-entry.ts';
import { challenges } from './challenge.ts';
import type { Columns, Table } from './define.ts';
import { hourCounts } from './hour-count.ts';
import { loginAttempts } from './login-attempt.ts';
import { mfaCodes } from './mfa-code.ts';
import { oauthIdentities } from './oauth-identity.ts';
import { oauthStates } from './oauth-state.ts';
import { outboxMessages } from './outbox-message.ts';
import { passwordFailures } from './password-failures.ts';
import { pendingRegistrations } from './pending-registration.ts';
import { rateLimits } from './rate-limit.ts';
import { recoveryCodes } from './recovery-codes.ts';
import { sessionRecords } from './session-record.ts';
import { users } from './user.ts';

/** Every table, by the name of its repository, in the order of the documentation. */
export const tables = {
  users,
  pending: pendingRegistrations,
  blacklist,
  attempts: loginAttempts,
  mfa_codes: mfaCodes,
  oauth_identities: oauthIdentities,
  oauth_states: oauthStates,
  authenticators,
  recovery_codes: recoveryCodes,
  challenges,
  sessions: sessionRecords,
  password_failures: passwordFailures,
  outbox: outboxMessages,
  rate_limits: rateLimits,
  hour_counts: hourCounts,
  ...featureTables,
};

export type TableName = keyof typeof tables;

export const tableNames = Object.keys(tables) as TableName[];

/** A field of the configuration that names a table. */
export type TableSetting = (typeof tables)[TableName]['setting'];

/** The names of the tables in the database (SPEC §2.5, CONTRACT §5). */
export type TableNames = Record<TableName, string>;

/** Returns a value for each table. */
export const forEachTable = <T>(make: (table: Table<Columns, TableSetting>, name: TableName) => T) =>
  Object.fromEntries(
    Object.entries(tables).map(([name, table]) => [name, make(table, name as TableName)]),
  ) as Record<TableName, T>;

/** As `forEachTable`, by the fields of the configuration. */
export const bySetting = <T>(make: (table: Table) => T) =>
  Object.fromEntries(Object.values(tables).map(table => [table.setting, make(table)])) as Record<
    TableSetting,
    T
  >;
