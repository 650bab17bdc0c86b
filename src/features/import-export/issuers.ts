import { tenantPlaceholder } from '../../config/schema/fields.ts';
import type { Config } from '../../config/schema.ts';
import { configuredProviders, githubIssuer, isTenantIssuer, tenantId } from '../../oauth/settings.ts';
import type { IdentityIssuer } from '../../storage/repositories/oauth-identities.ts';
import type { OAuthIdentity } from '../../tables/oauth-identity.ts';

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

/** Returns whether people can sign in with identities of this issuer at the provider of this name. */
function isIssuerOf(config: Config, name: string, issuer: string): boolean {
  const settings = configuredProviders(config).find(each => each.name === name);
  return settings?.kind === 'microsoft'
    ? isTenantIssuer(settings, issuer)
    : issuerNamed(config, name) === issuer;
}

/**
 * Returns the issuer under which identities of a provider are stored, by its name in the configuration; null when there is
 * no such provider, or when it has many issuers, as Microsoft has without the id of one tenant.
 */
function issuerNamed(config: Config, name: string): string | null {
  const settings = configuredProviders(config).find(each => each.name === name);
  if (!settings) return name === 'google' ? config.oauth.googleIssuer : null;
  if (settings.kind === 'github') return githubIssuer(settings);
  if (settings.kind !== 'microsoft') return settings.issuer;
  const tenant = settings.tenant.toLowerCase();
  return tenantId.test(tenant) ? settings.issuer.replace(tenantPlaceholder, tenant) : null;
}
