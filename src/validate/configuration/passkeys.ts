import type { Config } from '../../config/schema.ts';
import type { Finding } from './finding.ts';

/** Says which domain passkeys belong to, and names the origins on which browsers need its consent. */
export function checkPasskeys({ enablePasskeys, passkeys: { rpId, origins } }: Config): Finding {
  if (!enablePasskeys) return ['skip', 'are off (enable_passkeys)'];
  const isWithin = (host: string) => host === rpId || host.endsWith(`.${rpId}`);
  const related = origins.filter(origin => !isWithin(new URL(origin).hostname));
  if (related.length === 0) return ['ok', `belong to ${rpId}, on the pages of ${origins.join(', ')}`];
  return [
    'warn',
    `belong to ${rpId}: browsers use them on ${related.join(', ')} only if https://${rpId}/.well-known/webauthn names it`,
  ];
}
