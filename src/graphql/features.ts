import type { Features } from '../services/features.ts';
import type { FeaturesView } from '../services/views.ts';
import type { Builder } from './builder.ts';
import { read } from './context.ts';

export function addFeatures(builder: Builder, features: Features): void {
  const FeaturesType = builder.objectRef<FeaturesView>('Features').implement({
    description: 'What this server has switched on.',
    fields: t => ({
      appName: t.exposeString('app_name'),
      registration: t.exposeBoolean('registration', { description: 'Whether new accounts can be made.' }),
      verificationRequired: t.exposeBoolean('verification_required'),
      passwordReset: t.exposeBoolean('password_reset'),
      accountDeletion: t.exposeBoolean('account_deletion'),
      sms2fa: t.exposeBoolean('sms_2fa'),
      oauth: t.exposeBoolean('oauth'),
      admin: t.exposeBoolean('admin'),
    }),
  });

  builder.queryField('features', t =>
    t.field({
      type: FeaturesType,
      nullable: true,
      description: 'Which features are on, so that an app can draw its forms.',
      resolve: (_, _args, context) => read(features.features, context),
    }),
  );
}
