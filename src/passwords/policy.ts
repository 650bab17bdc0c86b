import type { Config } from '../config/schema.ts';
import type { Logger } from '../logger.ts';
import { createCommonPasswords } from './common.ts';
import { keyOf, type PasswordFilter, sha1Of } from './filter.ts';
import { openFilterFile } from './filter-file.ts';
import { folded, type Person, wordsOfPerson, wordsOfService } from './own-words.ts';
import { isInRange } from './range-service.ts';
import { refusals } from './refusals.ts';

/** What new passwords must satisfy beyond their length (CONTRACT §11.1). */
export interface PasswordPolicy {
  /** Returns why a password is refused for this person, as a text that continues its field's name; null accepts it. */
  refusalOf(password: string, person: Person): Promise<string | null>;
}

/** The rules that a configuration sets, and the own words of its service. */
export type PasswordRules = Pick<
  Config,
  'passwordBlocklist' | 'passwordBreachCheck' | 'passwordBreachUrl' | 'appName' | 'baseUrl'
>;

type Check = (password: string, person: Person) => Promise<string | null>;

/**
 * Opens what the configured checks need. Without any, nothing is read and nothing is kept.
 * @throws {Error} when the filter file is missing or damaged; the message names it
 */
export async function openPasswordPolicy(config: PasswordRules, logger: Logger): Promise<PasswordPolicy> {
  const checks: Check[] = [];
  if (config.passwordBlocklist) checks.push(createBlocklist(config));
  const breaches = config.passwordBreachCheck;
  if (breaches === 'online') checks.push(createOnlineCheck(config, logger));
  else if (breaches !== 'off') checks.push(createFilterCheck(await openFilterFile(breaches)));
  return {
    async refusalOf(password, person) {
      for (const check of checks) {
        const refusal = await check(password, person);
        if (refusal !== null) return refusal;
      }
      return null;
    },
  };
}

/** Own words are first: they say more than that a password is common. */
function createBlocklist(config: PasswordRules): Check {
  const service = new Set(wordsOfService(config));
  const isCommon = createCommonPasswords();
  return async (password, person) => {
    const word = folded(password);
    if (wordsOfPerson(person).includes(word)) return refusals.person;
    if (service.has(word)) return refusals.service;
    return (await isCommon(word)) ? refusals.common : null;
  };
}

const createFilterCheck =
  (filter: PasswordFilter): Check =>
  async password =>
    filter.has(keyOf(sha1Of(password))) ? refusals.breached : null;

function createOnlineCheck({ passwordBreachUrl }: PasswordRules, logger: Logger): Check {
  return async password => {
    try {
      return (await isInRange(passwordBreachUrl, password)) ? refusals.breached : null;
    } catch (err) {
      // A password must be possible to set while somebody else's service is unavailable.
      logger.warn({ err }, 'the range service could not be asked; the password was not checked for breaches');
      return null;
    }
  };
}
