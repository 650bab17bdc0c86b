import type { FeatureParts, OpenFeature } from '../../composition/open-feature.ts';
import { ConfigError } from '../../errors.ts';
import { say } from '../../words/said.ts';
import { keyOf, sha1Of } from './filter.ts';
import { openFilterFile } from './filter-file.ts';
import { isInRange } from './range-service.ts';

export { checkSettings } from './check.ts';

const refusal = say('field_breached');

/**
 * Adds the check to the rules for new passwords.
 * @throws {ConfigError} when the filter file is missing or damaged; the message names it
 */
export async function open({ config, logger, passwordPolicy }: FeatureParts): Promise<OpenFeature> {
  const { passwordBreachCheck, passwordBreachUrl } = config;
  if (passwordBreachCheck === 'online') {
    passwordPolicy.refuseWith(async password => {
      try {
        return (await isInRange(passwordBreachUrl, password)) ? refusal : null;
      } catch (err) {
        // A password must be possible to set while somebody else's service is unavailable.
        logger.warn(
          { err },
          'the range service could not be asked; the password was not checked for breaches',
        );
        return null;
      }
    });
  } else {
    const filter = await openFilterFile(passwordBreachCheck).catch(asConfigError);
    passwordPolicy.refuseWith(async password => (filter.has(keyOf(sha1Of(password))) ? refusal : null));
  }
  return {};
}

function asConfigError(error: unknown): never {
  const message = `${(error as Error).message}; it must be off, online, or the path of a filter file`;
  throw new ConfigError([{ source: 'configuration', key: 'password_breach_check', message }]);
}
