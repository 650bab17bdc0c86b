type Log = (fields: object, message: string) => void;

/** Where records go: what pino offers, so that a host can pass its own. */
export interface Logger {
  debug: Log;
  info: Log;
  warn: Log;
  error: Log;
}

/** A host that passes no logger gets its records on the console, debug records apart. */
export const consoleLogger: Logger = {
  debug: () => {},
  info: (fields, message) => console.info(...line(fields, message)),
  warn: (fields, message) => console.warn(...line(fields, message)),
  error: (fields, message) => console.error(...line(fields, message)),
};

function line(fields: object, message: string): unknown[] {
  return Object.keys(fields).length > 0 ? [`gatehouse: ${message}`, fields] : [`gatehouse: ${message}`];
}
