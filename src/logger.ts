type Log = (fields: object, message: string) => void;

/** Where records go: what pino offers, so that a host can pass its own. */
export interface Logger {
  debug: Log;
  info: Log;
  warn: Log;
  error: Log;
}
