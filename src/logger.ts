type Log = (fields: object, message: string) => void;

/** The destination of log records: pino's methods, so that a host application can pass its own logger. */
export interface Logger {
  debug: Log;
  info: Log;
  warn: Log;
  error: Log;
  /** Receives audit records, whatever the level of the log; they go to `info` if a logger has no such method. */
  audit?: Log;
}

/**
 * Returns the same logger, whose failures are ignored: a record that cannot be written must not end a request or the
 * process.
 */
export function guarded(logger: Logger): Logger {
  const guard =
    (level: keyof Logger): Log =>
    (fields, message) => {
      try {
        logger[level]?.(fields, message);
      } catch {
        // There is nowhere left to report this.
      }
    };
  return {
    debug: guard('debug'),
    info: guard('info'),
    warn: guard('warn'),
    error: guard('error'),
    ...(logger.audit && { audit: guard('audit') }),
  };
}

/** The logger for a host application that passes none: records on the console, a line each, without debug records. */
export const consoleLogger: Logger = {
  debug: () => {},
  info: (fields, message) => console.info(line(fields, message)),
  warn: (fields, message) => console.warn(line(fields, message)),
  error: (fields, message) => console.error(line(fields, message)),
};

function line(fields: object, message: string): string {
  // A message of several lines is an email with its body, which contains everything that its fields say.
  const isWhole = message.includes('\n') || Object.keys(fields).length === 0;
  return `gatehouse: ${message}${isWhole ? '' : ` ${inOneLine(fields)}`}`;
}

/** Returns fields as JSON; an error as its type, message and stack, and its cause likewise. */
export function inOneLine(fields: object): string {
  return JSON.stringify(fields, (_, value) => {
    if (!(value instanceof Error)) return value;
    const { name, message, stack, cause } = value;
    return { type: name, message, stack, cause };
  });
}
