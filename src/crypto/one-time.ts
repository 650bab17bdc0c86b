import { createHash, randomBytes } from 'node:crypto';

/** Returns a random token of 32 bytes, URL-safe (43 characters). Only its hash is stored. */
export function randomToken(): string {
  return randomBytes(32).toString('base64url');
}

/**
 * Returns what is stored of a random token: SHA-256 in hex. A token of 256 random bits needs neither a salt nor a slow
 * hash.
 */
export function tokenHash(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
