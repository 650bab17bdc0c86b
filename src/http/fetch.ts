import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import { GatehouseError } from '../errors.ts';
import type { Logger } from '../logger.ts';
import type { Languages } from '../words/languages.ts';
import { AnswerOf } from './answer.ts';
import { readFetchForm, readFetchJson } from './body.ts';
import type { HttpHandler, HttpRequest } from './message.ts';
import { plainAddress } from './plain-address.ts';
import type { IsTrusted } from './proxies.ts';
import { problemResponse } from './response.ts';
import { toFetchResponse } from './send.ts';

/** The facts about a request that only the runtime knows. */
export interface FetchOptions {
  /**
   * The address of the client, or of the connection. Without it, and where it is that of a proxy in `trusted_proxies`,
   * `X-Forwarded-For` counts.
   */
  ip?: string | undefined;
}

/** A handler of the Fetch standard, as Next.js, Hono, SvelteKit, Deno and Bun call one. */
export type FetchHandler = (request: Request, options?: FetchOptions) => Promise<Response>;

export class FetchRequest extends AnswerOf implements HttpRequest {
  readonly #request: Request;
  readonly target: string;
  readonly path: string;
  readonly query: string;
  readonly headers: IncomingHttpHeaders;
  readonly ip: string | null;
  readonly peer: string | null;
  readonly id = randomUUID();
  route: string | undefined;

  constructor(
    request: Request,
    { ip }: FetchOptions,
    { isTrusted, languages }: Pick<FetchParts, 'isTrusted' | 'languages'>,
  ) {
    super(languages);
    const { pathname, search } = new URL(request.url);
    this.#request = request;
    this.target = pathname + search;
    this.path = pathname;
    this.query = search;
    // Runtimes compress responses themselves, and some remove the Content-Encoding of a response that is compressed.
    const { 'accept-encoding': _, ...headers } = Object.fromEntries(request.headers);
    this.headers = headers;
    const known = plainAddress(ip || undefined);
    this.peer = known;
    const isClient = known !== null && !isTrusted?.(known);
    this.ip = isClient ? known : (forwardedFor(headers, isTrusted) ?? known);
  }
  get method(): string {
    return this.#request.method;
  }
  get sentMethod(): string {
    return this.method;
  }
  json(): Promise<unknown> {
    return readFetchJson(this.#request, this.headers);
  }
  form(): Promise<Record<string, unknown>> {
    return readFetchForm(this.#request, this.headers);
  }
}

/**
 * Returns the rightmost address of `X-Forwarded-For` that is not that of a trusted proxy, or the leftmost one if all are;
 * null if there is none. There is no connection whose sender could be compared.
 */
function forwardedFor(headers: IncomingHttpHeaders, isTrusted: IsTrusted | null): string | null {
  if (!isTrusted) return null;
  const addresses = [headers['x-forwarded-for'] ?? []].flat().join(',').split(',');
  const named = addresses.map(each => each.trim()).toReversed();
  const client = plainAddress(named.find(each => !isTrusted(each)) ?? named.at(-1));
  return client !== null && isIP(client) !== 0 ? client : null;
}

interface FetchParts {
  /** Null while no proxy is trusted. */
  isTrusted: IsTrusted | null;
  languages: Languages;
  logger: Logger;
}

/**
 * Returns a handler as runtimes of the Fetch standard call it. An unknown path is a 404. A call whose `request.signal` aborts
 * ends with the reason of the signal; an act that has begun is finished all the same.
 */
export function toFetchHandler(
  handler: HttpHandler,
  { isTrusted, languages, logger }: FetchParts,
): FetchHandler {
  return async (request, options = {}) => {
    const { signal } = request;
    signal.throwIfAborted();
    const { promise: aborted, reject } = Promise.withResolvers<never>();
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort);
    try {
      return await Promise.race([respond(request, options), aborted]);
    } finally {
      signal.removeEventListener('abort', abort);
    }
  };

  async function respond(request: Request, options: FetchOptions): Promise<Response> {
    const own = new FetchRequest(request, options, { isTrusted, languages });
    try {
      const response = await handler(own, own.path);
      if (!response) throw new GatehouseError('not_found');
      return toFetchResponse(response, own.method);
    } catch (error) {
      return toFetchResponse(problemResponse(own, error, logger), own.method);
    }
  }
}
