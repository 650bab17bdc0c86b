import { z } from 'zod';
import { duration, flag, issuer, line, pageUrl, secret } from './fields.ts';

/** The `[oauth]` table. */
export const oauth = z.strictObject({
  google_client_id: line().optional().describe('Client id at the provider'),
  google_client_secret: secret().optional().describe('Client secret at the provider'),
  google_redirect_uri: pageUrl()
    .optional()
    .describe(
      'Redirect URI registered with the provider; `{base_url}{api_prefix}/oauth/google/callback` when unset',
    ),
  google_issuer: issuer().default('https://accounts.google.com').describe('Any OpenID Connect issuer'),
  auto_link_verified_emails: flag(false).describe(
    'The same as `existing_email_policy = "auto_link_verified"`',
  ),
  existing_email_policy: z
    .enum(['refuse', 'auto_link_verified', 'create_new'], 'must be refuse, auto_link_verified or create_new')
    .optional()
    .describe('What happens when the address belongs to an account; `refuse` when unset'),
  state_ttl_seconds: duration(300).describe('Lifetime of a flow'),
  completion_ttl_seconds: duration(60).describe('Lifetime of a finished flow until it is exchanged'),
  enforce_mfa: flag(true).describe('Ask for the second factor after external sign-in too'),
});

/** The `[urls]` table: where mail links and redirects go. */
export const urls = z.strictObject({
  verify: pageUrl().optional().describe('Page that a verification link opens'),
  reset_password: pageUrl().optional().describe('Page that a reset link opens'),
  confirm_email_change: pageUrl().optional().describe('Page that an address-change link opens'),
  login: pageUrl().optional().describe('Login page, where failed external sign-ins land'),
  oauth_complete: pageUrl().optional().describe('Page that picks up a finished external sign-in'),
  account: pageUrl().optional().describe('Account page'),
});
