import { GatehouseError } from '../errors.ts';
import {
  causesOf,
  databaseCode,
  isForeignKey,
  isPassing,
  isSchemaMissing,
  isUnique,
} from './driver-codes.ts';

/** A unique index rejected a row. Carries nothing of the database's own message, which quotes the address. */
export class UniqueViolation extends Error {
  override readonly name = 'UniqueViolation';

  constructor() {
    super('A unique index refused the row.');
  }
}

/**
 * A row that another table refers to was not deleted. Carries nothing of the database's own message, which quotes the row.
 */
export class ForeignKeyViolation extends Error {
  override readonly name = 'ForeignKeyViolation';

  constructor() {
    super('A foreign key refused the change.');
  }
}

/**
 * A database that cannot be used as it is configured. The message is one line that says what to do about it.
 * @example if (error instanceof StorageError) console.error(error.message);
 */
export class StorageError extends Error {
  override readonly name = 'StorageError';
  /** The name of this state in health reports. */
  readonly status: 'down' | 'read_only' | 'full';

  constructor(message: string, status: StorageError['status'] = 'down') {
    super(message);
    this.status = status;
  }
}

/** A call that the database did not answer within the deadline. What it writes may be stored nevertheless. */
export class LateAnswer extends StorageError {
  constructor() {
    super('The database did not respond in time.');
  }
}

/** Returns the StorageError among the causes of this error, if there is one. */
export const storageErrorOf = (error: unknown): StorageError | undefined =>
  [...causesOf(error)].find(each => each instanceof StorageError);

/** Returns the message of the database itself, without what the ORM added to it. */
export const serverMessageOf = (error: unknown): string =>
  String([...causesOf(error)].find(({ name }) => name === 'error')?.message ?? (error as Error).message);

/** Returns the error for a database in which Gatehouse's schema is not installed. */
export const notInstalled = () =>
  new StorageError(
    'The database schema is not installed: call installSchema() at start-up, or run svc migrate.',
  );

/** The knowledge of a backend about its errors. */
export interface ErrorRules {
  /**
   * Returns a StorageError that says in one sentence, without a password, what is wrong with the database; otherwise the
   * error itself.
   */
  explain(error: unknown): unknown;
  /** Returns whether this is an error of the backend's ORM or driver. */
  isDriverError(error: unknown): error is Error;
}

/**
 * Returns the error that leaves the storage layer: `UniqueViolation`, `ForeignKeyViolation`, `unavailable`, or an error
 * whose message is only the database's code, because the messages of PostgreSQL and MongoDB quote the row.
 */
export function translate(error: unknown, backend: ErrorRules): unknown {
  if (isUnique(error)) return new UniqueViolation();
  if (isForeignKey(error)) return new ForeignKeyViolation();
  if (isSchemaMissing(error)) {
    return unavailable(notInstalled());
  }
  const explained = backend.explain(error);
  if (explained instanceof StorageError) return unavailable(explained);
  if (isPassing(error)) return unavailable(new StorageError(databaseCode(error)));
  if (backend.isDriverError(error)) {
    const safe = new StorageError(`The database refused a statement (${databaseCode(error)}).`);
    safe.stack = error.stack?.replace(/^[\s\S]*?\n(?= {4}at )/, `${safe.name}: ${safe.message}\n`);
    return safe;
  }
  return error;
}

const unavailable = (cause: StorageError) =>
  new GatehouseError('unavailable', { retryAfterSeconds: 2, cause });
