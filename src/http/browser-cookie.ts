export type BrowserCookie = ReturnType<typeof createBrowserCookie>;

interface CookieOptions {
  baseUrl: string;
  /** The suffix of its name after that of the session. */
  suffix?: string;
  /** For how long a browser keeps it, in seconds; without it, the cookie goes with the browser. */
  maxAgeSeconds?: number;
}

/**
 * Returns a cookie that a browser keeps: without a suffix that of the session, for the host's own pages (CONTRACT §15.1). By
 * the prefix `__Host-`, a browser accepts it over https alone, for this host alone and for all paths, so that no sibling
 * domain can set one (RFC 6265bis §4.1.3.2); on loopback over http there is none.
 */
export function createBrowserCookie({ baseUrl, suffix = '', maxAgeSeconds }: CookieOptions) {
  const isSecure = new URL(baseUrl).protocol === 'https:';
  const name = `${isSecure ? '__Host-svc' : 'svc'}${suffix}`;
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  const maxAge = maxAgeSeconds === undefined ? '' : `Max-Age=${maxAgeSeconds}; `;

  return {
    name,

    /**
     * Returns the value in a `Cookie` header, or null. Of two values, one was not set here, and no server can tell which:
     * neither counts.
     */
    read(header: string | undefined): string | null {
      const values = pairsOf(header).filter(pair => pair.startsWith(`${name}=`));
      return values.length === 1 ? values[0]!.slice(name.length + 1) : null;
    },

    /** Returns the `Set-Cookie` header with which a browser keeps a token, or, for null, forgets it. */
    write: (token: string | null): string =>
      token === null ? `${name}=; Max-Age=0; ${attributes}` : `${name}=${token}; ${maxAge}${attributes}`,
  };
}

/**
 * Returns the pairs of a `Cookie` header. Only two characters are white space here; what else may look so is part of a name
 * (RFC 6265 §5.2).
 */
export const pairsOf = (header: string | undefined): string[] =>
  header === undefined ? [] : header.split(';').map(pair => pair.replace(/^[ \t]+/, ''));
