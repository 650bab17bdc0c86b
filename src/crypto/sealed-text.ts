import { hkdfSync } from 'node:crypto';
import { decryptText, encryptText } from './gcm.ts';

/**
 * Encrypts a text for the holder of a random token, with a key derived from the token (HKDF, RFC 5869). The purpose is
 * part of the key: a text sealed for one purpose cannot be opened for another.
 */
export function seal(text: string, token: string, purpose: string): string {
  return encryptText(text, keyOf(token, purpose));
}

/** Returns the text, or null when the token is a different one or the sealed text was changed. */
export function unseal(sealed: string, token: string, purpose: string): string | null {
  return decryptText(sealed, keyOf(token, purpose));
}

const keyOf = (token: string, purpose: string) =>
  Buffer.from(hkdfSync('sha256', token, '', `gatehouse:${purpose}`, 32));
