import { type Level, pino } from 'pino';
import type { Logger } from '../logger.ts';

/**
 * Structured records, one JSON line each, on standard output. An error is written as its type, message and stack; its
 * cause likewise, because that is where the storage layer keeps what an operator must see.
 */
export function createLog(level: Level): Logger {
  return pino({
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { err: pino.stdSerializers.errWithCause },
  });
}
