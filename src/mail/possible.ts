import { factorsOf } from '../config/factors.ts';
import type { Config } from '../config/schema.ts';
import { everyFeature } from '../feature-parts.ts';
import type { Act } from './define.ts';
import type { MailName } from './mails.ts';

const hasFactors = (config: Config) => factorsOf(config).length > 0;

/** When emails are sent at all; those that are absent are sent with every configuration. */
const conditions: Partial<Record<MailName, (config: Config) => boolean>> = {
  passwordReset: config => config.enablePasswordReset,
  addressTaken: config => config.enumerationSafeRegistration,
  passwordBlocked: config => config.maxConsecutiveFailures > 0,
  phoneSet: config => config.enableSms2fa,
  phoneRemoved: config => config.enableSms2fa,
  identityLinked: config => config.enableOauth,
  identityUnlinked: config => config.enableOauth,
  authenticatorAdded: hasFactors,
  authenticatorRemoved: hasFactors,
  recoveryCodeUsed: hasFactors,
  recoveryCodesReplaced: hasFactors,
  secondStepFailed: config => hasFactors(config) || config.enableSms2fa,
};

/** Returns whether an email can be sent with this configuration, after an act by such a person. */
export function isPossible(config: Config, name: MailName, by: Act['by'] | undefined): boolean {
  if (by === 'admin' && !config.enableAdminRouter) return false;
  if (by === 'self' && name === 'accountDeleted' && !config.enableAccountDeletion) return false;
  const feature = everyFeature.find(({ mails }) => Object.hasOwn(mails, name));
  return (feature?.isOn(config) ?? true) && (conditions[name]?.(config) ?? true);
}
