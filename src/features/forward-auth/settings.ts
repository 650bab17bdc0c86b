import type { TogetherProblem } from '../../config/prefixes.ts';
import { flag } from '../../config/schema/fields.ts';
import type { Given } from '../../feature.ts';

export const settings = {
  enable_forward_auth: flag(false).describe(
    'A proxy in `trusted_proxies` can ask who is signed in, for applications behind it: `/forward-auth`',
  ),
};

const isOn = (value: unknown) => value === true || value === 'true';

/** Returns a problem where no proxy may ask. */
export function problemsOf({
  enable_forward_auth: flag,
  trusted_proxies: proxies,
}: Given): TogetherProblem[] {
  const hasProxies = Array.isArray(proxies) ? proxies.length > 0 : Boolean(proxies);
  if (!isOn(flag) || hasProxies) return [];
  return [{ path: ['trusted_proxies'], message: 'must name the proxy with enable_forward_auth' }];
}
