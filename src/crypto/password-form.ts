import { createHash } from 'node:crypto';
import { hashBehind } from './stopped-password.ts';

/** A password as it is stored. */
export interface StoredPassword {
  /** Null where none is set. */
  hashedPassword: string | null;
  /** The fingerprint of the hash when that was made from the NFC form of the password; else null, or that of a former hash. */
  passwordForm: string | null;
}

/** A hash that was made from the NFC form of a password. */
export interface NewHash extends StoredPassword {
  hashedPassword: string;
  passwordForm: string;
}

/** Half of a SHA-256: of another hash it says nothing, and a hash cannot be chosen by it. */
const fingerprintOf = (hash: string): string =>
  createHash('sha256').update(hashBehind(hash)).digest('base64url').slice(0, 22);

/** Returns what is stored of a hash that was made from the NFC form of a password. */
export const ofNfc = (hash: string): NewHash => ({ hashedPassword: hash, passwordForm: fingerprintOf(hash) });

/**
 * Returns whether a hash was made from the NFC form of its password. The hash decides: an instance of the former
 * version replaces it and leaves the fingerprint (CONTRACT §4.2).
 */
export const isOfNfc = ({ hashedPassword, passwordForm }: StoredPassword): boolean =>
  hashedPassword !== null && passwordForm !== null && passwordForm === fingerprintOf(hashedPassword);
