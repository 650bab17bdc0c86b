import { type DestinationStream, type Level, pino } from 'pino';
import { inOneLine, type Logger } from '../logger.ts';

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

/** What a request log record holds; see `server.ts`. */
interface RequestFields {
  method: string;
  route: string | null;
  status: number;
  duration_ms: number;
}

/**
 * The log of a developer at a terminal, where mails should stay in sight: a short line a request, and no audit records
 * of what succeeded or was refused.
 */
export function createTerminalLog(level: Level, write: (text: string) => void): Logger {
  const { values } = pino.levels;
  const say = (of: 'debug' | 'info' | 'warn' | 'error') => (fields: object, message: string) => {
    if (values[of]! < values[level]! || (of === 'info' && message === 'audit')) return;
    if (of === 'info' && message === 'request') {
      const { method, route, status, duration_ms } = fields as RequestFields;
      return write(`${method} ${route ?? '(no route)'} ${status} ${Math.round(duration_ms)} ms\n`);
    }
    const details = Object.keys(fields).length > 0 ? ` ${inOneLine(fields)}` : '';
    write(`${of === 'info' ? '' : `${of}: `}${message}${details}\n`);
  };
  return { debug: say('debug'), info: say('info'), warn: say('warn'), error: say('error') };
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
