import type { Caller } from '../domain/caller.ts';
import type { HttpRequest } from './message.ts';

/** Returns the caller of a request; nothing is verified here. */
export function callerOf(request: HttpRequest): Caller {
  return {
    ip: request.ip,
    userAgent: request.headers['user-agent'],
    requestId: request.id,
    bearer: bearerOf(request.headers.authorization),
    reply: request,
  };
}

/** Returns the bearer token (RFC 6750 §2.1); the scheme is case-insensitive (RFC 9110 §11.1). */
function bearerOf(header: string | undefined): string | undefined {
  return header?.match(/^bearer +([^\s]+) *$/i)?.[1];
}
