import type { PasswordVerifier } from '../../crypto/password-hash.ts';
import { UnusableHash } from '../../crypto/schemes/scheme.ts';
import { scryptForm } from '../../crypto/schemes/scrypt.ts';
import type { ImportedUser } from './inputs.ts';
import { base64Bytes } from './inputs.ts';

/** How Better Auth hashes: scrypt over the NFKC form, with the hexadecimal text of the salt as the salt. */
const betterAuthCost = { ln: 14, r: 16, p: 1 };
const betterAuthForm = /^([0-9a-f]{1,256}):((?:[0-9a-f]{2}){16,64})$/i;

type Firebase = ReturnType<PasswordVerifier['firebaseForm']>;

/**
 * Returns a function that returns the hash of an imported user in a form that describes itself, or null when there is none.
 * @throws {UnusableHash} for a hash that could not be checked at a sign-in
 */
export function importedForm(hasher: PasswordVerifier, firebase: Firebase | undefined) {
  return ({ hashed_password: given, scheme, salt }: ImportedUser): string | null => {
    if (given == null) return null;
    const form = toForm(given, scheme, salt, firebase);
    hasher.inspect(form);
    return form;
  };
}

function toForm(
  given: string,
  scheme: ImportedUser['scheme'],
  salt: ImportedUser['salt'],
  firebase: Firebase | undefined,
): string {
  if (scheme === 'better-auth') {
    const [, saltText, digest] = betterAuthForm.exec(given) ?? [];
    if (saltText === undefined)
      throw new UnusableHash('is no hash of Better Auth: salt:hash, both hexadecimal');
    return scryptForm(betterAuthCost, Buffer.from(saltText), Buffer.from(digest!, 'hex'));
  }
  if (scheme !== 'firebase') return given;
  if (!firebase) throw new UnusableHash('comes from Firebase, whose hashes need --firebase-parameters');
  return firebase(bytesOf('salt', salt!), bytesOf('hash', given));
}

function bytesOf(name: string, text: string): Buffer {
  const { data } = base64Bytes.safeParse(text);
  if (data) return data;
  throw new UnusableHash(`comes from Firebase, and its ${name} is not base64`);
}
