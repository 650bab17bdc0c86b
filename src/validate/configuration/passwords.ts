import { randomBytes } from 'node:crypto';
import type { Config } from '../../config/schema.ts';
import { openFilterFile } from '../../passwords/filter-file.ts';
import { isInRange } from '../../passwords/range-service.ts';
import { type Finding, reasonOf } from './finding.ts';

/** Checks what the rules for new passwords need: the filter file, or the range service, which is asked once. */
export async function checkPasswords(config: Config): Promise<Finding> {
  const { passwordMinLength, passwordBlocklist, passwordBreachCheck, passwordBreachUrl } = config;
  const rules = `${passwordMinLength} to 128 characters${passwordBlocklist ? ', no common ones, no own words' : ''}`;
  if (passwordBreachCheck === 'off') return ['ok', `${rules}; not checked for breaches`];
  if (passwordBreachCheck === 'online') {
    try {
      // A password that nobody has.
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
