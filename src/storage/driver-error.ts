import { DriverException } from '@mikro-orm/core';

/**
 * Returns whether this is an error of the ORM, or of a driver that was called directly: `error` is the name of
 * PostgreSQL's.
 */
export const isDriverError = (error: unknown): error is Error =>
  error instanceof DriverException ||
  (error instanceof Error && /^(SqliteError|error|Mongo\w+)$/.test(error.name));
