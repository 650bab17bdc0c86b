import { z } from 'zod';
import { isLoopbackHost } from '../../config/loopback.ts';
import type { TogetherProblem } from '../../config/prefixes.ts';
import { flag, list } from '../../config/schema/fields.ts';
import type { Given } from '../../feature.ts';

/** A host as browsers send it: in lower case, with a port that is not the usual one. */
const host = z
  .string('must be a string')
  .regex(
    /^(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:]+\])(?::\d{1,5})?$/,
    'must be a host such as wiki.example.org or wiki.example.org:8443, in lower case and without a wildcard',
  );

export const settings = {
  enable_forward_auth: flag(false).describe(
    'A proxy in `trusted_proxies` can ask who is signed in, for applications behind it: `/forward-auth`',
  ),
  forward_auth_hosts: list(host).describe(
    'Hosts beside that of `base_url` whose proxies may ask; each as browsers send it',
  ),
};

/** Returns the problems with what it needs: a proxy that may ask, and hosts that keep the cookie. */
export function problemsOf(given: Given): TogetherProblem[] {
  const { enable_forward_auth: flag, trusted_proxies: proxies, base_url: baseUrl } = given;
  const hasProxies = Array.isArray(proxies) ? proxies.length > 0 : Boolean(proxies);
  const problems: TogetherProblem[] = [];
  if (flag === true && !hasProxies)
    problems.push({ path: ['trusted_proxies'], message: 'must name the proxy with enable_forward_auth' });
  const hosts = Array.isArray(given.forward_auth_hosts) ? given.forward_auth_hosts.map(String) : [];
  if (typeof baseUrl !== 'string' || !URL.canParse(baseUrl)) return problems;
  const site = new URL(baseUrl);
  const isPlain = site.protocol === 'http:';
  for (const name of hosts) {
    const path = ['forward_auth_hosts'];
    if (name === site.host) problems.push({ path, message: `contains ${name}, which is that of base_url` });
    else if (isPlain && !isLoopbackHost(name.replace(/:\d+$/, '')))
      problems.push({ path, message: `contains ${name}: with a base_url of http they must be of loopback` });
  }
  return problems;
}
