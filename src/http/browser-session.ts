import type { ServerResponse } from 'node:http';
import type { Claims } from '../crypto/claims.ts';
import type { HttpRequest } from './message.ts';

/** The session that a browser keeps for the host's own pages, as guards use it. */
export interface BrowserSessions {
  /**
   * Returns the token in the cookie, or null without one.
   * @throws {GatehouseError} unauthenticated, when the request comes from another site and may change something
   */
  tokenOf(request: HttpRequest): string | null;
  /** Returns the page to which a person goes instead of this refusal, or null where the refusal is the response. */
  pageInstead(request: HttpRequest, error: unknown): string | null;
  /** The tokens that forms of the host's own pages carry. */
  csrf: {
    /** Returns the token of a session. */
    tokenOf(claims: Pick<Claims, 'jti'>): string;
    /** Rejects a request that may change something without it. @throws {GatehouseError} forbidden */
    assert(request: HttpRequest, claims: Pick<Claims, 'jti'>): void;
  };
}

/** Belong to every response that depends on the cookie. */
export const privateHeaders = { 'Cache-Control': 'private, no-store', Vary: 'Cookie' } as const;

/** Puts `privateHeaders` on a response that the host will send. Its `Vary` keeps its members. */
export function keepPrivate(res: ServerResponse): void {
  const vary = [res.getHeader('Vary') ?? []].flat().join(', ');
  res.setHeader('Cache-Control', privateHeaders['Cache-Control']);
  if (!/(?:^|,)\s*(?:cookie|\*)\s*(?:,|$)/i.test(vary)) {
    res.setHeader('Vary', vary ? `${vary}, ${privateHeaders.Vary}` : privateHeaders.Vary);
  }
}

/** Returns whether a request has an `Authorization` header of the scheme of API clients (RFC 6750 §2.1). */
export const hasBearer = ({ authorization }: HttpRequest['headers']): boolean =>
  /^bearer\b/i.test(authorization ?? '');

/** The headers that decide about a request that a browser sends by itself. */
export interface BrowserRequest extends Pick<HttpRequest, 'headers'> {
  /** Its method, in each form in which it is known. */
  method: string;
  sentMethod?: string;
}

const safeMethods = ['GET', 'HEAD'];

/**
 * Returns whether a request is a handshake of a WebSocket. A proxy that asks about one may leave `Upgrade` out, which is
 * hop-by-hop (RFC 9110 §7.6.1); every handshake has `Sec-WebSocket-Version` (RFC 6455 §4.1, RFC 8441 §5).
 */
const opensWebSocket = ({ headers }: BrowserRequest): boolean =>
  /\bwebsocket\b/i.test(headers.upgrade ?? '') ||
  headers['sec-websocket-version'] !== undefined ||
  headers['sec-fetch-mode'] === 'websocket';

/** A handshake of a WebSocket is a GET, and opens more than a view (RFC 6455 §10.2). */
const changesNothing = (request: BrowserRequest): boolean =>
  [request.method, request.sentMethod ?? request.method].every(each => safeMethods.includes(each)) &&
  !opensWebSocket(request);

/** Returns whether a request may use what a browser adds by itself: it changes nothing, or comes from this origin (CSRF). */
export function isFromSite(request: BrowserRequest, origin: string): boolean {
  if (changesNothing(request)) return true;
  const { 'sec-fetch-site': site, origin: sender } = request.headers;
  return site === undefined ? sender === origin : site === 'same-origin' || site === 'none';
}

/** Returns whether a browser opens a page for a person. */
export const opensPage = ({ method, headers }: BrowserRequest): boolean =>
  safeMethods.includes(method) &&
  (headers['sec-fetch-mode'] === 'navigate' || /\btext\/html\b/i.test(headers.accept ?? ''));
