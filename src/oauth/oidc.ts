import { signInOf } from './claims.ts';
import { connectOpenId, type OpenIdLibrary } from './openid.ts';
import type { Provider } from './provider.ts';
import type { OidcSettings } from './settings.ts';

/** Returns any OpenID Connect provider, Google among them. */
export function oidcProvider(client: OpenIdLibrary, settings: OidcSettings): Provider {
  const { name, label, kind, issuer, clientId, redirectUri, scopes, trustsEmail } = settings;
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
  return {
    ...{ name, label, kind, postsForm: false },
    hasIssuer: given => given === issuer,
    authorizationUrl: connection.authorizationUrl,
    checkIssuer: connection.checkIssuer,
    async identify(response) {
      const claims = await connection.exchange(response);
      return {
        ...{ issuer, subject: claims.sub, email: claims.email },
        emailVerified: trustsEmail || claims.email_verified === true,
        fullName: scopes.includes('profile') ? claims.name : undefined,
        ...signInOf(claims, response.maxAge),
      };
    },
  };
}
