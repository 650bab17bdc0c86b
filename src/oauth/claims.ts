import type { IDToken } from 'openid-client';
import { type ExternalIdentity, failedCheck, ProviderError } from './provider.ts';

/** The tolerated difference to the provider's clock, in seconds. */
export const clockToleranceSeconds = 30;
/** Longer values of `acr` and `amr`, and those with spaces, are no names of methods, and are not recorded. */
const longestName = 200;
const mostMethods = 20;

/**
 * Returns what an ID token says about how and when the person signed in.
 * @throws {ProviderError} id_token_failed, when that is longer ago than was asked for
 */
export function signInOf(
  { auth_time, acr, amr }: IDToken,
  maxAge: number | null,
): Pick<ExternalIdentity, 'signedInSecondsAgo' | 'acr' | 'amr'> {
  const signedInSecondsAgo =
    typeof auth_time === 'number' ? Math.max(0, Math.floor(Date.now() / 1000) - auth_time) : null;
  // OpenID Connect Core §3.1.3.7, 13. Some providers never say it (docs/oauth.md).
  if (maxAge !== null && (signedInSecondsAgo ?? 0) > maxAge + clockToleranceSeconds) {
    throw new ProviderError('id_token_failed', failedCheck('auth_time'));
  }
  const methods = Array.isArray(amr) ? amr.filter(isName).slice(0, mostMethods) : [];
  return {
    signedInSecondsAgo,
    acr: isName(acr) ? acr : null,
    amr: methods.length > 0 ? methods : null,
  };
}

/** Returns the header (0) or the claims (1) of a JWT, verified or not. @throws {Error} when it has none */
export function jwtPart(jwt: unknown, index: 0 | 1): Record<string, unknown> {
  const part = typeof jwt === 'string' ? jwt.split('.')[index] : undefined;
  const value: unknown = JSON.parse(Buffer.from(part ?? '', 'base64url').toString());
  return (value ?? {}) as Record<string, unknown>;
}

const isName = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= longestName && /^[\x21-\x7e]+$/.test(value);
