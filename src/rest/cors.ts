import type { ServerResponse } from 'node:http';
import type { HostRequest } from './route.ts';

/** How long a browser may remember a preflight, in seconds; Chromium's own upper bound. */
const preflightMaxAgeSeconds = 7200;
const readableHeaders =
  'Retry-After, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, WWW-Authenticate';

/**
 * Lets browser apps of the configured origins call the API from elsewhere, without credentials, as the API knows no
 * cookies. Answers preflights itself and says so by returning true.
 */
export function cors(origins: readonly string[]) {
  const allowed = new Set(origins);
  return (req: HostRequest, res: ServerResponse): boolean => {
    if (allowed.size === 0) return false;
    // Caches must not give one origin's answer to another.
    res.setHeader('Vary', 'Origin');
    const { origin } = req.headers;
    if (origin === undefined || !allowed.has(origin)) return false;
    res.setHeader('Access-Control-Allow-Origin', origin);
    res.setHeader('Access-Control-Expose-Headers', readableHeaders);
    if (req.method !== 'OPTIONS' || req.headers['access-control-request-method'] === undefined) return false;
    res.writeHead(204, {
      'Access-Control-Allow-Methods': 'GET, POST, PATCH, DELETE',
      'Access-Control-Allow-Headers': 'Authorization, Content-Type',
      'Access-Control-Max-Age': preflightMaxAgeSeconds,
    });
    res.end();
    return true;
  };
}
