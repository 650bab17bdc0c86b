import type { HttpRequest, HttpResponse } from '../http/message.ts';
import type { Logger } from '../logger.ts';

/** How long a browser may remember a preflight, in seconds; Chromium's own upper bound. */
const preflightMaxAgeSeconds = 7200;
const readableHeaders =
  'Retry-After, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, WWW-Authenticate, X-Request-Id';

/** The rights of browser applications of other origins (CORS). */
interface CrossOrigin {
  /** Belongs to the response, whatever it is. */
  headers: Record<string, string>;
  /** The response to a preflight; null for any other request. */
  preflight: HttpResponse | null;
}

/**
 * Lets browser applications of the configured origins call the API (CORS), without credentials, because the API uses no
 * cookies. Returns null while no origins are configured.
 */
export function cors(origins: readonly string[]): ((request: HttpRequest) => CrossOrigin) | null {
  if (origins.length === 0) return null;
  const allowed = new Set(origins);
  return ({ method, headers: { origin, ...headers } }) => {
    // Caches must not reuse one origin's response for another.
    const vary = { Vary: 'Origin' };
    if (origin === undefined || !allowed.has(origin)) return { headers: vary, preflight: null };
    const own = {
      ...vary,
      'Access-Control-Allow-Origin': origin,
      'Access-Control-Expose-Headers': readableHeaders,
    };
    const isPreflight = method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
    return { headers: own, preflight: isPreflight ? preflight : null };
  };
}

const preflight: HttpResponse = {
  status: 204,
  headers: {
    'Access-Control-Allow-Methods': 'GET, POST, PATCH, DELETE',
    'Access-Control-Allow-Headers': 'Authorization, Content-Type',
    'Access-Control-Max-Age': String(preflightMaxAgeSeconds),
  },
  body: null,
};

/** How many origins are named in the log: anybody can send another one with each request. */
const mostNamed = 20;

/**
 * Returns a function that names in the log, once, each origin that a browser keeps from reading responses: for a developer,
 * whose mistake it is. To a service in use anybody can send any origin.
 * @param allowed the origins that are no mistake
 */
export function foreignOriginLog(allowed: readonly string[], logger: Logger): (request: HttpRequest) => void {
  const known = new Set([...allowed, 'null']);
  const most = known.size + mostNamed;
  return ({ headers: { origin, host } }) => {
    if (origin === undefined || known.has(origin) || known.size >= most) return;
    known.add(origin);
    const url = URL.parse(origin);
    if (url === null || url.origin !== origin || url.host === host) return;
    logger.warn({ origin }, `origin ${origin} is not in cors_origins`);
  };
}
