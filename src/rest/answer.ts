import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { storageReason } from '../errors.ts';
import type { Logger } from '../logger.ts';
import { problemHeaders, toGatehouseError, toProblem } from './problem.ts';
import type { HostRequest } from './route.ts';

/** Writes with Node's own methods, because a host need not be Express. No answer of the API may be stored. */
export function answer(
  res: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
  type = 'application/json; charset=utf-8',
): void {
  // A text leaves in one write with its headers, bytes in a second one.
  const text = JSON.stringify(body);
  res.writeHead(status, {
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'Content-Type': type,
    'Content-Length': Buffer.byteLength(text),
    ...headers,
  });
  res.end(text);
}

/** Answers an error as a problem document; what nobody foresaw is logged, with its id, and not shown. */
export function answerProblem(req: HostRequest, res: ServerResponse, thrown: unknown, logger: Logger): void {
  const requestId = requestIdOf(req);
  const error = toGatehouseError(thrown, requestId);
  logFailure(error, requestId, logger);
  if (res.headersSent || res.destroyed) return void res.destroy();
  const headers = problemHeaders(error);
  // What is left of a refused body can't be told from the next request.
  if (error.kind === 'too_large') headers.Connection = 'close';
  answer(res, toProblem(error).status, toProblem(error), headers, 'application/problem+json');
}

/** The host's id of the request where it gives one, else a new one. */
export function requestIdOf(req: HostRequest): string {
  req.id ??= randomUUID();
  return String(req.id);
}

/** Logs what an operator must see: the unforeseen as an error, an outage as a warning. */
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
