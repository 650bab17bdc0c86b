import { z } from 'zod';
import { flag, issuerTemplate, line, list, outsideOfTests, secret, secureUrl, whole } from './fields.ts';

/** The kinds of identity providers. */
export const providerKinds = ['oidc', 'github', 'apple', 'microsoft'] as const;
export type ProviderKind = (typeof providerKinds)[number];

/** An `[oauth.providers.NAME]` table: an identity provider (CONTRACT §13). */
export const provider = z.strictObject({
  kind: z
    .enum(providerKinds, 'must be oidc, github, apple or microsoft')
    .default('oidc')
    .describe('`oidc` (OpenID Connect), `github`, `apple` or `microsoft`'),
  label: line().optional().describe('Name on the button and in emails; made from kind or name when unset'),
  client_id: line()
    .optional()
    .describe('Client id at the provider; for Apple the identifier of the Services ID'),
  client_secret: secret().optional().describe('Client secret at the provider; not for `apple`'),
  ...outsideOfTests({
    issuer: issuerTemplate()
      .optional()
      .describe('Issuer URL, required for `oidc`; for `microsoft` a template with `{tenant}`'),
  }),
  tenant: z
    .string('must be a string')
    .regex(
      /^[A-Za-z0-9][A-Za-z0-9.-]{0,252}$/,
      'must be the id or a domain of a tenant, or common, organizations or consumers',
    )
    .optional()
    .describe('`microsoft`: who may sign in, by tenant; `common` (everybody) when unset'),
  client_auth: z
    .enum(
      ['client_secret_basic', 'client_secret_post', 'none'],
      'must be client_secret_basic, client_secret_post or none',
    )
    .optional()
    .describe('`oidc`: how the token endpoint is told who asks; `client_secret_basic` when unset'),
  scopes: list(line().regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/, "can't contain spaces or quotes")).describe(
    'Scopes to ask for; those for an address when empty',
  ),
  trust_email: flag(false).describe('Take every address of this provider for verified, whatever it says'),
  max_age_seconds: whole(0)
    .optional()
    .describe('How long ago people may have signed in there; 0, or unset, means any time. Not for `github`'),
  ...outsideOfTests({
    authorization_url: secureUrl().optional().describe('`github`: the page of an installation of its own'),
    token_url: secureUrl().optional().describe('`github`: the token endpoint of an installation of its own'),
    api_url: secureUrl().optional().describe('`github`: the API of an installation of its own'),
  }),
  team_id: line().optional().describe('`apple`: the id of the team'),
  key_id: line().optional().describe('`apple`: the id of the key'),
  private_key: secret().optional().describe('`apple`: the key in PEM; line breaks may be written as `\\n`'),
});
