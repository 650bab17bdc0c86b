import type * as OpenIdClient from 'openid-client';
import type { Config } from '../config/schema.ts';
import { importOptional } from '../optional.ts';
import { boundedFetch } from './bounded-fetch.ts';
import { type ExternalIdentity, type Provider, ProviderError } from './provider.ts';

/** How long what a provider publishes of itself is kept, in milliseconds. */
const metadataLifeMs = 3_600_000;
/** How far the provider's clock may be off, in seconds. */
const clockToleranceSeconds = 30;

/** Algorithms of an ID token: those that need the provider's private key, and none that our own secret could make. */
const algorithms = new Set([
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
]);

interface GoogleOptions {
  clientId: string;
  clientSecret: string;
  issuer: string;
  redirectUri: string;
}

/** The settings of this provider, or null when it is not set up. */
export function googleOptions({ oauth }: Config): GoogleOptions | null {
  const { googleClientId: clientId, googleClientSecret: secret, googleIssuer: issuer } = oauth;
  if (!clientId || !secret) return null;
  return { clientId, clientSecret: secret.reveal(), issuer, redirectUri: oauth.googleRedirectUri };
}

/**
 * Google, or any other OpenID Connect issuer that the configuration names in its place.
 * @throws {MissingPackageError} naming the package to install when it is missing
 */
export async function googleProvider(options: GoogleOptions): Promise<Provider> {
  const { clientId, clientSecret, issuer, redirectUri } = options;
  const client = await importOptional(
    'openid-client',
    'Sign-in with a provider',
    () => import('openid-client'),
  );
  const isInsecure = new URL(issuer).protocol === 'http:';
  const keys = { cache: {} as OpenIdClient.ExportedJWKSCache | undefined };
  let known: { server: OpenIdClient.ServerMetadata; until: number } | undefined;

  async function serverMetadata(): Promise<OpenIdClient.ServerMetadata> {
    if (known && known.until > performance.now()) return known.server;
    try {
      const configuration = await client.discovery(new URL(issuer), clientId, clientSecret, undefined, {
        [client.customFetch]: boundedFetch,
        execute: isInsecure ? [client.allowInsecureRequests] : [],
      });
      known = { server: configuration.serverMetadata(), until: performance.now() + metadataLifeMs };
      return known.server;
    } catch (cause) {
      throw new ProviderError('unavailable', cause);
    }
  }

  /** A configuration of its own for each request, so that its fetches can be told apart. */
  async function configure(fetch: OpenIdClient.CustomFetch) {
    const server = await serverMetadata();
    const metadata = {
      client_secret: clientSecret,
      [client.clockTolerance]: clockToleranceSeconds,
    };
    const configuration = new client.Configuration(server, clientId, metadata);
    configuration[client.customFetch] = fetch;
    if (isInsecure) client.allowInsecureRequests(configuration);
    client.enableNonRepudiationChecks(configuration);
    if (keys.cache?.jwks) client.setJwksCache(configuration, keys.cache);
    return { configuration, server };
  }

  return {
    name: 'google',

    async authorizationUrl({ state, nonce, codeVerifier, selectAccount }) {
      const { configuration } = await configure(boundedFetch);
      return client.buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri,
        scope: 'openid email',
        response_type: 'code',
        state,
        nonce,
        code_challenge: await client.calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: 'S256',
        ...(selectAccount && { prompt: 'select_account' }),
      });
    },

    async identify({ code, state, nonce, codeVerifier }): Promise<ExternalIdentity> {
      const progress: Progress = { token: 'not asked', keys: 'not asked' };
      const { configuration, server } = await configure(watched(progress, () => server.jwks_uri));
      const callback = new URL(redirectUri);
      callback.search = new URLSearchParams({
        ...{ code, state },
        // Held against the issuer where the provider sends it (RFC 9207); we pass on only what we asked for.
        ...(server.authorization_response_iss_parameter_supported && { iss: server.issuer }),
      }).toString();
      try {
        const tokens = await client.authorizationCodeGrant(configuration, callback, {
          pkceCodeVerifier: codeVerifier,
          expectedState: state,
          expectedNonce: nonce,
          idTokenExpected: true,
        });
        keys.cache = client.getJwksCache(configuration);
        const claims = tokens.claims();
        if (!claims || !algorithms.has(algorithmOf(tokens.id_token)))
          throw new Error('The ID token is not signed by a key.');
        if (!/^[\x20-\x7e]{1,255}$/.test(claims.sub)) throw new Error('The ID token has no subject.');
        return { subject: claims.sub, email: claims.email, emailVerified: claims.email_verified === true };
      } catch (cause) {
        throw new ProviderError(reasonOf(progress), cause);
      }
    },
  };
}

type Step = 'not asked' | 'failed' | 'answered';
interface Progress {
  token: Step;
  keys: Step;
}

/** Notes how far an exchange came, because the library's errors don't say whose answer was missing. */
function watched(progress: Progress, keysUrl: () => string | undefined): OpenIdClient.CustomFetch {
  return async (url, options) => {
    const step = url === keysUrl() ? 'keys' : 'token';
    progress[step] = 'failed';
    const response = await boundedFetch(url, options);
    // What is no JSON is no answer.
    if (response.ok && (await isJson(response.clone()))) progress[step] = 'answered';
    return response;
  };
}

const isJson = (response: Response) =>
  response.json().then(
    () => true,
    () => false,
  );

function reasonOf({ token, keys }: Progress): ProviderError['code'] {
  if (keys === 'failed') return 'unavailable';
  return token === 'answered' ? 'id_token_failed' : 'token_exchange_failed';
}

function algorithmOf(jwt: string | undefined): string {
  const header = JSON.parse(Buffer.from(jwt?.split('.')[0] ?? '', 'base64url').toString() || '{}');
  return String(header.alg);
}
