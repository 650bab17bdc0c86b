import type { SigningAlgorithm } from '../../config/schema/resources.ts';
import type { AccessClaims } from '../../crypto/claims.ts';
import { signText } from './keys.ts';
import type { RingKey } from './ring.ts';

/** The type of access tokens (RFC 9068 §2.1). */
const tokenType = 'at+jwt';

interface Header {
  alg: string;
  kid: string;
}

/** A token in its parts, of which nothing is verified. */
export interface Parsed {
  header: Header;
  /** The whole header, as JSON. */
  headerText: string;
  payload: Record<string, unknown>;
  /** The signed content. */
  signed: string;
  signature: Buffer;
}

const compactForm = /^([\w-]+)\.([\w-]+)\.([\w-]+)$/;

/** A longer one is none of ours: claims of a person are bounded. */
const longestToken = 16_384;

const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');

/** Returns a signed access token. */
export function signToken(
  { kid, privateKey }: RingKey & { privateKey: NonNullable<RingKey['privateKey']> },
  algorithm: SigningAlgorithm,
  claims: AccessClaims,
): string {
  const signed = `${encode({ alg: algorithm, typ: tokenType, kid })}.${encode(claims)}`;
  return `${signed}.${signText(algorithm, privateKey, signed)}`;
}

/** Returns the parts of a text that has the form of an access token, or null. Each token has one text (RFC 4648 §3.5). */
export function parseToken(token: string): Parsed | null {
  if (token.length > longestToken) return null;
  const [, first = '', second = '', third = ''] = compactForm.exec(token) ?? [];
  if (![first, second, third].every(isCanonical)) return null;
  const [header, payload] = [decode(first), decode(second)];
  if (!header || !payload || header.typ !== tokenType || 'crit' in header) return null;
  const { alg, kid } = header;
  if (typeof alg !== 'string' || typeof kid !== 'string') return null;
  const signature = Buffer.from(third, 'base64url');
  const headerText = Buffer.from(first, 'base64url').toString('utf8');
  return { header: { alg, kid }, headerText, payload, signed: `${first}.${second}`, signature };
}

const isCanonical = (part: string) =>
  part !== '' && Buffer.from(part, 'base64url').toString('base64url') === part;

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

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** Returns whether a payload has the claims of an access token, each of its type. */
export function isComplete(
  payload: Record<string, unknown>,
): payload is Record<string, unknown> & AccessClaims {
  const { iss, aud, sub, jti, iat, exp, client_id, scope, auth_time, acr, amr } = payload;
  return (
    [iss, aud, sub, jti, client_id, scope].every(isText) &&
    Number.isInteger(iat) &&
    Number.isInteger(exp) &&
    (auth_time === undefined || Number.isFinite(auth_time)) &&
    (acr === undefined || isText(acr)) &&
    (amr === undefined || (Array.isArray(amr) && amr.every(isText)))
  );
}
