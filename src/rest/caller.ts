import type { Caller } from '../services/authentication.ts';
import { requestIdOf } from './answer.ts';
import type { HostRequest } from './route.ts';

/** Who calls, read from a request; nothing is checked here. */
export function callerOf(req: HostRequest): Caller {
  return {
    ip: plain(req.ip ?? req.socket?.remoteAddress ?? null),
    userAgent: req.headers['user-agent'],
    requestId: requestIdOf(req),
    bearer: bearerOf(req.headers.authorization),
  };
}

/** What listens on IPv6 too sees an IPv4 client as an IPv4-mapped address (RFC 4291 §2.5.5.2). */
const plain = (ip: string | null) => ip?.replace(/^::ffff:(?=[\d.]+$)/i, '') ?? null;

/** RFC 6750 §2.1; the scheme in upper or lower case (RFC 9110 §11.1). */
function bearerOf(header: string | undefined): string | undefined {
  return header?.match(/^bearer +([^\s]+) *$/i)?.[1];
}
