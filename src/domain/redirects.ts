import type { Config } from '../config/schema.ts';
import { GatehouseError } from '../errors.ts';

/** Characters that a browser or the URL standard would silently drop, or read as the beginning of another host. */
const suspicious = /[\p{Cc}\\]/u;

/**
 * Returns a page of this site as an absolute URL, parsed by the URL standard and compared by origin (open redirect).
 * @throws {GatehouseError} bad_redirect
 */
export function parseSameOriginUrl(text: string, { baseUrl }: Pick<Config, 'baseUrl'>): string {
  const { origin } = new URL(baseUrl);
  // Encoded, white space is a part of a name.
  if (/\s/.test(text)) throw new GatehouseError('bad_redirect');
  for (const form of forms(text)) {
    const isPath = /^\/(?!\/)/.test(form);
    const isOurs = /^https?:\/\/[^/]/i.test(form) && URL.parse(form)?.origin === origin;
    if (suspicious.test(form) || !(isPath || isOurs)) throw new GatehouseError('bad_redirect');
    // `/.//x` normalises to `//x`: an app that continues with the path alone would read `x` as a host.
    if (URL.parse(form, origin)?.pathname.startsWith('//')) throw new GatehouseError('bad_redirect');
  }
  if (!URL.canParse(text, origin)) throw new GatehouseError('bad_redirect');
  const url = new URL(text, origin);
  if (url.origin !== origin || url.username || url.password) throw new GatehouseError('bad_redirect');
  return url.href;
}

/** Returns path and query of a page of this site, or null where a text could lead elsewhere. */
export function pathOnSite(text: string, config: Pick<Config, 'baseUrl'>): string | null {
  try {
    const { pathname, search } = new URL(parseSameOriginUrl(text, config));
    return pathname + search;
  } catch (error) {
    if (error instanceof GatehouseError) return null;
    throw error;
  }
}

/** Returns the URL of a configured page, with an error code that the page translates into words. */
export function errorPageUrl(page: string, code: string): string {
  const url = new URL(page);
  url.searchParams.set('error', code);
  return url.href;
}

/** Returns the text as given, and its path as a server might decode it. */
function forms(text: string): string[] {
  const path = text.split(/[?#]/, 1)[0]!;
  try {
    return [text, decodeURIComponent(path)];
  } catch {
    throw new GatehouseError('bad_redirect');
  }
}
