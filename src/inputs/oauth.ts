import { z } from 'zod';
import { token } from './fields.ts';

const provider = z
  .string()
  .max(100, 'is not a provider')
  .meta({ examples: ['google'] });

/** A page to go to afterwards; whether it is ours is checked against `base_url`. */
const redirectTo = z
  .string()
  .max(2000, 'is too long')
  .meta({ examples: ['/account/me'] })
  .nullish();

/** RFC 7636 §4.2: the S256 challenge of a verifier. */
const codeChallenge = z
  .string()
  .regex(/^[A-Za-z0-9_-]{43}$/, 'must be an S256 code challenge')
  .nullish();

/** RFC 7636 §4.1; one that does not fit is refused as a wrong one is. */
const codeVerifier = z.string().max(200, 'is too long').nullish();

export const StartOAuthSignInInput = z.strictObject({
  provider,
  redirect_to: redirectTo,
  code_challenge: codeChallenge,
});
export const StartOAuthLinkInput = z.strictObject({ provider, redirect_to: redirectTo });
export const ExchangeOAuthInput = z.strictObject({ id: token, code_verifier: codeVerifier });
export const UnlinkOAuthInput = z.strictObject({ provider });

/** What a provider's redirect brings; providers add parameters, so others are ignored. */
export const OAuthCallbackInput = z.object({
  provider: z.string(),
  code: z.string().optional().catch(undefined),
  state: z.string().optional().catch(undefined),
  error: z.string().optional().catch(undefined),
});
