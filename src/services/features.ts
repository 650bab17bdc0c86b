import { z } from 'zod';
import type { Config } from '../config/schema.ts';
import { FeaturesView } from '../contract/views/features.ts';
import type { Dependencies } from '../domain/dependencies.ts';
import { everyFeature } from '../feature-parts.ts';
import { providersOf } from '../oauth/settings.ts';
import { textIn } from '../words/by-language.ts';
import { createLanguages } from '../words/languages.ts';

/** Returns which features a configuration switches on. */
export function featuresOf(config: Config): FeaturesView {
  const providers = providersOf(config);
  return FeaturesView.parse({
    app_name: config.appName,
    registration: config.allowRegistration,
    verification_required: config.requireVerification,
    password_reset: config.enablePasswordReset,
    account_deletion: config.enableAccountDeletion,
    sms_2fa: config.enableSms2fa,
    mfa_required: config.mfaRequired,
    session_list: config.enableSessionList,
    oauth: providers.length > 0,
    oauth_providers: providers.map(({ name, label, kind }) => ({ name, label, kind })),
    password_min_length: config.passwordMinLength,
    admin: config.enableAdminRouter,
    user_fields: Object.entries(config.userFields)
      .filter(([, { editableBy }]) => editableBy === 'user')
      .map(([name, { type, label, required, maxLength }]) => ({
        ...{ name, type, label, required },
        max_length: type === 'string' ? maxLength : null,
      })),
    locales: createLanguages(config).list(),
    default_locale: config.defaultLocale,
    ...Object.fromEntries(
      everyFeature.flatMap(({ shown, isOn }) => Object.keys(shown).map(name => [name, isOn(config)])),
    ),
  });
}

/** The features that an app may know before sign-in. */
export function createFeatures({ config, define }: Dependencies) {
  const view = featuresOf(config);
  const hasLabels = Object.values(config.userFields).some(({ labels }) => labels !== undefined);
  const features = define(
    {
      name: 'features',
      at: 'GET /features',
      summary: 'Which features are switched on, so that an application can draw its forms.',
      description: 'It needs no session, and changes only with the configuration.',
      access: { kind: 'anyone' },
      input: z.strictObject({}),
      output: FeaturesView,
      audited: false,
      errors: [],
    },
    async (_input, { caller }) => {
      const locale = hasLabels ? caller.reply?.speak?.().locale : undefined;
      if (locale === undefined) return view;
      const labelOf = (name: string) => {
        const { label, labels = label } = config.userFields[name]!;
        return textIn(labels, locale, config.defaultLocale);
      };
      return {
        ...view,
        user_fields: view.user_fields.map(each => ({ ...each, label: labelOf(each.name) })),
      };
    },
  );
  return { features };
}
