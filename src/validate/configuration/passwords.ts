import type { Config } from '../../config/schema.ts';
import { longestPassword } from '../../password-text.ts';

/** Returns the rules for new passwords in words, beside those of features. */
export const rulesForPasswords = ({ passwordMinLength, passwordBlocklist }: Config): string =>
  `${passwordMinLength} to ${longestPassword} characters${passwordBlocklist ? ', no common ones, no own words' : ''}`;
