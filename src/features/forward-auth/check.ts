import type { Config } from '../../config/schema.ts';
import type { NamedFinding } from '../../validate/configuration/finding.ts';

/** Returns which proxies may ask, and whether that is anybody. */
export async function checkSettings({ trustedProxies }: Config): Promise<NamedFinding[]> {
  const all = trustedProxies.filter(range => range.endsWith('/0'));
  const finding: NamedFinding['finding'] =
    all.length > 0
      ? ['fail', `anybody can ask /forward-auth, because trusted_proxies contains ${all.join(' and ')}`]
      : ['ok', `/forward-auth answers ${trustedProxies.join(', ')}`];
  return [{ name: 'forward-auth', finding }];
}
