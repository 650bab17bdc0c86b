import type { TogetherProblem } from '../../config/prefixes.ts';
import { flag, isSecureSite } from '../../config/schema/fields.ts';
import type { Given } from '../../feature.ts';

export const settings = {
  enable_browser_sessions: flag(false).describe(
    'The session is known to pages that the host renders, by a cookie that the API never reads',
  ),
};

/** Returns a problem when browsers would not keep the cookie: outside of loopback they need https. */
export function problemsOf({ enable_browser_sessions: isOn, base_url: baseUrl }: Given): TogetherProblem[] {
  if (isOn !== true) return [];
  if (typeof baseUrl !== 'string' || !URL.canParse(baseUrl) || isSecureSite(baseUrl)) return [];
  const message =
    'must be https with enable_browser_sessions, whose cookie browsers keep only then; http is for loopback';
  return [{ path: ['base_url'], message }];
}
