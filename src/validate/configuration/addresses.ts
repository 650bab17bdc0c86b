import { isLoopbackHost } from '../../config/loopback.ts';
import type { Config } from '../../config/schema.ts';
import { usedLinks } from '../../config/warnings.ts';
import type { Finding } from './finding.ts';

/** Checks the targets of links in emails and of redirects. */
export function checkAddresses(config: Config): Finding[] {
  const { urls, email } = config;
  const used = usedLinks(config).map(key => new URL(urls[key]));
  const origins = [...new Set(used.map(url => url.origin))];
  const findings: Finding[] = [['ok', `links in emails and redirects lead to ${origins.join(', ')}`]];

  const open = used.filter(({ protocol, hostname }) => protocol === 'http:' && !isLoopbackHost(hostname));
  if (open.length > 0) {
    findings.push([
      'warn',
      `links use plain http to ${[...new Set(open.map(({ host }) => host))].join(', ')}`,
    ]);
  }
  const { jwtAudience: audience, baseUrl } = config;
  if (audience !== undefined && audience !== new URL(baseUrl).origin) {
    findings.push(['warn', `jwt_audience is ${audience}, and not the origin of base_url`]);
  }
  const local = used.some(({ hostname }) => isLoopbackHost(hostname));
  if (local && email.backend !== 'console') {
    findings.push([
      'warn',
      'links in emails lead to this machine itself: set base_url to the address that people use',
    ]);
  }
  return findings;
}
