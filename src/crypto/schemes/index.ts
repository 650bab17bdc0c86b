import type { DataEncryption } from '../data-key.ts';
import { type Argon2, argon2Scheme } from './argon2.ts';
import { bcryptScheme } from './bcrypt.ts';
import { firebaseScheme } from './firebase.ts';
import { pbkdf2Scheme } from './pbkdf2.ts';
import { type StoredHash, UnusableHash } from './scheme.ts';
import { scryptScheme } from './scrypt.ts';

export type Schemes = ReturnType<typeof createSchemes>;

/** No known hash is longer; a longer text is not even searched for its parts. */
const longestHash = 2048;

/** Every way in which a stored password may be hashed (CONTRACT §11.2). */
export function createSchemes(argon2: Argon2, encryption?: DataEncryption) {
  const schemes = [
    argon2Scheme(argon2),
    bcryptScheme,
    scryptScheme,
    pbkdf2Scheme,
    firebaseScheme(encryption),
  ];

  return {
    /** Returns a stored hash, ready to be checked. @throws {UnusableHash} */
    read(text: string): StoredHash {
      if (text.length > longestHash) throw new UnusableHash('is too long');
      for (const scheme of schemes) {
        const stored = scheme.read(text);
        if (stored) return stored;
      }
      throw new UnusableHash('is not a hash of a known form');
    },

    /** Does as much work of a family as a check would. A family that is not known any more is none. */
    async spend(family: string, work: number): Promise<void> {
      for (const scheme of schemes) {
        const spent = scheme.spend(family, work);
        if (spent) return void (await spent);
      }
    },
  };
}
