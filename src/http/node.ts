import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { GatehouseError } from '../errors.ts';
import type { Logger } from '../logger.ts';
import type { Languages } from '../words/languages.ts';
import { AnswerOf } from './answer.ts';
import { readForm, readJson } from './body.ts';
import type { HostRequest } from './host-request.ts';
import type { HttpHandler, HttpRequest } from './message.ts';
import { plainAddress } from './plain-address.ts';
import { problemResponse } from './response.ts';
import { sendResponse } from './send.ts';

/**
 * A handler of `node:http`, and of every framework with middleware of this form: Express, Connect, Fastify with
 * @fastify/middie, NestJS. A request that is not for it is passed to `next`; without one, the response is a 404.
 */
export type NodeHandler = (
  req: IncomingMessage,
  res: ServerResponse,
  next?: (error?: unknown) => void,
) => void;

/** Returns the address of a request's client. */
export type ClientAddress = (req: Pick<HostRequest, 'headers' | 'socket' | 'ip'>) => string | undefined;

export class NodeRequest extends AnswerOf implements HttpRequest {
  readonly #req: HostRequest;
  readonly #clientOf: ClientAddress;

  constructor(req: IncomingMessage, clientOf: ClientAddress, languages: Languages) {
    super(languages);
    this.#req = req;
    this.#clientOf = clientOf;
  }
  get method(): string {
    return this.#req.method ?? 'GET';
  }
  get sentMethod(): string {
    return this.#req.originalMethod ?? this.method;
  }
  get target(): string {
    return this.#req.originalUrl ?? this.#req.url ?? '/';
  }
  /** The path below the prefix that the handler is mounted at. */
  get path(): string {
    return pathOf(this.#req.url ?? '/');
  }
  get query(): string {
    return queryOf(this.#req.url ?? '');
  }
  get headers(): IncomingHttpHeaders {
    return this.#req.headers;
  }
  get ip(): string | null {
    return plainAddress(this.#clientOf(this.#req));
  }
  get peer(): string | null {
    return plainAddress(this.#req.socket?.remoteAddress);
  }
  get id(): string {
    this.#req.id ??= randomUUID();
    return String(this.#req.id);
  }
  json(): Promise<unknown> {
    return readJson(this.#req);
  }
  form(): Promise<Record<string, unknown>> {
    return readForm(this.#req);
  }
  get parsedBody(): unknown {
    return this.#req.body;
  }
  get route(): string | undefined {
    return this.#req.routePattern;
  }
  set route(pattern: string | undefined) {
    this.#req.routePattern = pattern;
  }
}

/** Returns the path of a request target, also of one in absolute form (RFC 9112 §3.2.2). */
export function pathOf(target: string): string {
  const path = target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?#]*/i, '');
  const query = path.indexOf('?');
  const fragment = path.indexOf('#');
  if (query < 0 && fragment < 0) return path;
  return path.slice(0, Math.min(query < 0 ? fragment : query, fragment < 0 ? query : fragment));
}

const queryOf = (target: string): string => /\?[^#]*/.exec(target)?.[0] ?? '';

interface NodeParts {
  clientOf: ClientAddress;
  languages: Languages;
  logger: Logger;
}

/** Returns a handler as `node:http` and its frameworks call it. */
export function toNodeHandler(handler: HttpHandler, { clientOf, languages, logger }: NodeParts): NodeHandler {
  return (req, res, next) => {
    const request = new NodeRequest(req, clientOf, languages);
    const response = handler(request, request.path);
    if (response) {
      response.then(
        each => sendResponse(res, each),
        error => (next ? next(error) : sendResponse(res, problemResponse(request, error, logger))),
      );
    } else if (next) next();
    else sendResponse(res, problemResponse(request, new GatehouseError('not_found'), logger));
  };
}
