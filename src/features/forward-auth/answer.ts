import type { UserPublic } from '../../contract/views/account.ts';
import { pairsOf } from '../../http/browser-cookie.ts';
import { privateHeaders } from '../../http/browser-session.ts';
import type { HttpResponse } from '../../http/message.ts';
import { redirectTo } from '../../http/response.ts';
import type { Words } from '../../words/words.ts';

/** Returns the bytes of UTF-8 as the letters that a header takes (RFC 9110 §5.5). */
const asHeader = (text: string) => Buffer.from(text).toString('latin1');

/** Returns the cookies of a request that are not ours: the application has no use for those, and must not have them. */
function othersIn(cookie: string | undefined, ours: readonly string[]): string {
  const nameOf = (pair: string) => pair.split('=', 1)[0]!.trim().toLowerCase();
  const own = ours.map(name => name.toLowerCase());
  return pairsOf(cookie)
    .filter(pair => pair.trim() !== '' && !own.includes(nameOf(pair)))
    .join('; ');
}

interface Admitted {
  user: UserPublic;
  /** The `Cookie` header of the request. */
  cookie: string | undefined;
  /** The names of our cookies. */
  ours: readonly string[];
  accessToken: string | null;
}

/**
 * Returns the response to a request that may go on. It has every header, because the proxy puts each in place of the client's;
 * one without a value is empty.
 */
export const admitted = ({ user, cookie, ours, accessToken }: Admitted): HttpResponse => ({
  status: 200,
  headers: {
    'Remote-User': asHeader(user.id),
    'Remote-Email': user.is_verified ? asHeader(user.email) : '',
    'Remote-Name': asHeader(user.full_name ?? ''),
    'Remote-Groups': asHeader((user.roles ?? []).join(',')),
    Cookie: othersIn(cookie, ours),
    ...(accessToken !== null && { 'X-Access-Token': accessToken }),
    ...privateHeaders,
  },
  body: null,
});

/** Returns what leads a browser to another page. nginx takes no redirect of a question, so its snippet makes one of a 401. */
export function ledTo(
  { location, cookie }: { location: string; cookie?: string },
  isNginx: boolean,
): HttpResponse {
  const headers = { ...privateHeaders, ...(cookie !== undefined && { 'Set-Cookie': cookie }) };
  const redirect = redirectTo(location, headers, 303);
  return isNginx ? { ...redirect, status: 401 } : redirect;
}

const escaped = (text: string) => text.replace(/[&<>"]/g, letter => `&#${letter.charCodeAt(0)};`);

/** Returns the page of a browser whose ticket does not count. It does not lead on by itself, so that nothing goes round for ever. */
export function openAgain(address: string, { locale, direction, t }: Words): HttpResponse {
  const title = escaped(t('notice_open_again'));
  const body = `<!doctype html>
<html lang="${locale}" dir="${direction}">
<meta charset="utf-8">
<title>${title}</title>
<h1>${title}</h1>
<p>${escaped(t('notice_open_again_reason'))}</p>
<p><a href="${escaped(address)}">${escaped(address)}</a></p>
</html>
`;
  const headers = {
    ...privateHeaders,
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(body)),
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
  };
  return { status: 403, headers, body };
}
