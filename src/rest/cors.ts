import type { HttpRequest, HttpResponse } from '../http/message.ts';

/** How long a browser may remember a preflight, in seconds; Chromium's own upper bound. */
const preflightMaxAgeSeconds = 7200;
const readableHeaders =
  'Retry-After, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, WWW-Authenticate';

/** What browser applications of other origins may do with a request (CORS). */
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
