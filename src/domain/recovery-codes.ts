import { randomInt } from 'node:crypto';
import { v4 as uuidv4 } from 'uuid';
import type { Clock } from '../clock.ts';
import type { PasswordHasher } from '../crypto/password-hash.ts';
import type { Repositories } from '../storage/repositories/index.ts';
import type { RecoveryCodes as Row } from '../tables/recovery-codes.ts';

export type RecoveryCodes = ReturnType<typeof createRecoveryCodes>;

const howMany = 10;
/** Crockford's Base32: no letters that are mistaken for digits. Fifteen letters after the index are 75 bits. */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const secretLength = 15;

interface Parts {
  clock: Clock;
  hasher: PasswordHasher;
  repositories: Pick<Repositories, 'recovery_codes'>;
}

/** Returns the secret of a code and its index, which stands first; null for a text that can be no code. */
function readCode(text: string): { index: number; secret: string } | null {
  const typed = text.toUpperCase().replace(/[\s-]/g, '').replace(/O/g, '0').replace(/[IL]/g, '1');
  if (typed.length !== secretLength + 1 || [...typed].some(letter => !alphabet.includes(letter))) return null;
  const index = alphabet.indexOf(typed[0]!);
  return index < howMany ? { index, secret: typed } : null;
}

/** Returns a code in groups of four: its index in the list, and fifteen random letters. */
function generate(index: number): string {
  const letters = [alphabet[index]!, ...Array.from({ length: secretLength }, () => alphabet[randomInt(32)]!)];
  return letters.join('').replace(/(.{4})(?=.)/g, '$1-');
}

/** New codes, and the row that stores their hashes. */
export interface Issued {
  codes: string[];
  row: Row;
}

/** Codes for people who have lost their second factor (CONTRACT §9.2): ten per account, each usable once. */
export function createRecoveryCodes({ clock, hasher, repositories: { recovery_codes } }: Parts) {
  async function makeSet(userId: string): Promise<Issued> {
    const codes = Array.from({ length: howMany }, (_, index) => generate(index));
    const hashes: string[] = [];
    // One after the other, so that sign-ins are hashed between them.
    for (const code of codes) hashes.push(await hasher.hash(readCode(code)!.secret));
    return {
      codes,
      row: { userId, hashes: JSON.stringify(hashes), version: uuidv4(), createdAt: clock.now() },
    };
  }

  return {
    /**
     * Returns new codes for an account that has none; null when it has some, or when a parallel call made them. Codes that
     * are there although the new authenticator is the only one were left by a removal that was interrupted: they are
     * replaced, because somebody else may have them.
     */
    async issueFirst(userId: string, isOnly: () => Promise<boolean>): Promise<Issued | null> {
      const present = await recovery_codes.find(userId);
      if (present && !(await isOnly())) return null;
      if (present) await recovery_codes.removeRead(present);
      const issued = await makeSet(userId);
      return (await recovery_codes.add(issued.row)) ? issued : null;
    },

    /**
     * Returns new codes; the former ones are void from that moment. Returns null when the caller is no longer allowed to
     * replace them: making them takes long enough for a session to end. It is asked again after storing, so that of a
     * replacement and a revocation at the same time, one sees the other.
     */
    async replace(userId: string, isAllowed: () => Promise<boolean>): Promise<string[] | null> {
      const { codes, row } = await makeSet(userId);
      if (!(await isAllowed())) return null;
      await recovery_codes.replace(row);
      if (await isAllowed()) return codes;
      await recovery_codes.removeRead(row);
      return null;
    },

    /**
     * Checks a code; exactly one hash is verified for every text that has the form of a code. Returns null for a wrong one
     * or one that was used, else the function that uses it: that returns how many codes are left, or null when the code
     * was used or replaced meanwhile.
     */
    async match(userId: string, text: string): Promise<(() => Promise<{ left: number } | null>) | null> {
      const code = readCode(text);
      if (!code) return null;
      let row = await recovery_codes.find(userId);
      const hash = row ? hashesOf(row)[code.index] : null;
      if (!(await hasher.verify(hash, code.secret, userId))) return null;
      return async () => {
        // Another code may be used at the same time: then the row is read again, and this code is still in it.
        while (row && hashesOf(row)[code.index] === hash) {
          const hashes = hashesOf(row).with(code.index, null);
          const fresh = { hashes: JSON.stringify(hashes), version: uuidv4() };
          if (await recovery_codes.change(row, fresh))
            return { left: hashes.filter(each => each !== null).length };
          row = await recovery_codes.find(userId);
        }
        return null;
      };
    },
  };
}

const hashesOf = ({ hashes }: Row) => JSON.parse(hashes) as (string | null)[];
