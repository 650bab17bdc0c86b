import { createHash, randomBytes } from 'node:crypto';

/** A random token of 32 bytes, URL-safe (43 characters). It leaves once; only its hash is stored. */
export function randomToken(): string {
  return randomBytes(32).toString('base64url');
}

/** What is stored of a random token: SHA-256 in hex. A token of 256 random bits needs no salt and no slow hash. */
export function tokenHash(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
