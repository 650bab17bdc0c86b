import type { Config } from '../../config/schema.ts';
import type { Finding, NamedFinding } from '../../validate/configuration/finding.ts';

/** Says which domain passkeys belong to, and names the origins on which browsers need its consent. */
export const checkSettings = async (config: Config): Promise<NamedFinding[]> => [
  { name: 'passkeys', finding: checkPasskeys(config) },
];

function checkPasskeys({ passkeys: { rpId, origins } }: Pick<Config, 'passkeys'>): Finding {
  const isWithin = (host: string) => host === rpId || host.endsWith(`.${rpId}`);
  const related = origins.filter(origin => !isWithin(new URL(origin).hostname));
  if (related.length === 0) return ['ok', `belong to ${rpId}, on the pages of ${origins.join(', ')}`];
  return [
    'warn',
    `belong to ${rpId}: browsers use them on ${related.join(', ')} only if https://${rpId}/.well-known/webauthn names it`,
  ];
}
