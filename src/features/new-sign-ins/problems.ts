import type { TogetherProblem } from '../../config/prefixes.ts';
import type { Given } from '../../feature.ts';

/**
 * Returns a problem where a setting lacks the one that it needs: the list of sessions tells where an account was used before
 * the notices were on, and the notices store the places that the lockout spares.
 */
export const problemsOf = (given: Given): TogetherProblem[] => [
  ...(given.notify_new_sign_in === true && given.enable_session_list !== true
    ? [{ path: ['notify_new_sign_in'], message: 'needs enable_session_list = true' }]
    : []),
  ...(given.lockout_spares_known_places === true && given.notify_new_sign_in !== true
    ? [{ path: ['lockout_spares_known_places'], message: 'needs notify_new_sign_in = true' }]
    : []),
];
