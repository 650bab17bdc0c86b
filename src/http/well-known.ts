import type { Logger } from '../logger.ts';
import type { HttpHandler } from './message.ts';
import { namedPaths } from './named-paths.ts';
import { jsonResponse, redirectTo } from './response.ts';

/** Where clients look for the addresses of a site (RFC 8615). */
export const wellKnownPrefix = '/.well-known';

interface Parts {
  baseUrl: string;
  uiPrefix: string;
  urls: { account: string };
  enablePasskeys: boolean;
  enableUiRouter: boolean;
}

/**
 * Returns what leads password managers to the account page: a Well-Known URL for Changing Passwords, and passkey endpoints
 * (both W3C).
 */
export function createWellKnown(
  { baseUrl, uiPrefix, urls, enablePasskeys, enableUiRouter }: Parts,
  logger: Logger,
): HttpHandler {
  const isBundled = enableUiRouter && urls.account === `${baseUrl}${uiPrefix}/me`;
  const signingIn = isBundled ? `${urls.account}#signing-in` : urls.account;
  const caching = { 'Cache-Control': 'no-cache' };
  const works = {
    'change-password': async () => redirectTo(signingIn, caching),
    ...(enablePasskeys && {
      'passkey-endpoints': async () => jsonResponse(200, { enroll: signingIn, manage: signingIn }, caching),
    }),
  };
  return namedPaths(wellKnownPrefix, works, logger);
}
