/** In front of a hash whose password no longer signs in. No scheme reads it, so every version refuses such a password. */
const mark = '!';

/** In front of a stopped hash where the next reset counts as the first proof of the address. */
const firstProofMark = `${mark}${mark}`;

/**
 * Returns a hash as it is stored once its password no longer signs in; null stays null.
 * @param isFirstProof whether the reset that follows removes what others may have left in the account (CONTRACT §4.3)
 */
export function stopHash(hash: string, isFirstProof?: boolean): string;
export function stopHash(hash: string | null): string | null;
export function stopHash(hash: string | null, isFirstProof = false): string | null {
  if (hash === null || asksFirstProof(hash)) return hash;
  return (isFirstProof ? firstProofMark : mark) + hashBehind(hash);
}

/** Returns whether the reset of a stopped password counts as the first proof of the address. */
export const asksFirstProof = (hash: string): boolean => hash.startsWith(firstProofMark);

/** Returns whether the password of a stored hash no longer signs in, until another one is set. */
export const isStopped = (hash: string): boolean => hash.startsWith(mark);

/** Returns the hash of a password that signs in, or null. */
export const hashInForce = (hash: string | null): string | null =>
  hash === null || isStopped(hash) ? null : hash;

/** Returns the hash that a stopped one was made from. */
export const hashBehind = (hash: string): string => hash.replace(/^!{0,2}/, '');
