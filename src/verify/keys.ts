import { type CryptoKey, importJWK, type JWK } from 'jose';
import { type Fetch, fetchObject } from './bounded-fetch.ts';
import { createKept } from './kept.ts';

/** The algorithms of Gatehouse's tokens (RFC 7518 §3.1, RFC 8037 §3.1). */
export const algorithms = ['ES256', 'RS256', 'EdDSA'] as const;
export type Algorithm = (typeof algorithms)[number];

/** The keys of an issuer: for each, the algorithm of its signatures, and the key once a token was checked with it. */
interface Key {
  algorithm: string;
  open(): Promise<CryptoKey | Uint8Array>;
}

interface Parts {
  issuer: string;
  fetch: Fetch;
  /** In milliseconds since 1970. */
  now: () => number;
}

/** Returns the key of a token by its id, or null; as the issuer publishes them (CONTRACT §16.2). */
export function createKeys({ issuer, fetch, now }: Parts) {
  const url = `${issuer}/.well-known/jwks.json`;
  const kept = createKept(async () => keysOf(await fetchObject(fetch, url)), now);

  return {
    /** @throws {Error} where the keys cannot be had */
    async find(kid: string): Promise<Key | null> {
      const known = (await kept.get()).get(kid);
      return known ?? (await kept.renewed())?.get(kid) ?? null;
    },
  };
}

/** @throws {Error} where it is no set of keys */
function keysOf({ keys }: Record<string, unknown>): Map<string, Key> {
  if (!Array.isArray(keys)) throw new Error('The set of keys has no keys.');
  const found = new Map<string, Key>();
  for (const jwk of keys as (JWK | null)[]) {
    if (typeof jwk?.kid !== 'string' || typeof jwk.alg !== 'string' || found.has(jwk.kid)) continue;
    if (!(algorithms as readonly string[]).includes(jwk.alg) || (jwk.use ?? 'sig') !== 'sig') continue;
    const { kty, crv, x, y, n, e, alg } = jwk;
    // Public members alone: a private key does not check signatures.
    const open = () => importJWK({ kty, crv, x, y, n, e, alg } as JWK, alg);
    let opened: ReturnType<typeof open> | undefined;
    found.set(jwk.kid, {
      algorithm: jwk.alg,
      open() {
        opened ??= open();
        return opened;
      },
    });
  }
  return found;
}
