import type { Claims } from './claims.ts';

/**
 * A cache of the claims of session tokens with a verified signature, by the whole text of the token. It saves the
 * signature check and nothing else: expiry, audience, blacklist and user are checked again on every request. Only tokens
 * with a valid signature are added, so an attacker cannot fill it. It never holds more than twice `size`.
 */
export class VerifiedTokens {
  readonly #size: number;
  /**
   * Two generations, an approximation of LRU: a token that was not used while one generation filled up is forgotten with
   * the other.
   */
  #recent = new Map<string, Readonly<Claims>>();
  #former = new Map<string, Readonly<Claims>>();

  constructor(size = 5000) {
    this.#size = size;
  }

  get(token: string): Readonly<Claims> | undefined {
    const claims = this.#recent.get(token);
    if (claims) return claims;
    const former = this.#former.get(token);
    if (former) this.add(token, former);
    return former;
  }

  /** Freezes the claims, because several requests share them from now on. */
  add(token: string, claims: Claims): void {
    if (this.#recent.size >= this.#size) {
      this.#former = this.#recent;
      this.#recent = new Map();
    }
    if (Array.isArray(claims.aud)) Object.freeze(claims.aud);
    // A copy: a substring of a header would keep the whole header in memory.
    this.#recent.set(Buffer.from(token).toString(), Object.freeze(claims));
  }

  /** The number of tokens in the cache. */
  get count(): number {
    return this.#recent.size + this.#former.size;
  }
}
