import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const algorithm = 'aes-256-gcm';
/** NIST SP 800-38D §8.2.1 and §5.2.1.2. */
const ivLength = 12;
const tagLength = 16;

/**
 * Encrypts a text for the holder of a random token, with a key derived from the token (HKDF, RFC 5869). The purpose is
 * part of the key: a text sealed for one purpose cannot be opened for another.
 */
export function seal(text: string, token: string, purpose: string): string {
  const iv = randomBytes(ivLength);
  const cipher = createCipheriv(algorithm, keyOf(token, purpose), iv);
  const sealed = Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  return sealed.toString('base64url');
}

/** Returns the text, or null when the token is a different one or the sealed text was changed. */
export function unseal(sealed: string, token: string, purpose: string): string | null {
  const bytes = Buffer.from(sealed, 'base64url');
  if (bytes.length < ivLength + tagLength) return null;
  const decipher = createDecipheriv(algorithm, keyOf(token, purpose), bytes.subarray(0, ivLength));
  decipher.setAuthTag(bytes.subarray(-tagLength));
  const text = decipher.update(bytes.subarray(ivLength, -tagLength));
  try {
    return Buffer.concat([text, decipher.final()]).toString('utf8');
  } catch {
    return null; // The tag does not match.
  }
}

const keyOf = (token: string, purpose: string) =>
  Buffer.from(hkdfSync('sha256', token, '', `gatehouse:${purpose}`, 32));
