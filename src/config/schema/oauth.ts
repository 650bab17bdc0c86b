import { z } from 'zod';
import { duration, flag, issuer, line, outsideOfTests, pageUrl, secret, whole } from './fields.ts';
import { provider } from './providers.ts';

/** The `[oauth]` table. */
export const oauth = z.strictObject({
  google_client_id: line().optional().describe('Client id at the provider'),
  google_client_secret: secret().optional().describe('Client secret at the provider'),
  google_redirect_uri: pageUrl()
    .optional()
    .describe(
      'Redirect URI registered with the provider; `{base_url}{api_prefix}/oauth/google/callback` when unset',
    ),
  google_label: line().default('Google').describe('Name of the provider in pages and emails'),
  ...outsideOfTests({
    google_issuer: issuer()
      .default('https://accounts.google.com')
      .describe('Issuer URL of any OpenID Connect provider'),
  }),
  google_max_age_seconds: whole(0)
    .default(0)
    .describe('How long ago people may have signed in at the provider; 0 means any time'),
  unknown_sign_in_age: z
    .enum(['recent', 'old'], 'must be recent or old')
    .default('recent')
    .describe('Whether a sign-in is recent when the provider does not say how long ago it was'),
  require_code_challenge: flag(false).describe(
    'Signing in with a provider, and linking one, must be ended by the browser that started it (`code_challenge`)',
  ),
  auto_link_verified_emails: flag(false).describe(
    'The same as `existing_email_policy = "auto_link_verified"`',
  ),
  existing_email_policy: z
    .enum(['refuse', 'auto_link_verified', 'create_new'], 'must be refuse, auto_link_verified or create_new')
    .optional()
    .describe('Policy when the address already belongs to an account; `refuse` when unset'),
  state_ttl_seconds: duration(300).describe('Lifetime of an external sign-in in progress'),
  completion_ttl_seconds: duration(60).describe('Time to exchange a finished external sign-in'),
  enforce_mfa: flag(true).describe('Require the second factor after external sign-in too'),
  providers: z.record(z.string(), provider).default({}),
});

/** The `[urls]` table: the targets of links in emails and of redirects. */
export const urls = z.strictObject({
  verify: pageUrl().optional().describe('Page that a verification link opens'),
  reset_password: pageUrl().optional().describe('Page that a reset link opens'),
  accept_invitation: pageUrl().optional().describe('Page that an invitation opens'),
  confirm_email_change: pageUrl().optional().describe('Page that an address-change link opens'),
  not_me: pageUrl().optional().describe('Page that a link "this was not me" opens'),
  login: pageUrl().optional().describe('Login page; also the target of failed external sign-ins'),
  oauth_complete: pageUrl().optional().describe('Page that exchanges a finished external sign-in'),
  account: pageUrl().optional().describe('Account page'),
});
