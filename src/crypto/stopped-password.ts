/**
 * In front of a hash whose password no longer signs in. No scheme reads such a hash, so every version refuses the password.
 */
const mark = '!';

/** In front of a stopped hash where the next reset counts as the first proof of the address. */
const firstProofMark = '!!';

/** In front of a hash that is stopped while its account is reported: administration can release it. */
const heldMark = '!~';

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

/** Returns a hash as it is stored while its account is reported; null, and one that is stopped already, stay as they are. */
export const holdHash = (hash: string | null): string | null =>
  hash === null || isStopped(hash) ? hash : heldMark + hash;

/** Returns the hash as it was before `holdHash`. */
export const releaseHash = (hash: string | null): string | null =>
  hash?.startsWith(heldMark) ? hashBehind(hash) : hash;

/** Returns whether the reset of a stopped password counts as the first proof of the address. */
export const asksFirstProof = (hash: string): boolean => hash.startsWith(firstProofMark);

/** Returns whether the password of a stored hash no longer signs in, until another one is set. */
export const isStopped = (hash: string): boolean => hash.startsWith(mark);

/** Returns the hash that a stopped one was made from. */
export const hashBehind = (hash: string): string => hash.replace(/^![!~]?/, '');
