import type { IncomingHttpHeaders } from 'node:http';
import type { Reply } from '../domain/caller.ts';
import type { Words } from '../words/words.ts';

/** A request, whichever server or framework received it: `node.ts` and `fetch.ts` make it. */
export interface HttpRequest extends Reply {
  readonly method: string;
  /** The method that the client sent, where a middleware of the host has replaced it (method override). */
  readonly sentMethod: string;
  /** The request target as the client sent it: path and query (RFC 9112 §3.2). */
  readonly target: string;
  /** The query with its `?`, or an empty text. */
  readonly query: string;
  /** Names in lower case. */
  readonly headers: IncomingHttpHeaders;
  /** The client's address, as far as proxies are trusted; null if there is none. */
  readonly ip: string | null;
  /** The address of the other end of the connection, whatever it says of clients; null where it is unknown. */
  readonly peer: string | null;
  /** The id of the request in the log: that of the host application if there is one. */
  readonly id: string;
  /**
   * Returns the JSON value of the body, or `{}` if it has none.
   * @throws {GatehouseError} unsupported_media_type, body_too_large, bad_json
   */
  json(): Promise<unknown>;
  /**
   * Returns the fields of a form that another site's page has posted; one that occurs twice is a list.
   * @throws {GatehouseError} unsupported_media_type, body_too_large, bad_json
   */
  form(): Promise<Record<string, unknown>>;
  /** The body, where a parser of the host application has read it. */
  readonly parsedBody?: unknown;
  /** The pattern of the route that serves this request, for the log: never its values. */
  route: string | undefined;
  speak(): Words;
  /** The language of the texts in the answer; absent while it has none. */
  readonly spoken: string | undefined;
}

/** A response, to be sent by whichever server received the request. */
export interface HttpResponse {
  status: number;
  headers: Record<string, string>;
  body: string | Buffer | null;
}

/**
 * Serves a request whose path, below the prefix of the handler, it knows; otherwise returns null, and the request belongs
 * to the next handler. The promise is rejected only where a page could not be rendered.
 */
export type HttpHandler = (request: HttpRequest, path: string) => Promise<HttpResponse> | null;
