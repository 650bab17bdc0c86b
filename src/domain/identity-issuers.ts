import type { Config } from '../config/schema.ts';
import { isIssuerOf, issuerNamed } from '../oauth/settings.ts';
import type { IdentityIssuer } from '../storage/repositories/oauth-identities.ts';
import type { OAuthIdentity } from '../tables/oauth-identity.ts';

/**
 * Returns the issuer of identities that name a provider of the configuration, and perhaps the issuer; null when there is no
 * such provider, when that issuer is not one of its own, and when it has many and none is named.
 */
export function identityIssuerOf(
  config: Config,
  { provider, issuer: given }: { provider: string; issuer?: string | null | undefined },
): IdentityIssuer | null {
  if (given != null) return isIssuerOf(config, provider, given) ? { name: provider, issuer: given } : null;
  const issuer = issuerNamed(config, provider);
  return issuer === null ? null : { name: provider, issuer };
}

/**
 * Returns what an import is told of the provider of a stored identity: its present name in the configuration, and the issuer
 * where that name does not say it. In a row of a former version without an issuer the name says it.
 */
export function providerOf(
  config: Config,
  { provider: stored, issuer }: OAuthIdentity,
): { provider: string; issuer?: string } {
  if (issuer === '') return { provider: stored };
  const names = [stored, 'google', ...Object.keys(config.oauth.providers)];
  const provider = names.find(name => isIssuerOf(config, name, issuer)) ?? stored;
  return { provider, ...(issuerNamed(config, provider) !== issuer && { issuer }) };
}
