import type { TogetherProblem } from '../../config/prefixes.ts';
import type { Given } from '../../feature.ts';

const isOn = (value: unknown) => value === true || value === 'true';

/**
 * Returns a problem where a setting lacks the one that it needs: the list of sessions tells where an account was used before
 * the notices were on, and the notices store the places that the lockout spares.
 */
export const problemsOf = (given: Given): TogetherProblem[] =>
  Object.entries(needs)
    .filter(([setting, needed]) => isOn(given[setting]) && !isOn(given[needed]))
    .map(([setting, needed]) => ({ path: [setting], message: `needs ${needed} = true` }));

const needs = {
  notify_new_sign_in: 'enable_session_list',
  lockout_spares_known_places: 'notify_new_sign_in',
};
