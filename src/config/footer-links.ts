import type { TogetherProblem } from './prefixes.ts';

/** A name that is a number would come first in JavaScript, wherever it is written. */
const validName = /^[A-Za-z][A-Za-z0-9_-]*$/;

/** Returns the problems of the `[footer_links.NAME]` tables that their schema does not find. */
export function footerLinkProblems(tables: unknown): TogetherProblem[] {
  if (typeof tables !== 'object' || tables === null) return [];
  const message = 'must have a name of letters, digits, hyphens and underscores that begins with a letter';
  return Object.keys(tables)
    .filter(name => !validName.test(name))
    .map(name => ({ path: ['footer_links', name], message }));
}
