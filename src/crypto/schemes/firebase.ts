import { createCipheriv, timingSafeEqual } from 'node:crypto';
import type { DataEncryption } from '../data-key.ts';
import { bytesOfBase64, type Scheme, type StoredHash, UnusableHash, unpadded } from './scheme.ts';
import { assertScryptCost, deriveScrypt, type ScryptCost, scryptFamily, scryptWork } from './scrypt.ts';

/** The parameters of a Firebase project, as its console shows them. */
export interface FirebaseParameters {
  signerKey: Buffer;
  saltSeparator: Buffer;
  /** The parameter r of scrypt. */
  rounds: number;
  /** N of scrypt is 2 to this power. */
  memCost: number;
}

/** A stored hash in its parts. */
interface Parts {
  cost: ScryptCost;
  salt: Buffer;
  separator: Buffer;
  digest: Buffer;
  sealedKey: string;
}

const base64 = '([A-Za-z0-9+/]*)';
export const firebaseHash = new RegExp(
  `^\\$firebase-scrypt\\$ln=(\\d{1,3}),r=(\\d{1,4})\\$${base64}\\$${base64}\\$${base64}\\$([\\w.-]{1,1024})$`,
);
/** The binding of the encrypted signer key. */
const associated = ['firebase_signer_key'];

/** Firebase's key, as long as AES-256 takes. */
const keyLength = 32;

/** Returns a function that returns the stored form of a project's hashes. The signer key is encrypted once, for all. */
export function firebaseForm(parameters: FirebaseParameters, encryption: DataEncryption) {
  const { signerKey, saltSeparator, rounds, memCost } = parameters;
  assertScryptCost({ ln: memCost, r: rounds, p: 1 });
  const sealed = encryption.encrypt(signerKey.toString('base64'), associated);
  const parametersText = `ln=${memCost},r=${rounds}`;
  return (salt: Buffer, digest: Buffer): string => {
    if (digest.length !== signerKey.length) {
      throw new UnusableHash('has another length than the signer key of --firebase-parameters');
    }
    const texts = [salt, saltSeparator, digest].map(unpadded);
    return ['', 'firebase-scrypt', parametersText, ...texts, sealed].join('$');
  };
}

function readParts(text: string): Parts | null {
  if (!text.startsWith('$firebase-scrypt$')) return null;
  const [, ln, r, salt, separator, digest, sealedKey] = firebaseHash.exec(text) ?? [];
  if (ln === undefined) throw new UnusableHash('begins like a hash of Firebase, and is none');
  const cost = { ln: Number(ln), r: Number(r), p: 1 };
  assertScryptCost(cost);
  return {
    cost,
    salt: bytesOfBase64(salt!),
    separator: bytesOfBase64(separator!),
    digest: bytesOfBase64(digest!),
    sealedKey: sealedKey!,
  };
}

/**
 * Firebase's variant of scrypt: the derived key encrypts the project's signer key, and the result is the hash. The signer
 * key is a pepper: without it, passwords cannot be tried on a copy of the hashes. So it is stored encrypted with
 * `data_encryption_key`, which is not in the database.
 */
export const firebaseScheme = (encryption: DataEncryption | undefined): Scheme => ({
  read(text): StoredHash | null {
    const parts = readParts(text);
    if (!parts) return null;
    const { cost, salt, separator, digest, sealedKey } = parts;
    if (!encryption) throw new UnusableHash('needs data_encryption_key, which encrypts the signer key');
    const signerKey = () => Buffer.from(encryption.decrypt(sealedKey, associated).text, 'base64');
    return {
      family: scryptFamily(cost),
      work: scryptWork(cost),
      async verify(password) {
        const signed = signerKey();
        const key = await deriveScrypt(password, Buffer.concat([salt, separator]), keyLength, cost);
        const cipher = createCipheriv('aes-256-ctr', key, Buffer.alloc(16));
        const made = Buffer.concat([cipher.update(signed), cipher.final()]);
        return made.length === digest.length && timingSafeEqual(made, digest);
      },
    };
  },
  // The work is that of scrypt.
  spend: () => null,
});
