import { z } from 'zod';
import { featuresShown } from '../../feature-parts.ts';
import { count } from './fields.ts';

/** An identity provider as a sign-in form shows it (CONTRACT §13). */
const OAuthProviderView = z
  .object({
    name: z.string().describe('The name that the API knows it by, such as `google`.'),
    label: z.string().describe('The name that people know it by.'),
    kind: z.enum(['oidc', 'github', 'apple', 'microsoft']).meta({
      id: 'OAuthProviderKind',
      description: 'What it speaks: `oidc` (OpenID Connect), `github`, `apple` or `microsoft`.',
      values: {
        oidc: 'OpenID Connect.',
        github: 'The OAuth of GitHub.',
        apple: 'Sign in with Apple.',
        microsoft: 'The Microsoft identity platform.',
      },
    }),
  })
  .meta({ id: 'OAuthProvider', description: 'An identity provider that people can sign in with.' });

/** An own field that people may edit, for the forms of an app. */
const EditableFieldView = z
  .object({
    name: z.string().describe('As the configuration writes it; GraphQL has it in camelCase.'),
    type: z.enum(['string', 'number', 'boolean', 'date']).meta({
      id: 'EditableFieldType',
      description: '`string`, `number`, `boolean` or `date`.',
      values: {
        string: 'A text.',
        number: 'A number.',
        boolean: 'True or false.',
        date: 'A day: `2026-01-31`.',
      },
    }),
    label: z.string().describe('What a form calls it.'),
    required: z.boolean().describe('Whether registration needs it.'),
    max_length: count.nullable().describe('The longest text, in characters; null for other types.'),
  })
  .meta({ id: 'EditableField', description: 'An own field of this application that people may edit.' });

/** A language, as a switch shows it. */
const LocaleView = z
  .object({
    tag: z
      .string()
      .describe('As in BCP 47: `pt-BR`.')
      .meta({ examples: ['en'] }),
    name: z
      .string()
      .describe('In the language itself: `Deutsch`.')
      .meta({ examples: ['English'] }),
    direction: z.enum(['ltr', 'rtl']).meta({
      id: 'Direction',
      description: 'The direction of a script: `ltr` or `rtl`.',
      values: { ltr: 'From left to right.', rtl: 'From right to left.' },
    }),
  })
  .meta({ id: 'Locale', description: 'A language that people can choose.' });

/** Which features are on, so that an app can build its forms. */
export const FeaturesView = z
  .object({
    app_name: z.string().describe('The name of the application, for its pages.'),
    registration: z.boolean().describe('Whether new accounts can be created.'),
    verification_required: z
      .boolean()
      .describe('Whether an address must be verified before the first sign-in.'),
    password_reset: z.boolean().describe('Whether a password can be reset by email.'),
    account_deletion: z.boolean().describe('Whether people can delete their account.'),
    sms_2fa: z.boolean().describe('Whether a phone can be set up as the second factor.'),
    mfa_required: z.enum(['off', 'superusers', 'everyone']).meta({
      id: 'MfaRequirement',
      description:
        'Whose accounts must have a second factor or a passkey: `off`, `superusers` or `everyone`.',
      values: {
        off: 'No account must have one.',
        superusers: 'Accounts that may use administration.',
        everyone: 'Every account.',
      },
    }),
    session_list: z.boolean().describe('Whether people can see their sessions.'),
    oauth: z.boolean().describe('Whether people can sign in with an identity provider.'),
    oauth_providers: z
      .array(OAuthProviderView)
      .describe('The identity providers, in the order of their buttons.'),
    password_min_length: count.describe('The fewest characters of a new password.'),
    admin: z.boolean().describe('Whether administration is available.'),
    user_fields: z
      .array(EditableFieldView)
      .describe('The own fields of this application that people may edit.'),
    locales: z.array(LocaleView).describe('The languages that people can choose, in the order of a switch.'),
    default_locale: z.string().describe('The language for whom none of them is known.'),
    ...featuresShown,
  })
  .meta({ id: 'Features', description: 'What this server has switched on.' });
export type FeaturesView = z.infer<typeof FeaturesView>;
