import type { IncomingMessage } from 'node:http';

/** A request from any host application: frameworks add the fields that Node does not have. */
export type HostRequest = IncomingMessage & {
  /** The target before a framework removed the prefix that the handler is mounted at. */
  originalUrl?: string;
  /** The method before a middleware replaced it (method override). */
  originalMethod?: string;
  /** The client's address, according to the host application's proxy settings. */
  ip?: string;
  /** The host application's id of this request, for its log. */
  id?: unknown;
  /** The pattern of the route that serves this request, for the log. */
  routePattern?: string | undefined;
  /** The headers of every response of `svc serve`: set on the response one by one, headers cost twice as much. */
  replyHeaders?: Record<string, string>;
  /** The result of a body parser of the host application. */
  body?: unknown;
};
