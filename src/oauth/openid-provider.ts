import type { IDToken } from 'openid-client';
import { signInOf } from './claims.ts';
import type { OpenIdConnection } from './openid.ts';
import type { AuthorizationResponse, Provider } from './provider.ts';
import type { ProviderSettings } from './settings.ts';

/** The differences between the kinds of providers that issue ID tokens. */
interface Rules extends Pick<Provider, 'hasIssuer'>, Partial<Pick<Provider, 'postsForm'>> {
  /** Returns the issuer that an identity is stored under; the default is that of the ID token. */
  issuerOf?: (claims: IDToken) => string;
  /** Returns whether the provider says that it has verified the address. */
  isVerified(claims: IDToken): boolean;
  /** Returns the name, where one was asked for. */
  nameOf(claims: IDToken, response: AuthorizationResponse): unknown;
}

/** Returns a provider that says by an ID token who signed in. */
export function openIdProvider(
  { name, label, kind, trustsEmail, mostAge }: ProviderSettings,
  { authorizationUrl, checkIssuer, exchange }: OpenIdConnection,
  { hasIssuer, postsForm = false, issuerOf = ({ iss }) => iss, isVerified, nameOf }: Rules,
): Provider {
  return {
    ...{ name, label, kind, mostAge, postsForm, hasIssuer, authorizationUrl, checkIssuer },
    async identify(response) {
      const claims = await exchange(response);
      return {
        ...{ issuer: issuerOf(claims), subject: claims.sub, email: claims.email },
        emailVerified: trustsEmail || isVerified(claims),
        fullName: nameOf(claims, response),
        ...signInOf(claims, response.maxAge),
      };
    },
  };
}
