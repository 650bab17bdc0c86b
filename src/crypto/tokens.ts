import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { v4 as uuidv4 } from 'uuid';
import { type Clock, clockToleranceMs } from '../clock.ts';
import type { AuthenticationMethod, Claims, Purpose, ReplacedSession } from './claims.ts';
import { decodePart, encodePart, isText, partsOf } from './jws.ts';
import { isSameText } from './same-text.ts';
import { VerifiedTokens } from './verified-tokens.ts';

export interface TokenSettings {
  secret: string;
  /** The previous secret; its tokens are accepted until they expire, and none are signed with it. */
  previousSecret?: string;
  algorithm: 'HS256' | 'HS384' | 'HS512';
  audience?: string;
  clock: Clock;
  /** How long a token of each purpose lives, in seconds. */
  lifetimes: Record<Purpose, number>;
}

/** The claims that the caller of `sign` supplies. */
interface Subject {
  sub: string;
  /** Becomes `iat`, exact to the millisecond. */
  issuedAt: Date;
  /** The id of the token; random when no caller needs to know it beforehand. */
  jti?: string | undefined;
  /** When the token ends, in seconds since 1970, where that is the end of another token. */
  exp?: number | undefined;
  new_email?: string | undefined;
  email?: string | undefined;
  auth_time?: number | undefined;
  amr?: AuthenticationMethod[] | undefined;
  host?: string | undefined;
  state?: string | undefined;
  session?: Claims['session'];
  replaces?: ReplacedSession | undefined;
  supersedes?: ReplacedSession | undefined;
}

/** Why a token is refused; clients learn no more than this. */
export type Refusal = 'invalid' | 'expired';

export type Verdict = { claims: Claims } | { refused: Refusal };

/**
 * Signs tokens (RFC 7519), and checks everything about them that needs no database. Both use HMAC alone, synchronously
 * and outside libuv's thread pool, where WebCrypto would wait behind password hashes.
 */
export class Tokens {
  readonly #settings: TokenSettings;
  readonly #keys = new Map<string, KeyObject>();
  readonly #verified = new VerifiedTokens();

  constructor(settings: TokenSettings) {
    this.#settings = settings;
  }

  /**
   * Returns a signed token of this purpose for a user. Its lifetime starts at the present moment, whatever its `iat` is,
   * unless its end is given.
   */
  sign(purpose: Purpose, { sub, issuedAt, jti = uuidv4(), exp: end, ...extra }: Subject): string {
    const { secret, algorithm, audience, clock, lifetimes } = this.#settings;
    const iat = issuedAt.getTime() / 1000;
    const exp = end ?? (clock.now().getTime() + lifetimes[purpose] * 1000) / 1000;
    const claims = { sub, iat, exp, jti, purpose, ...extra, ...(audience && { aud: audience }) };
    const signed = `${encodePart({ alg: algorithm, typ: 'JWT' })}.${encodePart(claims)}`;
    return `${signed}.${this.#signature(secret, purpose, signed)}`;
  }

  /** Verifies form, signature, algorithm, purpose, audience, expiry and the presence of every claim. */
  verify(purpose: Purpose, token: string): Verdict {
    const known = purpose === 'session' ? this.#verified.get(token) : undefined;
    const claims = known ?? this.#signedClaims(purpose, token);
    if (!this.#isComplete(claims, purpose)) return { refused: 'invalid' };
    const { clock, lifetimes } = this.#settings;
    const endsInMs = claims.exp * 1000 - clock.now().getTime();
    if (endsInMs <= 0) return { refused: 'expired' };
    // Only a clock that was wrong at signing can have set the expiry so far ahead.
    if (endsInMs > lifetimes[purpose] * 1000 + clockToleranceMs) return { refused: 'invalid' };
    if (purpose === 'session' && !known) this.#verified.add(token, claims);
    return { claims };
  }

  /** How many session tokens with a verified signature are remembered. */
  get verifiedCount(): number {
    return this.#verified.count;
  }

  /**
   * Returns the payload of a token signed by this instance's secrets, or null when its signature or algorithm is wrong.
   */
  #signedClaims(purpose: Purpose, token: string): Record<string, unknown> | null {
    const parts = partsOf(token);
    if (!parts) return null;
    const [header, payload, signature] = parts;
    if (!this.#isAccepted(decodePart(header))) return null;
    return this.#isSigned(purpose, `${header}.${payload}`, signature) ? decodePart(payload) : null;
  }

  /**
   * Accepts only the configured algorithm (RFC 8725 §3.1) and no critical extensions, because none are supported
   * (RFC 7515 §4.1.11).
   */
  #isAccepted(header: Record<string, unknown> | null): boolean {
    return header !== null && header.alg === this.#settings.algorithm && !('crit' in header);
  }

  #isSigned(purpose: Purpose, signed: string, signature: string): boolean {
    const { secret, previousSecret } = this.#settings;
    return [secret, previousSecret].some(
      master => master !== undefined && isSameText(this.#signature(master, purpose, signed), signature),
    );
  }

  /** RFC 7515 §5.1 over the encoded header and payload. */
  #signature(master: string, purpose: Purpose, signed: string): string {
    const digest = this.#settings.algorithm.replace('HS', 'sha');
    return createHmac(digest, this.#key(master, purpose)).update(signed).digest('base64url');
  }

  #isComplete(claims: Readonly<Claims> | Record<string, unknown> | null, purpose: Purpose): claims is Claims {
    if (claims === null) return false;
    const { sub, iat, exp, jti, new_email, aud } = claims;
    return (
      isText(sub) &&
      isText(jti) &&
      Number.isFinite(iat) &&
      Number.isFinite(exp) &&
      claims.purpose === purpose &&
      (purpose === 'email_change') === isText(new_email) &&
      this.#isForUs(aud)
    );
  }

  /** A token that names an audience must name this one (RFC 7519 §4.1.3). */
  #isForUs(aud: unknown): boolean {
    const { audience } = this.#settings;
    if (audience === undefined) return aud === undefined;
    return Array.isArray(aud) ? aud.includes(audience) : aud === audience;
  }

  /** Returns the signing key of one purpose (SPEC §5.1.3). */
  #key(master: string, purpose: Purpose): KeyObject {
    const id = `${purpose}:${master}`;
    let key = this.#keys.get(id);
    if (!key) {
      // Created once: an HMAC that imports its key each time costs six times as much.
      key = createSecretKey(createHmac('sha256', master).update(`gatehouse:${purpose}`).digest());
      this.#keys.set(id, key);
    }
    return key;
  }
}
