import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { HostRequest } from '../http/host-request.ts';
import { plainAddress } from '../http/plain-address.ts';
import type { IsTrusted } from '../http/proxies.ts';
import type { Logger } from '../logger.ts';

/** Load balancers and monitors request these every few seconds; their records would hide the others. */
const healthChecks = new Set(['/healthz', '/readyz', '/metrics']);

/** A form of a request id that is safe in a header, a log and a problem document. */
const saneId = /^[A-Za-z0-9._-]{8,100}$/;

/**
 * Gives the request its id, which the response carries in `X-Request-Id`: the one that a trusted proxy sent, so that one
 * id finds a request in the logs of both, otherwise a new one.
 */
export function identifyRequest(req: HostRequest, isTrusted: IsTrusted | null): void {
  const given = req.headers['x-request-id'];
  const isKept = typeof given === 'string' && saneId.test(given) && isTrusted?.(senderOf(req)) === true;
  const id = isKept ? given : randomUUID();
  req.id = id;
  req.replyHeaders = { 'X-Request-Id': id };
}

/**
 * Returns a function that warns once when an untrusted sender forwards a client address: behind a proxy that
 * `trusted_proxies` does not name, all clients are counted as one.
 */
export function createProxyWarning(isTrusted: IsTrusted | null, logger: Logger): (req: HostRequest) => void {
  let isWarned = false;
  return req => {
    if (isWarned || req.headers['x-forwarded-for'] === undefined || isTrusted?.(senderOf(req))) return;
    isWarned = true;
    logger.warn(
      { sender: senderOf(req) },
      'X-Forwarded-For is ignored: the sender of the request is not in trusted_proxies. If it is your proxy, add it; until then all of its clients share one limit.',
    );
  };
}

/**
 * Logs one record for a request whose response was closed, health checks at debug level: the pattern of its route and
 * never its path, because paths and queries can hold addresses and tokens.
 */
export function logRequest(req: HostRequest, res: ServerResponse, startedAt: number, logger: Logger): void {
  const route = req.routePattern ?? null;
  const fields = {
    request_id: String(req.id),
    method: req.method,
    route,
    status: res.statusCode,
    duration_ms: Math.round((performance.now() - startedAt) * 10) / 10,
    ...(!res.writableFinished && { aborted: true }),
  };
  const level = route !== null && healthChecks.has(route) ? 'debug' : 'info';
  logger[level](fields, 'request');
}

/** Returns the address of the connection's peer, whatever the headers say. */
const senderOf = ({ socket }: { socket: { remoteAddress?: string | undefined } }) =>
  plainAddress(socket.remoteAddress) ?? '';
