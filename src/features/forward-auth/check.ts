import type { Config } from '../../config/schema.ts';
import type { NamedFinding } from '../../validate/configuration/finding.ts';

/** Returns which proxies may ask, and whether that is anybody. */
export async function checkSettings({ trustedProxies, forwardAuthHosts }: Config): Promise<NamedFinding[]> {
  const all = trustedProxies.filter(range => range.endsWith('/0'));
  const others = forwardAuthHosts.length > 0 ? [forwardAuthHosts.join(', ')] : [];
  const finding: NamedFinding['finding'] =
    all.length > 0
      ? ['fail', `anybody can ask /forward-auth, because trusted_proxies contains ${all.join(' and ')}`]
      : [
          'ok',
          `/forward-auth answers ${[trustedProxies.join(', '), ...others].join(' about the host of base_url and ')}`,
        ];

  return [{ name: 'forward-auth', finding }];
}
