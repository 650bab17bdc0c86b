type Log = (fields: object, message: string) => void;

/** Where records go: what pino offers, so that a host can pass its own. */
export interface Logger {
  debug: Log;
  info: Log;
  warn: Log;
  error: Log;
}

/** The same logger, whose failures stay its own: a record that can't be written must not end a request or the process. */
export function guarded(logger: Logger): Logger {
  const guard =
    (level: keyof Logger): Log =>
    (fields, message) => {
      try {
        logger[level](fields, message);
      } catch {
        // There is nowhere left to say so.
      }
    };
  return { debug: guard('debug'), info: guard('info'), warn: guard('warn'), error: guard('error') };
}

/** A host that passes no logger gets its records on the console, a line each, debug records apart. */
export const consoleLogger: Logger = {
  debug: () => {},
  info: (fields, message) => console.info(line(fields, message)),
  warn: (fields, message) => console.warn(line(fields, message)),
  error: (fields, message) => console.error(line(fields, message)),
};

function line(fields: object, message: string): string {
  // A message of several lines is a mail with its body, which says all that its fields do.
  const isWhole = message.includes('\n') || Object.keys(fields).length === 0;
  return `gatehouse: ${message}${isWhole ? '' : ` ${inOneLine(fields)}`}`;
}

/** Fields as JSON; of an error its type, message and stack, and its cause likewise. */
export function inOneLine(fields: object): string {
  return JSON.stringify(fields, (_, value) => {
    if (!(value instanceof Error)) return value;
    const { name, message, stack, cause } = value;
    return { type: name, message, stack, cause };
  });
}
