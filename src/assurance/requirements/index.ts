import type { Requirement } from '../needs.ts';
import { v6 } from './asvs-v6.ts';
import { v7 } from './asvs-v7.ts';
import { v9 } from './asvs-v9.ts';
import { v10 } from './asvs-v10.ts';
import { aal, accounts, sessions } from './sp800-63b.ts';
import { authenticators } from './sp800-63b-authenticators.ts';

/**
 * Every requirement, those that do not apply among them: the demands of OWASP ASVS 5.0.0 (V6, V7, V9, V10) and NIST
 * SP 800-63B-4, in our own words. Sections of SP 800-63B have no numbers within them: the part after `#` is ours.
 * Left out are TLS, federal agencies, biometrics, devices, AAL3 and organisations. A requirement of which a part is
 * not met is not met.
 */
export const requirements: readonly Requirement[] = [
  ...v6,
  ...v7,
  ...v9,
  ...v10,
  ...aal,
  ...authenticators,
  ...accounts,
  ...sessions,
];

/** Returns why no configuration meets a requirement; empty for one that a configuration meets. */
export function reasonOf(id: string): string {
  const verdict = requirements.find(each => each.id === id)?.verdict;
  return verdict && 'unmet' in verdict ? verdict.unmet : '';
}
