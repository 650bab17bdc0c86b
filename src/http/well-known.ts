import type { Logger } from '../logger.ts';
import type { HttpHandler } from './message.ts';
import { namedPaths } from './named-paths.ts';
import { redirectTo } from './response.ts';

/** Where clients look for the addresses of a site (RFC 8615). */
export const wellKnownPrefix = '/.well-known';

/** Returns where the documents of an issuer with a path are, too; null for an issuer without one. */
export function issuerPrefixOf(issuer: string): string | null {
  const { pathname } = new URL(issuer);
  return pathname === '/' ? null : `${pathname}${wellKnownPrefix}`;
}

interface Parts {
  baseUrl: string;
  uiPrefix: string;
  issuer: string;
  urls: { account: string };
  enableUiRouter: boolean;
}

/**
 * Returns a handler of further paths below it, given the address of the page on which people change how they sign in. It
 * returns null for a path of somebody else.
 */
export type WellKnownPaths = (signingInPage: string) => HttpHandler;

/** Returns what leads password managers to the account page (a Well-Known URL for Changing Passwords, W3C), and more paths. */
export function createWellKnown(
  { baseUrl, uiPrefix, issuer, urls, enableUiRouter }: Parts,
  more: readonly WellKnownPaths[],
  documents: readonly HttpHandler[],
  logger: Logger,
): HttpHandler {
  const isBundled = enableUiRouter && urls.account === `${baseUrl}${uiPrefix}/me`;
  const signingIn = isBundled ? `${urls.account}#signing-in` : urls.account;
  const changePassword = async () => redirectTo(signingIn, { 'Cache-Control': 'no-cache' });
  const own = namedPaths(wellKnownPrefix, { 'change-password': changePassword }, logger);
  const handlers = [own, ...more.map(pathsFor => pathsFor(signingIn))];
  const ofIssuer = issuerPrefixOf(issuer);
  return (request, path) => {
    // Mounted below the path of the issuer, it has the documents alone.
    const isBelow = ofIssuer !== null && request.target.startsWith(`${ofIssuer}/`);
    for (const handler of isBelow ? documents : [...documents, ...handlers]) {
      const response = handler(request, path);
      if (response) return response;
    }
    return null;
  };
}
