import type { Caller, SharedDocument } from '../domain/caller.ts';
import type { Session } from '../domain/session.ts';
import type { HttpRequest } from './message.ts';

/** The caller of a request; nothing is verified here. A session check needs the token alone, so the rest is read late. */
class RequestCaller implements Caller {
  readonly #request: HttpRequest;
  /** Once it was read: a client that leaves meanwhile has none any more. */
  #ip: string | null | undefined;
  readonly cameAt = performance.now();
  session: Promise<Session> | undefined = undefined;
  document: SharedDocument | undefined = undefined;

  constructor(request: HttpRequest) {
    this.#request = request;
  }
  get ip(): string | null {
    this.#ip ??= this.#request.ip;
    return this.#ip;
  }
  get userAgent(): string | undefined {
    return this.#request.headers['user-agent'];
  }
  get requestId(): string {
    return this.#request.id;
  }
  get authorization(): string | undefined {
    return this.#request.headers.authorization;
  }
  get headers(): HttpRequest['headers'] {
    return this.#request.headers;
  }
  get bearer(): string | undefined {
    return bearerOf(this.#request);
  }
  get reply(): HttpRequest {
    return this.#request;
  }
}

export const callerOf = (request: HttpRequest): RequestCaller => new RequestCaller(request);

/** Returns the bearer token (RFC 6750 §2.1); the scheme is case-insensitive (RFC 9110 §11.1). */
export function bearerOf({ headers: { authorization } }: Pick<HttpRequest, 'headers'>): string | undefined {
  return authorization?.match(/^bearer +([^\s]+) *$/i)?.[1];
}
