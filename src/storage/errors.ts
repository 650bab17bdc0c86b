import { DriverException } from '@mikro-orm/core';
import { GatehouseError } from '../errors.ts';

/** A unique index refused a row. Carries nothing of the database's own message, which holds the address. */
export class UniqueViolation extends Error {
  override readonly name = 'UniqueViolation';

  constructor() {
    super('A unique index refused the row.');
  }
}

/** A database that cannot be used as it is configured: one line that says what to do about it. */
export class StorageError extends Error {
  override readonly name = 'StorageError';
}

// PostgreSQL's SQLSTATE, MongoDB's error codes and names, SQLite's result codes and Node's system errors that mean
// "not now", as opposed to "you asked for something wrong".
const passingCodes = new Set<unknown>([
  ...[
    'ECONNREFUSED',
    'ECONNRESET',
    'ECONNABORTED',
    'ETIMEDOUT',
    'EPIPE',
    'ENOTFOUND',
    'EAI_AGAIN',
    'EHOSTUNREACH',
  ],
  ...[
    '53000',
    '53100',
    '53200',
    '53300',
    '53400',
    '55P03',
    '57014',
    '57P01',
    '57P02',
    '57P03',
    '25006',
    'XX000',
  ],
  ...[6, 7, 89, 91, 189, 262, 9001, 10107, 11600, 11602, 13435, 13436, 14031],
]);
const passingPatterns = [
  /^08(?!P01)/, // PostgreSQL class 08: connection exception, protocol violations apart
  /^SQLITE_(BUSY|LOCKED|FULL|IOERR|CANTOPEN|READONLY|NOMEM|PROTOCOL)/,
  /^Mongo(Network|ServerSelection|OperationTimeout|Topology|NotConnected|PoolCleared|WaitQueue|ClientClosed|WriteConcern|Expired)/,
];
/** MongoDB's, PostgreSQL's and SQLite's words for a row that a unique index has already. */
const uniqueCodes = new Set<unknown>([
  11000,
  '23505',
  'SQLITE_CONSTRAINT_UNIQUE',
  'SQLITE_CONSTRAINT_PRIMARYKEY',
]);
const passingMessages =
  /timeout exceeded when trying to connect|Connection terminated|Query read timeout|connection error and is not queryable|Client was closed|Cannot use a pool after calling end|The database connection is not open|driver has already been destroyed/;

function* causes(error: unknown): Generator<{ code?: unknown; name?: unknown; message?: unknown }> {
  for (
    let e = error, depth = 0;
    e instanceof Error && depth < 8;
    e = e.cause ?? (e as { previous?: unknown }).previous
  ) {
    yield e;
    depth++;
    if (e instanceof AggregateError) yield* e.errors;
  }
}

/** Whether an error says that the database is down, hung, full or too busy, so that trying later may help. */
export function isPassing(error: unknown): boolean {
  for (const { code, name, message } of causes(error)) {
    if (passingCodes.has(code)) return true;
    if (passingPatterns.some(p => p.test(String(code)) || p.test(String(name)))) return true;
    if (typeof message === 'string' && passingMessages.test(message)) return true;
  }
  return false;
}

/** Whether a table is not there: PostgreSQL's undefined_table, and what SQLite has no code of its own for. */
function isSchemaMissing(error: unknown): boolean {
  for (const { code, message } of causes(error)) {
    if (code === '42P01' || (typeof message === 'string' && /\bno such table: /.test(message))) return true;
  }
  return false;
}

/** What a database without our schema answers with. */
export const notInstalled = () =>
  new StorageError('The schema is not there: call installSchema() at the start, or run svc migrate.');

/** Whether SQLite refused because another process was writing. */
export function isBusy(error: unknown): boolean {
  return [...causes(error)].some(({ code }) => /^SQLITE_(BUSY|LOCKED)/.test(String(code)));
}

/** The code of the database's own error, else its class, for logs and start-up messages: no data, unlike the message. */
export function databaseCode(error: unknown): string {
  let className = 'unknown';
  for (const { code, name } of causes(error)) {
    if (typeof code === 'string' || typeof code === 'number') return String(code);
    className = String(name);
  }
  return className;
}

/** An error of the ORM's, or of a driver where it was called directly: `error` is the name of PostgreSQL's. */
const isDriverError = (error: unknown): error is Error =>
  error instanceof DriverException ||
  (error instanceof Error && /^(SqliteError|error|Mongo\w+)$/.test(error.name));

/**
 * What leaves the storage layer: `UniqueViolation`, `unavailable`, or an error whose message is the database's code
 * alone, because PostgreSQL's and MongoDB's messages quote the row. `explain` is the backend's own.
 */
export function translate(error: unknown, explain: (error: unknown) => unknown): unknown {
  for (const { code } of causes(error)) if (uniqueCodes.has(code)) return new UniqueViolation();
  if (isSchemaMissing(error)) {
    return unavailable(notInstalled());
  }
  const explained = explain(error);
  if (explained instanceof StorageError) return unavailable(explained);
  if (isPassing(error)) return unavailable(new StorageError(databaseCode(error)));
  if (isDriverError(error)) {
    const safe = new StorageError(`The database refused a statement (${databaseCode(error)}).`);
    safe.stack = error.stack?.replace(/^[\s\S]*?\n(?= {4}at )/, `${safe.name}: ${safe.message}\n`);
    return safe;
  }
  return error;
}

const unavailable = (cause: StorageError) =>
  new GatehouseError('unavailable', { retryAfterSeconds: 2, cause });
