/**
 * A stored password hash, read. Hashes of one family differ only in how much of the same work a check takes, so that the
 * work of one can be done in place of another's.
 */
export interface StoredHash {
  family: string;
  /** How much work a check is, in units of the family: passes, iterations, blocks. */
  work: number;
  /** Returns whether a password in exactly this form is the one. */
  verify(password: string): Promise<boolean>;
}

/** A way of hashing passwords: one that other systems use, or Gatehouse's own. */
export interface Scheme {
  /** Returns the hash, or null when the text is not of this scheme. @throws {UnusableHash} */
  read(text: string): StoredHash | null;
  /** Does this much work of a family, or returns null when the family is not of this scheme. */
  spend(family: string, work: number): Promise<unknown> | null;
}

/** A text that is not a hash which can be checked. The message is a sentence without its subject, and has no part of it. */
export class UnusableHash extends Error {
  override readonly name = 'UnusableHash';
}

/** The most memory that a check may take, in bytes (CONTRACT §11.2). */
export const mostMemory = 268_435_456;

/** The longest salt and the longest digest, in bytes: far beyond those of every known system. */
const longestPart = 512;
/** The shortest digest, in bytes: a shorter one would match other passwords by chance. */
const shortestDigest = 16;

/** Refuses a number outside of its bounds. @throws {UnusableHash} */
export function assertWithin(name: string, value: number, [least, most]: readonly [number, number]): void {
  if (value >= least && value <= most) return;
  throw new UnusableHash(`has ${name} ${value}, where ${least} to ${most} can be checked`);
}

/** Refuses a salt or a digest of an improbable length. @throws {UnusableHash} */
export function assertLengths(salt: Uint8Array, digest: Uint8Array): void {
  if (salt.length > longestPart) throw new UnusableHash('has a salt that is too long');
  if (digest.length < shortestDigest || digest.length > longestPart) {
    throw new UnusableHash('is incomplete: its last part has the wrong length');
  }
}

/** Returns the bytes of base64 in its canonical form, with or without padding. @throws {UnusableHash} */
export function bytesOfBase64(text: string): Buffer {
  const bytes = Buffer.from(text, 'base64');
  const plain = text.replace(/={0,2}$/, '');
  if (unpadded(bytes) === plain) return bytes;
  throw new UnusableHash('is damaged: a part of it is not base64');
}

/** Returns base64 without padding, as the PHC string format has it. */
export const unpadded = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64').replace(/=+$/, '');
