import Negotiator from 'negotiator';
import type { Languages } from './languages.ts';
import { canonicalTag, shortened } from './tags.ts';
import type { Words } from './words.ts';

/** How long tags are that everybody must take (RFC 5646 §4.4.1). Shortening a range costs the square of its length. */
const longestTag = 35;

/**
 * Returns the offered language that an `Accept-Language` header names first, by the look-up of RFC 4647 §3.4: each range is
 * shortened until there is one. `*` names none. Null where there is none.
 */
export function lookUp(header: string | undefined, offered: readonly string[]): string | null {
  if (!header) return null;
  const tags = new Map(offered.map(tag => [tag.toLowerCase(), tag]));
  for (const range of new Negotiator({ headers: { 'accept-language': header } }).languages()) {
    if (range === '*' || range.length > longestTag) continue;
    for (const tag of shortened(range.toLowerCase())) {
      const found = tags.get(tag);
      if (found) return found;
    }
  }
  return null;
}

/** The parts of a request for a page that name languages. */
interface PageRequest {
  query: string;
  headers: { cookie?: string | undefined; 'accept-language'?: string | undefined };
}

/** The cookie that keeps which language somebody has chosen for pages. */
const localeCookie = 'svc-locale';

/** Returns the language of a page: that of its address, else of the cookie, else of the browser, else the default one. */
export function wordsOfPage({ query, headers }: PageRequest, languages: Languages): Words {
  if (!languages.isChoice) return languages.default;
  return (
    wordsOfAddress(query, languages) ??
    named(cookieOf(headers.cookie), languages) ??
    languages.of(lookUp(headers['accept-language'], languages.offered))
  );
}

/** Returns the language that the address of a page names; null where there is no such one. */
export const wordsOfAddress = (query: string, languages: Languages): Words | null =>
  languages.isChoice ? named(new URLSearchParams(query).get('lang'), languages) : null;

const named = (tag: string | null | undefined, languages: Languages): Words | null =>
  tag ? languages.find(canonicalTag(tag)) : null;

/** Returns the value of the cookie in a `Cookie` header. */
function cookieOf(header: string | undefined): string | undefined {
  const pairs = header?.split(';').map(pair => pair.trim()) ?? [];
  return pairs.find(pair => pair.startsWith(`${localeCookie}=`))?.slice(localeCookie.length + 1);
}
