import { z } from 'zod';
import { token } from './fields.ts';
import { field } from './refused.ts';

export const provider = z
  .string()
  .max(100, field('provider'))
  .meta({ examples: ['google'], description: 'The name of the identity provider.' });

/** A page to go to afterwards. Whether it belongs to this site is checked against `base_url`. */
const redirectTo = z
  .string()
  .max(2000, field('too_long__value'))
  .meta({ examples: ['/account/me'] })
  .nullish()
  .describe('A page of this site; the account page when absent.');

/** RFC 7636 §4.2: the S256 challenge of a verifier. */
const codeChallenge = z
  .string()
  .regex(/^[A-Za-z0-9_-]{43}$/, field('code_challenge'))
  .nullish()
  .describe(
    'S256 (RFC 7636): the end of the flow then needs the verifier. `oauth.require_code_challenge` requires it.',
  );

/** RFC 7636 §4.1; a malformed verifier is refused in the same way as a wrong one. */
const codeVerifier = z
  .string()
  .max(200, field('too_long__value'))
  .nullish()
  .describe('Required where the flow was started with a challenge.');

/** OpenID Connect Core §3.1.2.1. */
const maxAge = z
  .int()
  .min(0, field('too_small'))
  .max(31_536_000, field('too_large'))
  .nullish()
  .describe(
    'How many seconds ago people may have signed in at the provider; beyond that it asks them again.',
  );

export const StartOAuthSignInInput = z.strictObject({
  provider,
  redirect_to: redirectTo,
  code_challenge: codeChallenge,
  max_age: maxAge,
});

/** @param takesChallenge `oauth.require_code_challenge`; without it the input is as SPEC.md has it */
export const startOAuthLinkInput = (
  takesChallenge: boolean,
): z.ZodType<{
  provider: string;
  redirect_to?: string | null | undefined;
  code_challenge?: string | null | undefined;
}> => {
  const input = z.strictObject({ provider, redirect_to: redirectTo });
  return takesChallenge ? input.extend({ code_challenge: codeChallenge }) : input;
};
export const FinishOAuthLinkInput = z.strictObject({
  id: token.describe('The `id` of the address that the link came back to.'),
  code_verifier: codeVerifier,
});
export const ExchangeOAuthInput = z.strictObject({
  id: token.describe('The `id` of the address that the sign-in ended at.'),
  code_verifier: codeVerifier,
});
export const UnlinkOAuthInput = z.strictObject({ provider });

/** The query of a provider's redirect; providers add parameters, so unknown ones are ignored. */
export const OAuthCallbackInput = z.object({
  provider: z.string().describe('The name of the identity provider.'),
  code: z.string().optional().catch(undefined).describe('The authorization code of the provider.'),
  state: z.string().optional().catch(undefined).describe('The state of the start of this sign-in.'),
  error: z.string().optional().catch(undefined).describe('Why the sign-in at the provider failed.'),
  // A value that is not a single text belongs to no issuer, and must not count as absent.
  iss: z.string().optional().catch('').describe('The issuer (RFC 9207), where the provider sends it.'),
  user: z
    .string()
    .max(2000)
    .optional()
    .catch(undefined)
    .describe('The name of the person, which Apple sends once.'),
});
