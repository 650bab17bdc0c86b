import type { Config } from '../config/schema.ts';
import { issuerNamed } from '../oauth/settings.ts';
import type { IdentityIssuer } from '../storage/repositories/oauth-identities.ts';

/** Returns the issuer of a provider by its name in the configuration, or null when identities of it have none. */
export function identityIssuerOf(config: Config, provider: string): IdentityIssuer | null {
  const issuer = issuerNamed(config, provider);
  return issuer === null ? null : { name: provider, issuer };
}
