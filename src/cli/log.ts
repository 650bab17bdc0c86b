import { type DestinationStream, type Level, pino } from 'pino';
import type { Logger } from '../logger.ts';

/**
 * Structured records, one JSON line each, on standard output unless told otherwise. An error is written as its type,
 * message and stack; its cause likewise, because that is where the storage layer keeps what an operator must see.
 */
export function createLog(level: Level, destination: DestinationStream = pino.destination(1)): Logger {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { err: pino.stdSerializers.errWithCause },
  };
  return pino(options, destination);
}

/** The log of a command, on standard error: what went wrong, and the audit record of what it did. */
export function createCommandLog(): Logger {
  const log = createLog('info', process.stderr);
  const silent = () => {};
  return {
    debug: silent,
    info: (fields, message) => message === 'audit' && log.info(fields, message),
    warn: (fields, message) => log.warn(fields, message),
    error: (fields, message) => log.error(fields, message),
  };
}
