import type { TogetherProblem } from '../../config/prefixes.ts';
import type { Given } from '../../feature.ts';

const isOn = (value: unknown) => value === true || value === 'true';

/** Returns a problem without the list of sessions, which tells where an account was used before the notices were on. */
export const problemsOf = (given: Given): TogetherProblem[] =>
  isOn(given.notify_new_sign_in) && !isOn(given.enable_session_list)
    ? [{ path: ['notify_new_sign_in'], message: 'needs enable_session_list = true' }]
    : [];
