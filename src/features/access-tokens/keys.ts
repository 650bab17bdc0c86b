import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPair,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto';
import { promisify } from 'node:util';
import type { SigningAlgorithm } from '../../config/schema/resources.ts';
import type { PublicJwk } from './table.ts';

const generate = promisify(generateKeyPair);

/** A new pair, to be stored. */
export interface KeyPair {
  kid: string;
  publicJwk: PublicJwk;
  /** PKCS #8 in base64url. */
  privateText: string;
}

/** The keys of an algorithm, and how they sign. */
interface Scheme {
  /** Makes a pair in the thread pool. */
  make(): Promise<{ publicKey: KeyObject; privateKey: KeyObject }>;
  digest: 'sha256' | null;
}

const schemes: Record<SigningAlgorithm, Scheme> = {
  ES256: { make: () => generate('ec', { namedCurve: 'P-256' }), digest: 'sha256' },
  RS256: { make: () => generate('rsa', { modulusLength: 2048 }), digest: 'sha256' },
  EdDSA: { make: () => generate('ed25519'), digest: null },
};

/** RFC 7518 §3.4: the signature is two numbers, not DER. The other algorithms ignore it. */
const dsaEncoding = 'ieee-p1363';

/** Returns a new pair. */
export async function makeKey(algorithm: SigningAlgorithm): Promise<KeyPair> {
  const { publicKey, privateKey } = await schemes[algorithm].make();
  const publicJwk = publicPartOf(publicKey.export({ format: 'jwk' }));
  const privateText = privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64url');
  return { kid: thumbprintOf(publicJwk), publicJwk, privateText };
}

/** The members of a public key, in the order in which they are published; others are never stored. */
const members = ['kty', 'crv', 'x', 'y', 'n', 'e'] as const;

/** Returns the public members of a key, in one order: a database may return them in another. */
export const publicPartOf = (jwk: { [name: string]: unknown }): PublicJwk =>
  Object.fromEntries(
    members.flatMap(name => {
      const value = jwk[name];
      return typeof value === 'string' ? [[name, value]] : [];
    }),
  );

/** Returns the thumbprint of a key (RFC 7638 §3): SHA-256 of its required members by the alphabet. */
export function thumbprintOf(jwk: PublicJwk): string {
  const sorted = Object.fromEntries(Object.entries(jwk).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  return createHash('sha256').update(JSON.stringify(sorted)).digest('base64url');
}

export const openPrivate = (text: string): KeyObject =>
  createPrivateKey({ key: Buffer.from(text, 'base64url'), format: 'der', type: 'pkcs8' });

export const openPublic = (jwk: PublicJwk): KeyObject => createPublicKey({ key: jwk, format: 'jwk' });

/**
 * Returns the signature of a text, synchronously: a callback, and WebCrypto always, would wait in libuv's threads behind
 * password hashing.
 */
export const signText = (algorithm: SigningAlgorithm, key: KeyObject, text: string): string =>
  sign(schemes[algorithm].digest, Buffer.from(text), { key, dsaEncoding }).toString('base64url');

/** Returns whether a signature is that of a text; synchronously, as `signText`. */
export const isSigned = (
  algorithm: SigningAlgorithm,
  key: KeyObject,
  text: string,
  signature: Buffer,
): boolean => verify(schemes[algorithm].digest, Buffer.from(text), { key, dsaEncoding }, signature);
