import type { SigningAlgorithm } from '../../config/schema/resources.ts';
import { type DataEncryption, UnreadableSecret } from '../../crypto/data-key.ts';
import { makeKey } from './keys.ts';
import type { KeyState, StoredKey } from './table.ts';

/** A data encryption key that does not open the stored keys. */
class UnreadableRing extends Error {
  override readonly name = 'UnreadableRing';

  constructor(algorithm: string) {
    super(
      `The signing keys of ${algorithm} cannot be decrypted: set data_encryption_key_previous to the key that encrypted them, or replace them by \`svc keys reset\`, which ends all access tokens.`,
    );
  }
}

export type KeySeal = ReturnType<typeof createKeySeal>;

const associated = (algorithm: string, kid: string) => ['signing_keys', algorithm, kid];

/** Encrypts the private parts of stored keys, each bound to its key. */
export function createKeySeal(encryption: DataEncryption) {
  /** Returns the stored key with its private part encrypted. */
  const sealedWith = (algorithm: string, key: Omit<StoredKey, 'sealed'>, privateText: string): StoredKey => ({
    ...key,
    sealed: encryption.encrypt(privateText, associated(algorithm, key.kid)),
  });

  return {
    sealedWith,

    /** Returns a new key, encrypted. `since` is in milliseconds. */
    async newKey(algorithm: SigningAlgorithm, state: KeyState, since: number): Promise<StoredKey> {
      const { kid, publicJwk, privateText } = await makeKey(algorithm);
      return sealedWith(algorithm, { kid, state, since, publicJwk }, privateText);
    },

    /**
     * Returns the private part of a key, or null where it has none any more.
     * @throws {UnreadableRing} when the data encryption key does not open it
     */
    unseal(algorithm: string, { kid, sealed }: StoredKey) {
      if (sealed === null) return null;
      try {
        return encryption.decrypt(sealed, associated(algorithm, kid));
      } catch (error) {
        if (error instanceof UnreadableSecret) throw new UnreadableRing(algorithm);
        throw error;
      }
    },
  };
}
