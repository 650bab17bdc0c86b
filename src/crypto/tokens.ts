import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';
import { v4 as uuidv4 } from 'uuid';
import type { Clock } from '../clock.ts';
import { VerifiedTokens } from './verified-tokens.ts';

/** What a token is good for, and for nothing else (SPEC §2.4). */
export type Purpose = 'session' | 'password_reset' | 'email_change' | 'phone_setup' | 'login_mfa';

/** The claims of SPEC §2.4; times in seconds since 1970, `iat` with a fraction. */
export interface Claims {
  sub: string;
  iat: number;
  exp: number;
  jti: string;
  purpose: Purpose;
  aud?: string | string[];
  new_email?: string;
}

export interface TokenSettings {
  secret: string;
  /** A former secret, whose tokens are accepted until they expire; none are signed with it. */
  previousSecret?: string;
  algorithm: 'HS256' | 'HS384' | 'HS512';
  audience?: string;
  clock: Clock;
}

/** Why a token is refused: no more than this is ever told. */
export type Refusal = 'invalid' | 'expired';

export type Verdict = { claims: Claims } | { refused: Refusal };

/**
 * Signs tokens, and checks everything about them that can be known without a database. Both by HMAC alone, at once and
 * off libuv's pool, where WebCrypto would wait behind password hashes.
 */
export class Tokens {
  readonly #settings: TokenSettings;
  readonly #keys = new Map<string, KeyObject>();
  readonly #verified = new VerifiedTokens();

  constructor(settings: TokenSettings) {
    this.#settings = settings;
  }

  /** Signs a token of this purpose for a user; `issuedAt` is exact to the millisecond. */
  sign(
    purpose: Purpose,
    {
      sub,
      issuedAt,
      ttlSeconds,
      ...extra
    }: { sub: string; issuedAt: Date; ttlSeconds: number; new_email?: string },
  ): string {
    const { secret, algorithm, audience } = this.#settings;
    const iat = issuedAt.getTime() / 1000;
    // Rounded to the resolution of the clock, so that the sum shows no binary fraction.
    const exp = Math.round((iat + ttlSeconds) * 1000) / 1000;
    const claims = { sub, iat, exp, jti: uuidv4(), purpose, ...extra, ...(audience && { aud: audience }) };
    const signed = `${encode({ alg: algorithm, typ: 'JWT' })}.${encode(claims)}`;
    return `${signed}.${this.#signature(secret, purpose, signed)}`;
  }

  /** Signature, algorithm, purpose, audience, expiry and the presence of every claim. */
  verify(purpose: Purpose, token: string): Verdict {
    const known = purpose === 'session' ? this.#verified.get(token) : undefined;
    const claims = known ?? this.#signedClaims(purpose, token);
    if (!this.#isComplete(claims, purpose)) return { refused: 'invalid' };
    if (this.#settings.clock.now().getTime() >= claims.exp * 1000) return { refused: 'expired' };
    if (purpose === 'session' && !known) this.#verified.add(token, claims);
    return { claims };
  }

  /** Of how many session tokens the signature is remembered. */
  get verifiedCount(): number {
    return this.#verified.count;
  }

  /** What stands in a token of ours, or null where the signature or the algorithm is not right. */
  #signedClaims(purpose: Purpose, token: string): Record<string, unknown> | null {
    const parts = token.split('.');
    if (parts.length !== 3) return null;
    const [header, payload, signature] = parts as [string, string, string];
    if (!this.#isAccepted(decode(header))) return null;
    return this.#isSigned(purpose, `${header}.${payload}`, signature) ? decode(payload) : null;
  }

  /** Only the configured algorithm (RFC 8725 §3.1), and no critical extension, as we know none (RFC 7515 §4.1.11). */
  #isAccepted(header: Record<string, unknown> | null): boolean {
    return header !== null && header.alg === this.#settings.algorithm && !('crit' in header);
  }

  #isSigned(purpose: Purpose, signed: string, signature: string): boolean {
    const { secret, previousSecret } = this.#settings;
    return [secret, previousSecret].some(
      master => master !== undefined && this.#matches(master, purpose, signed, signature),
    );
  }

  /** Compares the encoded forms, because several encodings decode to the same bytes and only one is ours. */
  #matches(master: string, purpose: Purpose, signed: string, signature: string): boolean {
    const expected = this.#signature(master, purpose, signed);
    return (
      expected.length === signature.length &&
      timingSafeEqual(Buffer.from(expected), Buffer.from(signature, 'latin1'))
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

  /** A token that names an audience is refused by whoever is not in it (RFC 7519 §4.1.3). */
  #isForUs(aud: unknown): boolean {
    const { audience } = this.#settings;
    if (audience === undefined) return aud === undefined;
    return Array.isArray(aud) ? aud.includes(audience) : aud === audience;
  }

  /** The signing key of one purpose (SPEC §5.1.3). */
  #key(master: string, purpose: Purpose): KeyObject {
    const id = `${purpose}:${master}`;
    let key = this.#keys.get(id);
    if (!key) {
      // Made once: an HMAC over a key that it must import each time costs six times as much.
      key = createSecretKey(createHmac('sha256', master).update(`gatehouse:${purpose}`).digest());
      this.#keys.set(id, key);
    }
    return key;
  }
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');

function decode(part: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}
