import { environmentName } from '../../config/environment-name.ts';
import type { Config } from '../../config/schema.ts';
import { everyFeature } from '../../feature-parts.ts';
import type { Finding } from './finding.ts';

/** Checks which resources may ask about tokens and keys, while a feature uses resources. */
export function checkResources(config: Config): Finding[] {
  if (!everyFeature.some(feature => feature.usesResources && feature.isOn(config))) return [];
  return Object.entries(config.resources).map(([name, { secret }]) =>
    secret
      ? ['ok', `${name} may ask about tokens`]
      : [
          'warn',
          `${name} has no secret, and so can't ask about tokens (${environmentName(['resources', name, 'secret'])})`,
        ],
  );
}
