import { type Fetch, fetchObject, isConfidential } from './bounded-fetch.ts';
import { createKept } from './kept.ts';

export interface IntrospectionOptions {
  /** The name of the resource in the configuration of Gatehouse. */
  name: string;
  /** The secret of the resource. */
  secret: string;
  /** For how many seconds a token that counted is not asked about again. @default 0 */
  cacheSeconds?: number;
}

interface Parts extends Required<IntrospectionOptions> {
  issuer: string;
  fetch: Fetch;
  /** In milliseconds since 1970. */
  now: () => number;
}

/** For so many tokens a process remembers that they counted. */
const mostRemembered = 5000;

const formEncoded = (text: string) => encodeURIComponent(text).replaceAll('%20', '+');

/** Asks the issuer whether a token counts now (RFC 7662). */
export function createIntrospection({ issuer, name, secret, cacheSeconds, fetch, now }: Parts) {
  const endpoint = createKept(async () => {
    const document = await fetchObject(fetch, `${issuer}/.well-known/openid-configuration`);
    const { issuer: named, introspection_endpoint: url } = document;
    if (named !== issuer) throw new Error(`The document of ${issuer} is one of another issuer.`);
    // The secret goes where the keys come from.
    const isOwn = typeof url === 'string' && isConfidential(url) && originOf(url) === originOf(issuer);
    if (!isOwn) throw new Error(`The document of ${issuer} names no introspection endpoint of its own.`);
    return url;
  }, now);
  const credentials = btoa(`${formEncoded(name)}:${formEncoded(secret)}`);
  /** When each token counted, in milliseconds since 1970; the oldest first. */
  const counted = new Map<string, number>();

  function isRemembered(token: string): boolean {
    const at = counted.get(token);
    return at !== undefined && now() >= at && now() - at < cacheSeconds * 1000;
  }

  function remember(token: string): void {
    if (cacheSeconds === 0) return;
    counted.delete(token);
    if (counted.size >= mostRemembered) counted.delete(counted.keys().next().value!);
    counted.set(token, now());
  }

  return {
    /** @throws {Error} where the issuer does not answer */
    async isActive(token: string): Promise<boolean> {
      if (isRemembered(token)) return true;
      const answer = await fetchObject(fetch, await endpoint.get(), {
        method: 'POST',
        headers: {
          Authorization: `Basic ${credentials}`,
          'Content-Type': 'application/x-www-form-urlencoded',
          Accept: 'application/json',
        },
        body: new URLSearchParams({ token }).toString(),
      });
      if (typeof answer.active !== 'boolean')
        throw new Error('The answer does not say whether it is active.');
      if (answer.active) remember(token);
      else counted.delete(token);
      return answer.active;
    },
  };
}

const originOf = (url: string) => new URL(url).origin;
