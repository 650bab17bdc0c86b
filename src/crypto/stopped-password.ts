/** In front of a hash whose password no longer signs in. No scheme reads it, so every version refuses such a password. */
const mark = '!';

/** Returns a hash as it is stored once its password no longer signs in; null stays null. */
export const stopHash = (hash: string | null): string | null =>
  hash === null || isStopped(hash) ? hash : `${mark}${hash}`;

/** Returns whether the password of a stored hash no longer signs in, until another one is set. */
export const isStopped = (hash: string): boolean => hash.startsWith(mark);

/** Returns the hash of a password that signs in, or null. */
export const hashInForce = (hash: string | null): string | null =>
  hash === null || isStopped(hash) ? null : hash;

/** Returns the hash that a stopped one was made from. */
export const hashBehind = (hash: string): string => (isStopped(hash) ? hash.slice(mark.length) : hash);
