import type { Config } from '../config/schema.ts';
import { GatehouseError } from '../errors.ts';

/** What a browser or the URL standard would silently drop, or read as the beginning of another host. */
const suspicious = /[\p{Cc}\s\\]/u;

/**
 * A page of this site, as an absolute address, parsed with the URL standard and compared by origin.
 * @throws {GatehouseError} bad_redirect
 */
export function samePage(text: string, { baseUrl }: Pick<Config, 'baseUrl'>): string {
  const { origin } = new URL(baseUrl);
  for (const form of forms(text)) {
    const isPath = /^\/(?!\/)/.test(form);
    const isOurs = form === origin || ['/', '?', '#'].some(next => form.startsWith(`${origin}${next}`));
    if (suspicious.test(form) || !(isPath || isOurs)) throw new GatehouseError('bad_redirect');
    // `/.//x` comes out as `//x`: an app that goes on with the path alone would take `x` for a host.
    if (URL.parse(form, origin)?.pathname.startsWith('//')) throw new GatehouseError('bad_redirect');
  }
  if (!URL.canParse(text, origin)) throw new GatehouseError('bad_redirect');
  const url = new URL(text, origin);
  if (url.origin !== origin || url.username || url.password) throw new GatehouseError('bad_redirect');
  return url.href;
}

/** The text as it stands, and the beginning of its path as a server might decode it. */
function forms(text: string): string[] {
  const path = text.split(/[?#]/, 1)[0]!;
  try {
    return [text, decodeURIComponent(path)];
  } catch {
    throw new GatehouseError('bad_redirect');
  }
}
