import { randomBytes } from 'node:crypto';
import type { Config } from '../../config/schema.ts';
import { type Finding, type NamedFinding, reasonOf } from '../../validate/configuration/finding.ts';
import { rulesForPasswords } from '../../validate/configuration/passwords.ts';
import { openFilterFile } from './filter-file.ts';
import { isInRange } from './range-service.ts';

/** Checks the filter file, or asks the range service once. */
export async function checkSettings(config: Config): Promise<NamedFinding[]> {
  return [{ name: 'passwords', finding: await findingOf(config) }];
}

async function findingOf(config: Config): Promise<Finding> {
  const { passwordBreachCheck, passwordBreachUrl } = config;
  const rules = rulesForPasswords(config);
  if (passwordBreachCheck === 'online') {
    try {
      // A password that is not in use.
      await isInRange(passwordBreachUrl, randomBytes(32).toString('base64url'));
      return ['ok', `${rules}; ${passwordBreachUrl} knows those of breaches`];
    } catch (error) {
      // New passwords are let through meanwhile.
      return ['warn', `${passwordBreachUrl} can't be asked for breaches: ${reasonOf(error)}`];
    }
  }
  try {
    const { entries, falsePositives } = await openFilterFile(passwordBreachCheck);
    const rate = `1 of ${Math.round(1 / falsePositives).toLocaleString('en')} others is refused by mistake`;
    return [
      'ok',
      `${rules}; ${passwordBreachCheck} knows ${entries.toLocaleString('en')} of breaches, ${rate}`,
    ];
  } catch (error) {
    return ['fail', `password_breach_check: ${reasonOf(error)}`];
  }
}
