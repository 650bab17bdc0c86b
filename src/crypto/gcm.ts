import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const algorithm = 'aes-256-gcm';
/** NIST SP 800-38D §8.2.1 and §5.2.1.2. */
const ivLength = 12;
const tagLength = 16;

const nothing = Buffer.alloc(0);

/** Returns a text encrypted with AES-256-GCM, in base64url. It opens only with the same key and associated data. */
export function encryptText(text: string, key: Buffer, associated = nothing): string {
  const iv = randomBytes(ivLength);
  const cipher = createCipheriv(algorithm, key, iv).setAAD(associated);
  const sealed = Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  return sealed.toString('base64url');
}

/** Returns the text, or null when the key or the associated data are others, or the encrypted text was changed. */
export function decryptText(sealed: string, key: Buffer, associated = nothing): string | null {
  const bytes = Buffer.from(sealed, 'base64url');
  if (bytes.length < ivLength + tagLength) return null;
  const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, ivLength));
  decipher.setAAD(associated).setAuthTag(bytes.subarray(-tagLength));
  const text = decipher.update(bytes.subarray(ivLength, -tagLength));
  try {
    return Buffer.concat([text, decipher.final()]).toString('utf8');
  } catch {
    return null; // The tag does not match.
  }
}
