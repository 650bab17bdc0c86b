import { GatehouseError, storageReason } from '../errors.ts';
import type { Logger } from '../logger.ts';
import { languageHeader } from './answer.ts';
import type { HttpRequest, HttpResponse } from './message.ts';
import { problemHeaders, toGatehouseError, toProblem } from './problem.ts';

/** Returns a response of the API, which must not be cached. */
export function jsonResponse(
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
  type = 'application/json; charset=utf-8',
): HttpResponse {
  const text = JSON.stringify(body);
  return { status, headers: { ...apiHeaders(text, type), ...headers }, body: text };
}

/** Returns the headers of every response of the API that has a body. */
export const apiHeaders = (text: string, type: string): Record<string, string> => ({
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Content-Type': type,
  'Content-Length': String(Buffer.byteLength(text)),
});

/** Returns the problem document of an error; an unexpected one is logged, with the request's id, and not shown. */
export function problemResponse(request: HttpRequest, thrown: unknown, logger: Logger): HttpResponse {
  const error = toGatehouseError(thrown, request.id);
  logFailure(error, request.id, logger);
  const headers = problemHeaders(error);
  // The rest of a rejected body cannot be distinguished from the next request.
  if (error.kind === 'too_large') headers.Connection = 'close';
  const problem = toProblem(error, request.speak());
  Object.assign(headers, languageHeader(request));
  return jsonResponse(problem.status, problem, headers, 'application/problem+json');
}

/** Returns the response to a method that a path does not support (RFC 9110 §15.5.6). */
export function refuseMethod(request: HttpRequest, allow: string, logger: Logger): HttpResponse {
  const problem = problemResponse(request, new GatehouseError('method_not_allowed'), logger);
  return { ...problem, headers: { ...problem.headers, Allow: allow } };
}

/** Returns a redirect; 303 says that the other page is not the one that was asked for (RFC 9110 §15.4.4). */
export const redirectTo = (
  location: string,
  headers: Record<string, string>,
  status: 302 | 303 = 302,
): HttpResponse => ({
  status,
  headers: { Location: location, ...headers },
  body: null,
});

/** Logs what an operator must see: an unexpected error as an error, an outage as a warning. */
export function logFailure(
  error: ReturnType<typeof toGatehouseError>,
  requestId: string,
  logger: Logger,
): void {
  if (error.kind === 'internal')
    logger.error({ request_id: requestId, err: error.cause }, 'unexpected error');
  else if (error.kind === 'unavailable') {
    const reason = storageReason(error);
    const message =
      reason === null ? 'a dependency is unavailable' : `a dependency is unavailable: ${reason}`;
    logger.warn({ request_id: requestId, err: error.cause }, message);
  }
}
