import type { Config } from '../config/schema.ts';
import { type FieldMessageId, type Said, say } from '../words/said.ts';
import { createCommonPasswords } from './common.ts';
import { folded, type Person, wordsOfPerson, wordsOfService } from './own-words.ts';

/** Why a password is refused. */
export type PasswordRefusal = Said<FieldMessageId>;

/** Returns why a password is refused for this person, null accepts it. */
export type PasswordCheck = (password: string, person: Person) => Promise<PasswordRefusal | null>;

/** The rules that a configuration sets, and the own words of its service. */
export type PasswordRules = Pick<Config, 'passwordBlocklist' | 'appName' | 'baseUrl'>;

export type PasswordPolicy = ReturnType<typeof createPasswordPolicy>;

/** Returns the rules that new passwords must satisfy beyond their length (CONTRACT §11.1); features may add more. */
export function createPasswordPolicy(config: PasswordRules) {
  const checks: PasswordCheck[] = config.passwordBlocklist ? [createBlocklist(config)] : [];
  return {
    /** Asks this check, too, after those before it. */
    refuseWith(check: PasswordCheck): void {
      checks.push(check);
    },

    async refusalOf(password: string, person: Person): Promise<PasswordRefusal | null> {
      for (const check of checks) {
        const refusal = await check(password, person);
        if (refusal !== null) return refusal;
      }
      return null;
    },
  };
}

/** Own words are first: they say more than that a password is common. */
function createBlocklist(config: PasswordRules): PasswordCheck {
  const service = new Set(wordsOfService(config));
  const isCommon = createCommonPasswords();
  return async (password, person) => {
    const word = folded(password);
    if (wordsOfPerson(person).includes(word)) return say('field_own_word__person');
    if (service.has(word)) return say('field_own_word__service');
    return (await isCommon(word)) ? say('field_common_password') : null;
  };
}
