import { connectOpenId, type OpenIdLibrary } from './openid.ts';
import { openIdProvider } from './openid-provider.ts';
import type { Provider } from './provider.ts';
import type { OidcSettings } from './settings.ts';

/** Returns any OpenID Connect provider, Google among them. */
export function oidcProvider(client: OpenIdLibrary, settings: OidcSettings): Provider {
  const { issuer, clientId, redirectUri, scopes } = settings;
  const secret = settings.clientSecret ?? '';
  const auth = {
    client_secret_basic: () => client.ClientSecretBasic(secret),
    client_secret_post: () => client.ClientSecretPost(secret),
    none: () => client.None(),
  };
  const connection = connectOpenId(client, {
    ...{ discoveryUrl: issuer, clientId, redirectUri, scopes },
    auth: auth[settings.clientAuth](),
  });
  return openIdProvider(settings, connection, {
    hasIssuer: given => given === issuer,
    // As the configuration spells it, which may differ from the ID token by a slash.
    issuerOf: () => issuer,
    isVerified: claims => claims.email_verified === true,
    nameOf: claims => (scopes.includes('profile') ? claims.name : undefined),
  });
}
