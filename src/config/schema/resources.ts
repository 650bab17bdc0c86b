import { z } from 'zod';
import { flag, lineByLanguage, list, secret, whole } from './fields.ts';

/** The algorithms of signatures that anybody can check with a published key (RFC 7518 §3.1, RFC 8037 §3.1). */
export const signingAlgorithms = ['ES256', 'RS256', 'EdDSA'] as const;
export type SigningAlgorithm = (typeof signingAlgorithms)[number];

export const signingAlgorithm = () => z.enum(signingAlgorithms, 'must be ES256, RS256 or EdDSA');

/** The lifetime of an access token, in seconds. */
export const accessTokenTtl = () => whole(30, 3600);

/** Scheme and path of RFC 3986 §4.3, of characters that a header and a claim carry unchanged. */
const absoluteUri = /^[A-Za-z][A-Za-z0-9+.-]*:[A-Za-z0-9._~:/@!$&'()*+,;=[\]%-]+$/;

/** Characters of a scope (RFC 6749 §3.3). */
const scopeName = /^[!#-[\]-~]{1,64}$/;

const introspectionSecret = () =>
  secret(
    z
      .string('must be a string')
      .regex(
        /^[A-Za-z0-9._~-]{32,128}$/,
        'must be 32 to 128 letters, digits, dots, hyphens, underscores and tildes',
      ),
  ).meta({ isKeptOutOfFiles: true, madeBy: 'openssl rand -hex 32' });

/** A `[resources.NAME]` table: an API that checks the tokens of Gatehouse (CONTRACT §16.1). */
export const resource = z.strictObject({
  identifier: z
    .string('must be a string')
    .refine(
      text => absoluteUri.test(text) && URL.canParse(text),
      'must be an absolute URI without query and fragment, such as https://api.example.org',
    )
    .describe('Audience of its tokens: an absolute URI without query and fragment'),
  label: lineByLanguage()
    .optional()
    .describe('Its name for people, or a table of it by language; NAME when unset'),
  scopes: z
    .record(
      z
        .string()
        .regex(scopeName, 'must be a name of 1 to 64 printable ASCII characters without spaces, " and \\'),
      lineByLanguage(),
      'must be a table of scopes: name = "what people read"',
    )
    .refine(scopes => Object.keys(scopes).length > 0, 'must name at least one scope')
    .meta({ isValue: true })
    .describe(
      'Its scopes: name = "what people read", or a table of that by language. In the environment a JSON object',
    ),
  claims: list(z.string('must be a string')).describe(
    'Data of the person in its tokens: `email`, `email_verified`, `name`, `roles` and own fields',
  ),
  signing_algorithm: signingAlgorithm()
    .optional()
    .describe('Signs its tokens: one of `signing_algorithms`, the first of them when unset'),
  token_ttl_seconds: accessTokenTtl()
    .optional()
    .describe('Lifetime of its tokens; `access_token_ttl_seconds` when unset'),
  acr: z
    .enum(['aal2', 'phr'], 'must be aal2 or phr')
    .optional()
    .describe('The least strength of the sign-in: `aal2` (two factors) or `phr` (a passkey)'),
  max_age_seconds: whole(1).optional().describe('The greatest age of the sign-in'),
  secret: introspectionSecret().optional().describe('Its password at `/oauth2/introspect`'),
  secret_previous: introspectionSecret()
    .optional()
    .describe('While both are set, either of them is right: for a rotation'),
  for_sessions: flag(true).describe(
    'Whether sessions and API keys may have its tokens and scopes; else only the program of the host',
  ),
});
