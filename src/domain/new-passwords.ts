import type { Clock } from '../clock.ts';
import { type NewHash, ofNfc } from '../crypto/password-form.ts';
import type { PasswordHasher, PasswordVerifier } from '../crypto/password-hash.ts';
import { fieldError, GatehouseError } from '../errors.ts';
import type { Person } from '../passwords/own-words.ts';
import type { PasswordPolicy } from '../passwords/policy.ts';

export type NewPasswords = ReturnType<typeof createNewPasswords>;

/** A chosen password as it is stored with an account. */
export interface ChosenPassword extends NewHash {
  passwordSetAt: Date;
}

interface Parts {
  clock: Clock;
  hasher: PasswordHasher;
  policy: PasswordPolicy;
}

/** Whose password is set, and the field of the operation's input that has it. */
export interface NewPasswordOf extends Person {
  field: 'password' | 'new_password';
}

/**
 * The one way from a chosen password to a stored hash: services have no other, so that no place where a password is set
 * can forget the rules (CONTRACT §11.1). The length is a matter of the input's schema.
 */
export function createNewPasswords({ clock, hasher, policy }: Parts) {
  const verifier: PasswordVerifier = hasher;
  return {
    /** Checks passwords that were chosen before. */
    hasher: verifier,

    /** Returns what is stored of a password that was chosen for an account. @throws {GatehouseError} invalid_input, unavailable */
    async hash(password: string, { field, ...person }: NewPasswordOf): Promise<ChosenPassword> {
      const refusal = await policy.refusalOf(password, person);
      if (refusal) throw new GatehouseError('invalid_input', { errors: [fieldError(field, refusal)] });
      const hash = await hasher.hash(password);
      return { ...ofNfc(hash), passwordSetAt: clock.now() };
    },
  };
}
