import { createHash } from 'node:crypto';
import { decryptText, encryptText } from './gcm.ts';

export type DataEncryption = ReturnType<typeof createDataEncryption>;

/** An opened text, and whether it should be encrypted again because its key is no longer the present one. */
export interface Opened {
  text: string;
  isOutdated: boolean;
}

/** A stored text that no configured key opens: the key was replaced without keeping it as the previous one. */
export class UnreadableSecret extends Error {
  override readonly name = 'UnreadableSecret';

  constructor() {
    super(
      'A stored secret cannot be decrypted: set data_encryption_key_previous to the key that encrypted it.',
    );
  }
}

/**
 * Encrypts what is stored and must be read back, with AES-256-GCM. The associated data binds a text to its row: a text
 * that was copied to another row does not open. The id of the key is in front, so that a rotation is recognised.
 */
export function createDataEncryption(key: string, previousKey?: string) {
  const keys = [key, ...(previousKey === undefined ? [] : [previousKey])].map(text => {
    const bytes = Buffer.from(text, 'base64url');
    return { bytes, id: createHash('sha256').update(bytes).digest('base64url').slice(0, 8) };
  });
  const [present] = keys;

  return {
    /** Returns the encrypted text: `<key id>.<base64url>`. */
    encrypt(text: string, associated: readonly string[]): string {
      return `${present!.id}.${encryptText(text, present!.bytes, bytesOf(associated))}`;
    },

    /** Returns the text of an encrypted one. @throws {UnreadableSecret} */
    decrypt(sealed: string, associated: readonly string[]): Opened {
      const [id, body = ''] = sealed.split('.', 2);
      const key = keys.find(candidate => candidate.id === id);
      const text = key ? decryptText(body, key.bytes, bytesOf(associated)) : null;
      if (text === null) throw new UnreadableSecret();
      return { text, isOutdated: key !== present };
    },
  };
}

/** JSON keeps the boundaries: no two lists have the same bytes. */
const bytesOf = (associated: readonly string[]) => Buffer.from(JSON.stringify(associated));
