import { type DestinationStream, type Level, pino } from 'pino';
import { inOneLine, type Logger } from '../logger.ts';

/** How long the records of requests wait to be written together, in milliseconds. */
const gatherMs = 10;
/** From this length on, in characters, they are written at once. */
const fullLength = 8192;
/** The levels above this one are written at once. */
const info = pino.levels.values.info!;

/**
 * Returns standard output, to which the records of requests are written together: a write of its own for each costs as much as a
 * tenth of a session check. Whatever may explain an end of the process is written at once. A full disk costs records and not
 * the service.
 */
function standardOutput() {
  let isBroken = false;
  let isTold = false;
  // The stream could gather by itself, but flattens what it has at each record, which costs more than the writes.
  const open = () => pino.destination({ dest: 1, sync: true }).on('error', fail);
  function fail({ code }: NodeJS.ErrnoException): void {
    // Its reader has gone.
    if (code === 'EPIPE') return;
    isBroken = true;
    if (!isTold)
      console.error(`The log can't be written to standard output (${code}); its records are lost.`);
    isTold = true;
  }
  let stream = open();
  let gathered = '';
  let isWaiting = false;
  const flush = () => {
    const text = gathered;
    gathered = '';
    isWaiting = false;
    if (!text) return;
    if (!isBroken) return void stream.write(text);
    // The stream keeps what it could not write, which would be more and more. The last line may be a part of a record.
    isBroken = false;
    stream = open();
    stream.write(`\n${text}`);
    if (!isBroken) isTold = false;
  };
  process.once('exit', flush);
  return {
    // Has the logger say the level of each record before it writes it.
    [Symbol.for('pino.metadata')]: true,
    lastLevel: info,
    flush,
    write(text: string): void {
      gathered += text;
      if (this.lastLevel > info || gathered.length >= fullLength) flush();
      else if (!isWaiting) {
        isWaiting = true;
        setTimeout(flush, gatherMs).unref();
      }
    },
  };
}

/** When the former record was made, in milliseconds, and how that is written: many are made in each of them. */
const former = { at: Number.NaN, text: '' };

/** Returns the time as a field of a record, in the form of RFC 3339. */
function timeOfRecord(): string {
  const at = Date.now();
  if (at !== former.at) Object.assign(former, { at, text: `,"time":"${new Date(at).toISOString()}"` });
  return former.text;
}

/**
 * Returns a logger that writes structured records, one JSON line each, to standard output unless another stream is given.
 * An error is written with its type, message and stack, and so is its cause, because the storage layer keeps there what an
 * operator must see. The level does not apply to audit records.
 */
export function createLog(
  level: Level,
  destination: DestinationStream & { flush?: () => void } = standardOutput(),
): Required<Logger> {
  const options = {
    level,
    base: null,
    timestamp: timeOfRecord,
    serializers: { err: pino.stdSerializers.errWithCause },
  };
  const log = pino(options, destination);
  const audit = log.child({}, { level: 'info' });
  return Object.assign(log, {
    audit(fields: object, message: string) {
      audit.info(fields, message);
      destination.flush?.();
    },
  });
}

/** The fields of a request log record; see `request-log.ts`. */
interface RequestFields {
  method: string;
  route: string | null;
  status: number;
  duration_ms: number;
}

/**
 * Returns the log for a developer at a terminal, where emails should stay visible: a short line for each request, and no
 * audit records of operations that succeeded or were rejected.
 */
export function createTerminalLog(level: Level, write: (text: string) => void): Logger {
  const { values } = pino.levels;
  const say = (of: 'debug' | 'info' | 'warn' | 'error') => (fields: object, message: string) => {
    if (values[of]! < values[level]!) return;
    if (of === 'info' && message === 'request') {
      const { method, route, status, duration_ms } = fields as RequestFields;
      return write(`${method} ${route ?? '(no route)'} ${status} ${Math.round(duration_ms)} ms\n`);
    }
    const details = Object.keys(fields).length > 0 ? ` ${inOneLine(fields)}` : '';
    write(`${of === 'info' ? '' : `${of}: `}${message}${details}\n`);
  };
  return {
    debug: say('debug'),
    info: say('info'),
    warn: say('warn'),
    error: say('error'),
    audit: silent,
  };
}

/**
 * Returns the log of a command, on standard error: failures, and the audit record of what it did. A person at a terminal gets
 * the answer of the command alone.
 */
export function createCommandLog(): Logger {
  const { stderr } = process;
  const log = createLog('warn', stderr);
  return {
    debug: silent,
    info: silent,
    warn: log.warn.bind(log),
    error: log.error.bind(log),
    audit: stderr.isTTY ? silent : log.audit,
  };
}

function silent(): void {}
