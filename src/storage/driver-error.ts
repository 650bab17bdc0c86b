/** The ORM's class of errors. Its package is not imported, because SQLite is served without the ORM. */
const ormClass = 'DriverException';

function isOfOrm(error: Error): boolean {
  for (let type = Object.getPrototypeOf(error); type !== null; type = Object.getPrototypeOf(type))
    if (type.constructor?.name === ormClass) return true;
  return false;
}

/**
 * Returns whether this is an error of the ORM, or of a driver that was called directly: `error` is the name of
 * PostgreSQL's.
 */
export const isDriverError = (error: unknown): error is Error =>
  error instanceof Error && (/^(SqliteError|error|Mongo\w+)$/.test(error.name) || isOfOrm(error));
