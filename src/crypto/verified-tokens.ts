import type { Claims } from './tokens.ts';

/**
 * Claims of session tokens whose signature was right, by the whole text of the token. It spares the signature and
 * nothing else: expiry and audience are looked at again on every request, and so are the logout list and the user.
 * Only tokens of our own get in, so a stranger can't fill it, and it never holds more than twice `size`.
 */
export class VerifiedTokens {
  readonly #size: number;
  /** Two generations: what was not asked for while one of them filled up is forgotten with the other. */
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

  /** Freezes the claims, because from now on several requests hold them. */
  add(token: string, claims: Claims): void {
    if (this.#recent.size >= this.#size) {
      this.#former = this.#recent;
      this.#recent = new Map();
    }
    if (Array.isArray(claims.aud)) Object.freeze(claims.aud);
    // A copy: a part of a header keeps the whole header in memory.
    this.#recent.set(Buffer.from(token).toString(), Object.freeze(claims));
  }

  /** How many are held. */
  get count(): number {
    return this.#recent.size + this.#former.size;
  }
}
