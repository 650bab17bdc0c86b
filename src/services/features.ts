import { z } from 'zod';
import { googleOptions } from '../oauth/google.ts';
import type { Dependencies } from './dependencies.ts';
import { FeaturesView } from './views.ts';

export type Features = ReturnType<typeof createFeatures>;

/** What an app may know before anybody signs in. */
export function createFeatures({ config, define }: Dependencies) {
  const view: FeaturesView = {
    app_name: config.appName,
    registration: config.allowRegistration,
    verification_required: config.requireVerification,
    password_reset: config.enablePasswordReset,
    account_deletion: config.enableAccountDeletion,
    sms_2fa: config.enableSms2fa,
    oauth: config.enableOauth && googleOptions(config) !== null,
    admin: config.enableAdminRouter,
  };
  const features = define(
    {
      name: 'features',
      access: 'anyone',
      input: z.strictObject({}),
      answers: FeaturesView,
      audited: false,
      errors: [],
    },
    async () => view,
  );
  return { features };
}
