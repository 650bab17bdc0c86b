import type * as OpenIdClient from 'openid-client';
import { boundedFetch } from '../bounded-fetch.ts';
import type { OpenIdLibrary } from './openid.ts';
import { type AuthorizationResponse, failedCheck, type Provider, ProviderError } from './provider.ts';
import { type GithubSettings, githubIssuer } from './settings.ts';

const apiVersion = '2022-11-28';

/**
 * Returns GitHub, or an installation of it. It speaks OAuth 2.0 without ID tokens: who signed in is asked of its API, with
 * a token that is used for nothing else and not stored (https://docs.github.com/apps/oauth-apps).
 */
export function githubProvider(client: OpenIdLibrary, settings: GithubSettings): Provider {
  const { name, label, kind, clientId, redirectUri, scopes, trustsEmail, apiUrl } = settings;
  const issuer = githubIssuer(settings);
  const server: OpenIdClient.ServerMetadata = {
    issuer,
    authorization_endpoint: settings.authorizationUrl,
    token_endpoint: settings.tokenUrl,
  };
  const isInsecure = [settings.tokenUrl, apiUrl].some(url => new URL(url).protocol === 'http:');

  function configure(): OpenIdClient.Configuration {
    const auth = client.ClientSecretPost(settings.clientSecret);
    const configuration = new client.Configuration(server, clientId, undefined, auth);
    configuration[client.customFetch] = boundedFetch;
    if (isInsecure) client.allowInsecureRequests(configuration);
    return configuration;
  }

  async function exchange({ code, state, codeVerifier }: AuthorizationResponse): Promise<string> {
    const callback = new URL(redirectUri);
    callback.search = new URLSearchParams({ code, state }).toString();
    try {
      const checks = { pkceCodeVerifier: codeVerifier, expectedState: state };
      return (await client.authorizationCodeGrant(configure(), callback, checks)).access_token;
    } catch (cause) {
      throw new ProviderError('token_exchange_failed', cause);
    }
  }

  /** @throws {ProviderError} unavailable when the API is down, token_exchange_failed when it refuses the token */
  async function ask(path: string, token: string): Promise<unknown> {
    const headers = {
      accept: 'application/vnd.github+json',
      authorization: `Bearer ${token}`,
      // GitHub refuses requests without one.
      'user-agent': 'Gatehouse',
      'x-github-api-version': apiVersion,
    };
    let response: Response;
    try {
      response = await boundedFetch(`${apiUrl.replace(/\/$/, '')}${path}`, { method: 'GET', headers });
    } catch (cause) {
      throw new ProviderError('unavailable', cause);
    }
    const isDown = response.status >= 500 || response.status === 429;
    if (!response.ok) {
      throw new ProviderError(isDown ? 'unavailable' : 'token_exchange_failed', failedCheck('api'));
    }
    return response.json().catch(cause => {
      throw new ProviderError('token_exchange_failed', cause);
    });
  }

  return {
    // It does not say when somebody signed in.
    ...{ name, label, kind, postsForm: false, mostAge: null },
    hasIssuer: given => given === issuer,
    async authorizationUrl({ state, codeVerifier, selectAccount }) {
      return client.buildAuthorizationUrl(configure(), {
        redirect_uri: redirectUri,
        scope: scopes.join(' '),
        response_type: 'code',
        state,
        code_challenge: await client.calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: 'S256',
        ...(selectAccount && { prompt: 'select_account' }),
      });
    },

    async checkIssuer(iss) {
      if (iss !== undefined && iss !== issuer) throw new ProviderError('issuer_mismatch', failedCheck('iss'));
    },

    async identify(response) {
      const token = await exchange(response);
      const [user, addresses] = await Promise.all([
        ask('/user', token),
        ask('/user/emails?per_page=100', token),
      ]);
      const { id, name: fullName } = (user ?? {}) as { id?: unknown; name?: unknown };
      // A login name can be given to somebody else; the number cannot.
      if (!Number.isSafeInteger(id) || Number(id) < 1)
        throw new ProviderError('token_exchange_failed', failedCheck('id'));
      const primary = primaryOf(addresses);
      return {
        ...{ issuer, subject: String(id), email: primary?.email },
        emailVerified: primary !== undefined && (trustsEmail || primary.verified === true),
        fullName: scopes.some(scope => scope === 'user' || scope === 'read:user') ? fullName : undefined,
        ...{ signedInSecondsAgo: null, acr: null, amr: null },
      };
    },
  };
}

interface Address {
  email?: unknown;
  primary?: unknown;
  verified?: unknown;
}

const primaryOf = (addresses: unknown): Address | undefined =>
  Array.isArray(addresses) ? addresses.find((each: Address | null) => each?.primary === true) : undefined;
