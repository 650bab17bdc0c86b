import type { SigningAlgorithm } from '../../config/schema/resources.ts';
import type { AccessClaims } from '../../crypto/claims.ts';
import { decodePart, encodePart, isText, partsOf } from '../../crypto/jws.ts';
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

/** A longer one is none of ours: claims of a person are bounded. */
const longestToken = 16_384;

/** Returns a signed access token. */
export function signToken(
  { kid, privateKey }: RingKey & { privateKey: NonNullable<RingKey['privateKey']> },
  algorithm: SigningAlgorithm,
  claims: AccessClaims,
): string {
  const signed = `${encodePart({ alg: algorithm, typ: tokenType, kid })}.${encodePart(claims)}`;
  return `${signed}.${signText(algorithm, privateKey, signed)}`;
}

/** Returns the parts of a text that has the form of an access token, or null. Each token has one text (RFC 4648 §3.5). */
export function parseToken(token: string): Parsed | null {
  if (token.length > longestToken) return null;
  const parts = partsOf(token);
  if (!parts) return null;
  const [first, second, third] = parts;
  const [header, payload] = [decodePart(first), decodePart(second)];
  if (!header || !payload || header.typ !== tokenType || 'crit' in header) return null;
  const { alg, kid } = header;
  if (typeof alg !== 'string' || typeof kid !== 'string') return null;
  const signature = Buffer.from(third, 'base64url');
  const headerText = Buffer.from(first, 'base64url').toString('utf8');
  return { header: { alg, kid }, headerText, payload, signed: `${first}.${second}`, signature };
}

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
