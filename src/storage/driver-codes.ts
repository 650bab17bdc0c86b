/** The kind that the storage layer gives to an error of a database. */
type Verdict =
  /** The database is down, hung, full or too busy: not now, as opposed to "the request was wrong". */
  | 'passing'
  /** There was no disk space for a write. */
  | 'full'
  /** The server is gone, or has another role: its other connections are of no more use than this one. */
  | 'gone'
  /** Another process was writing. */
  | 'busy'
  /** A unique index rejected a row. */
  | 'unique'
  /** A foreign key rejected a change. */
  | 'foreign key'
  /** A table is missing. */
  | 'schema missing';

type Source = 'system' | 'PostgreSQL' | 'MongoDB' | 'SQLite';

/** Who reports it; its code, or the name of its class; its meaning; what it is taken for. */
type CodeRow = [source: Source, code: string | number, meaning: string, ...takenFor: Verdict[]];

/** A code that ends in `*` stands for all codes that begin so and have no row of their own. */
const codes: CodeRow[] = [
  // The system calls of Node.
  ['system', 'ECONNREFUSED', 'connection refused', 'passing'],
  ['system', 'ECONNRESET', 'connection reset by peer', 'passing', 'gone'],
  ['system', 'ECONNABORTED', 'connection aborted', 'passing'],
  ['system', 'ETIMEDOUT', 'operation timed out', 'passing', 'gone'],
  ['system', 'EPIPE', 'broken pipe', 'passing', 'gone'],
  ['system', 'ENOTFOUND', 'DNS lookup: no such host', 'passing'],
  ['system', 'EAI_AGAIN', 'DNS lookup: temporary failure', 'passing'],
  ['system', 'EHOSTUNREACH', 'no route to host', 'passing'],

  // SQLSTATEs (https://www.postgresql.org/docs/current/errcodes-appendix.html).
  ['PostgreSQL', '08*', 'class 08, connection_exception', 'passing'],
  ['PostgreSQL', '08P01', 'protocol_violation'],
  ['PostgreSQL', '23001', 'restrict_violation, of RESTRICT from version 18 on', 'foreign key'],
  ['PostgreSQL', '23503', 'foreign_key_violation', 'foreign key'],
  ['PostgreSQL', '23505', 'unique_violation', 'unique'],
  ['PostgreSQL', '25006', 'read_only_sql_transaction', 'passing', 'gone'],
  ['PostgreSQL', '42P01', 'undefined_table', 'schema missing'],
  ['PostgreSQL', '53000', 'insufficient_resources', 'passing'],
  ['PostgreSQL', '53100', 'disk_full', 'passing', 'full'],
  ['PostgreSQL', '53200', 'out_of_memory', 'passing'],
  ['PostgreSQL', '53300', 'too_many_connections', 'passing'],
  ['PostgreSQL', '53400', 'configuration_limit_exceeded', 'passing'],
  ['PostgreSQL', '55P03', 'lock_not_available', 'passing'],
  ['PostgreSQL', '57014', 'query_canceled', 'passing'],
  ['PostgreSQL', '57P01', 'admin_shutdown', 'passing', 'gone'],
  ['PostgreSQL', '57P02', 'crash_shutdown', 'passing', 'gone'],
  ['PostgreSQL', '57P03', 'cannot_connect_now', 'passing'],
  ['PostgreSQL', 'XX000', 'internal_error', 'passing'],

  // The server's codes (https://www.mongodb.com/docs/manual/reference/error-codes/).
  ['MongoDB', 6, 'HostUnreachable', 'passing'],
  ['MongoDB', 7, 'HostNotFound', 'passing'],
  ['MongoDB', 89, 'NetworkTimeout', 'passing'],
  ['MongoDB', 91, 'ShutdownInProgress', 'passing'],
  ['MongoDB', 189, 'PrimarySteppedDown', 'passing'],
  ['MongoDB', 262, 'ExceededTimeLimit', 'passing'],
  ['MongoDB', 9001, 'SocketException', 'passing'],
  ['MongoDB', 10107, 'NotWritablePrimary', 'passing'],
  ['MongoDB', 11000, 'DuplicateKey', 'unique'],
  ['MongoDB', 11600, 'InterruptedAtShutdown', 'passing'],
  ['MongoDB', 11602, 'InterruptedDueToReplStateChange', 'passing'],
  ['MongoDB', 13435, 'NotPrimaryNoSecondaryOk', 'passing'],
  ['MongoDB', 13436, 'NotPrimaryOrSecondary', 'passing'],
  ['MongoDB', 14031, 'OutOfDiskSpace', 'passing', 'full'],
  // The driver's classes: its own errors have no code.
  ['MongoDB', 'MongoNetwork*', 'the connection failed or took too long', 'passing'],
  ['MongoDB', 'MongoServerSelection*', 'no server could be reached', 'passing'],
  ['MongoDB', 'MongoOperationTimeout*', 'the time of the operation is up', 'passing'],
  ['MongoDB', 'MongoTopology*', 'the client is closed', 'passing'],
  ['MongoDB', 'MongoNotConnected*', 'the client is not connected', 'passing'],
  ['MongoDB', 'MongoPoolCleared*', 'the pool was cleared because another connection failed', 'passing'],
  ['MongoDB', 'MongoWaitQueue*', 'no connection of the pool became free', 'passing'],
  ['MongoDB', 'MongoClientClosed*', 'the client is closed', 'passing'],
  ['MongoDB', 'MongoWriteConcern*', 'too few servers confirmed a write', 'passing'],
  ['MongoDB', 'MongoExpired*', 'the session has ended', 'passing'],

  // Result codes and their extended codes (https://www.sqlite.org/rescode.html).
  ['SQLite', 'SQLITE_BUSY*', 'another connection is writing', 'passing', 'busy'],
  ['SQLite', 'SQLITE_LOCKED*', 'this process holds the lock itself', 'passing', 'busy'],
  ['SQLite', 'SQLITE_FULL*', 'the disk is full', 'passing', 'full'],
  ['SQLite', 'SQLITE_IOERR*', 'the operating system reported an I/O error', 'passing'],
  ['SQLite', 'SQLITE_CANTOPEN*', 'a file could not be opened', 'passing'],
  ['SQLite', 'SQLITE_READONLY*', 'the file can only be read', 'passing'],
  ['SQLite', 'SQLITE_NOMEM*', 'no memory could be allocated', 'passing'],
  ['SQLite', 'SQLITE_PROTOCOL*', 'a lock of the log could not be taken', 'passing'],
  ['SQLite', 'SQLITE_CONSTRAINT_UNIQUE', 'a unique index refused', 'unique'],
  ['SQLite', 'SQLITE_CONSTRAINT_PRIMARYKEY', 'a primary key refused', 'unique'],
  ['SQLite', 'SQLITE_CONSTRAINT_FOREIGNKEY', 'a foreign key refused', 'foreign key'],
];

/** Who reports it; the whole message or a part of it; what it is taken for; the code it has to come with, if there is one. */
type MessageRow = [source: Source, message: RegExp, takenFor: Verdict, code?: string];

/** Errors without a code of their own. */
const messages: MessageRow[] = [
  ['PostgreSQL', /timeout exceeded when trying to connect/, 'passing'],
  ['PostgreSQL', /^timeout expired$/, 'passing'],
  ['PostgreSQL', /Connection terminated/, 'passing'],
  ['PostgreSQL', /Connection terminated/, 'gone'],
  ['PostgreSQL', /Query read timeout/, 'passing'],
  ['PostgreSQL', /Query read timeout/, 'gone'],
  ['PostgreSQL', /connection error and is not queryable/, 'passing'],
  ['PostgreSQL', /Client was closed/, 'passing'],
  ['PostgreSQL', /Cannot use a pool after calling end/, 'passing'],
  ['SQLite', /The database connection is not open/, 'passing'],
  ['SQLite', /driver has already been destroyed/, 'passing'],
  ['SQLite', /\bno such table: /, 'schema missing'],
  // SQLite runs RESTRICT as a trigger, and reports the trigger's code.
  ['SQLite', /^FOREIGN KEY constraint failed$/, 'foreign key', 'SQLITE_CONSTRAINT_TRIGGER'],
];

const exact = new Map<unknown, CodeRow>(codes.map(row => [row[1], row]));
const families = codes.flatMap(row => {
  const [, code] = row;
  return typeof code === 'string' && code.endsWith('*') ? [[code.slice(0, -1), row] as const] : [];
});

/** Returns the verdicts on a code, or on the name of a class. */
function verdictsOn(code: unknown): Verdict[] {
  const row = exact.get(code) ?? families.find(([start]) => String(code).startsWith(start))?.[1];
  const [, , , ...takenFor] = row ?? [];
  return takenFor;
}

/** Returns whether a database means this by an error, or by one of its causes. */
function isTakenFor(verdict: Verdict, error: unknown): boolean {
  for (const { code, name, message } of causesOf(error)) {
    if (verdictsOn(code).includes(verdict) || verdictsOn(name).includes(verdict)) return true;
    const isSaid = messages.some(
      ([, text, takenFor, onlyWith]) =>
        takenFor === verdict &&
        (onlyWith === undefined || onlyWith === code) &&
        typeof message === 'string' &&
        text.test(message),
    );
    if (isSaid) return true;
  }
  return false;
}

/**
 * Returns whether an error means that the database is down, hung, full or too busy, so that a later attempt may succeed.
 */
export const isPassing = (error: unknown) => isTakenFor('passing', error);
/** Returns whether there was no disk space for a write. */
export const isFull = (error: unknown) => isTakenFor('full', error);
/** Returns whether the server is gone, or has another role, so that its other connections are of no more use. */
export const isServerGone = (error: unknown) => isTakenFor('gone', error);
/** Returns whether SQLite refused because another process was writing. */
export const isBusy = (error: unknown) => isTakenFor('busy', error);
/** Returns whether a unique index rejected a row. */
export const isUnique = (error: unknown) => isTakenFor('unique', error);
/** Returns whether a foreign key rejected the change. */
export const isForeignKey = (error: unknown) => isTakenFor('foreign key', error);
/** Returns whether a table is missing. */
export const isSchemaMissing = (error: unknown) => isTakenFor('schema missing', error);

/** Returns an error and what caused it, outermost first. */
export function* causesOf(error: unknown): Generator<{ code?: unknown; name?: unknown; message?: unknown }> {
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

/**
 * Returns the code of the database's own error, otherwise its class, for logs and start-up messages: unlike the message,
 * it holds no data.
 */
export function databaseCode(error: unknown): string {
  let className = 'unknown';
  for (const { code, name } of causesOf(error)) {
    if (typeof code === 'string' || typeof code === 'number') return String(code);
    className = String(name);
  }
  return className;
}
