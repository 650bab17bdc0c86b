export type BrowserCookie = ReturnType<typeof createBrowserCookie>;

/**
 * Returns the cookie that a browser keeps for the host's own pages (CONTRACT §15.1). Without Max-Age, it goes with the
 * browser. By the prefix `__Host-`, a browser accepts it over https alone, for this host alone and for all paths, so that
 * no sibling domain can set one (RFC 6265bis §4.1.3.2); on loopback over http there is none.
 */
export function createBrowserCookie({ baseUrl }: { baseUrl: string }) {
  const isSecure = new URL(baseUrl).protocol === 'https:';
  const name = isSecure ? '__Host-svc' : 'svc';
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;

  return {
    /**
     * Returns the value in a `Cookie` header, or null. Of two values, one was not set here, and no server can tell which:
     * neither counts.
     */
    read(header: string | undefined): string | null {
      if (header === undefined) return null;
      // Only these two characters are white space here. What else may look so is part of a name (RFC 6265 §5.2).
      const pairs = header.split(';').map(pair => pair.replace(/^[ \t]+/, ''));
      const values = pairs.filter(pair => pair.startsWith(`${name}=`));
      return values.length === 1 ? values[0]!.slice(name.length + 1) : null;
    },

    /** Returns the `Set-Cookie` header with which a browser keeps a token, or, for null, forgets it. */
    write: (token: string | null): string =>
      token === null ? `${name}=; Max-Age=0; ${attributes}` : `${name}=${token}; ${attributes}`,
  };
}
