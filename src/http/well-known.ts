import type { Logger } from '../logger.ts';
import type { HttpHandler } from './message.ts';
import { namedPaths, type Work } from './named-paths.ts';
import { jsonResponse, redirectTo } from './response.ts';

/** Where clients look for the addresses of a site (RFC 8615). */
export const wellKnownPrefix = '/.well-known';

interface Parts {
  baseUrl: string;
  uiPrefix: string;
  urls: { account: string };
  enableUiRouter: boolean;
}

/** Returns further documents, by their names, given the address of the page on which people change how they sign in. */
export type WellKnownDocuments = (signingInPage: string) => Readonly<Record<string, object>>;

/** Returns what leads password managers to the account page: a Well-Known URL for Changing Passwords (W3C), and more. */
export function createWellKnown(
  { baseUrl, uiPrefix, urls, enableUiRouter }: Parts,
  documentsOf: WellKnownDocuments,
  logger: Logger,
): HttpHandler {
  const isBundled = enableUiRouter && urls.account === `${baseUrl}${uiPrefix}/me`;
  const signingIn = isBundled ? `${urls.account}#signing-in` : urls.account;
  const caching = { 'Cache-Control': 'no-cache' };
  const documents = Object.entries(documentsOf(signingIn)).map(([name, document]): [string, Work] => [
    name,
    async () => jsonResponse(200, document, caching),
  ]);
  const works = {
    'change-password': async () => redirectTo(signingIn, caching),
    ...Object.fromEntries(documents),
  };
  return namedPaths(wellKnownPrefix, works, logger);
}
