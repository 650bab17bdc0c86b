import type { Config } from '../../config/schema.ts';
import type { Finding } from './finding.ts';

/** Checks which proxies are trusted to name a client's address, by which rate limits count. */
export function checkProxies({ behindProxy, trustedProxies }: Config): Finding {
  if (trustedProxies.length === 0) {
    return behindProxy
      ? [
          'warn',
          'behind_proxy is on and trusted_proxies is empty: svc serve does not start with this, because all clients would count as one (a host application trusts proxies by its own settings)',
        ]
      : ['ok', 'none is trusted: limits count by the address that connects'];
  }
  const all = trustedProxies.filter(range => range.endsWith('/0'));
  if (all.length > 0) {
    return [
      'warn',
      `trusted_proxies contains ${all.join(' and ')}, which covers everybody: any client can choose the address that it is counted by`,
    ];
  }
  return ['ok', `trusted to name the client in X-Forwarded-For: ${trustedProxies.join(', ')}`];
}
