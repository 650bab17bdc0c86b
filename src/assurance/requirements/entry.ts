import type { Condition, Level, Need, Requirement, Shown, Verdict, Way } from '../needs.ts';
import * as set from '../settings.ts';
import { during, duringCodes } from '../settings.ts';

type Test = Shown['tests'][number];
type Doc = NonNullable<Shown['docs']>[number];

interface Applies {
  arises?: readonly Condition[];
  host?: Need;
}

export const always = (tests: readonly Test[], docs: readonly Doc[] = []): Verdict => ({
  always: { tests, docs },
});
export const needs = (ways: readonly Way[], tests: readonly Test[], docs: readonly Doc[] = []): Verdict => ({
  needs: ways,
  shown: { tests, docs },
});
export const not = (why: string): Verdict => ({ not: why });
export const unmet = (why: string): Verdict => ({ unmet: why });

const fromAsvs: readonly (readonly Level[])[] = [
  ['asvs-1', 'asvs-2', 'asvs-3'],
  ['asvs-2', 'asvs-3'],
  ['asvs-3'],
];

/** A requirement of ASVS of this level and those above. */
export const asvs = (
  level: 1 | 2 | 3,
  id: string,
  words: string,
  verdict: Verdict,
  applies: Applies = {},
): Requirement => ({
  id: `asvs/${id}`,
  levels: fromAsvs[level - 1]!,
  words,
  verdict,
  ...applies,
});

/** A requirement of SP 800-63B-4, of AAL1 and AAL2, or of AAL2 alone. */
export const nist = (
  aal: 1 | 2,
  id: string,
  words: string,
  verdict: Verdict,
  applies: Applies = {},
): Requirement => ({
  id: `63b/${id}`,
  levels: aal === 1 ? ['aal1', 'aal2'] : ['aal2'],
  words,
  verdict,
  ...applies,
});

export const oauth: Applies = { arises: [during.oauth] };
export const texts: Applies = { arises: [during.texts] };
export const apps: Applies = { arises: [during.apps] };
export const passkeys: Applies = { arises: [during.passkeys] };
export const codes: Applies = { arises: duringCodes };
export const factors: Applies = { arises: [...duringCodes, during.texts] };
export const tokens: Applies = { arises: [during.tokens] };
export const onPages: Applies = { host: set.pages };

export const noProvider = not(
  'Gatehouse is no OAuth or OpenID provider: it has no clients, no grants and no consent.',
);
export const twoAddresses = unmet('An account has one address.');

export const twoFactors: Way = [set.everyoneTwoFactors, set.twoFactorsFromOutside];
export const agesAtProviders: Way = [set.oldWhereUnknown, ...set.ageAtProviders];
export const notices: Way = [set.mails, set.mailboxes];
