import type * as OpenIdClient from 'openid-client';
import { boundedFetch } from '../bounded-fetch.ts';
import { clockToleranceSeconds, jwtPart } from './claims.ts';
import {
  type AuthorizationRequest,
  type AuthorizationResponse,
  failedCheck,
  ProviderError,
} from './provider.ts';
import { shareRequest } from './shared-request.ts';

export type OpenIdLibrary = typeof OpenIdClient;

/** How long the metadata of a provider are cached, in milliseconds. */
const metadataLifeMs = 3_600_000;

/**
 * Accepted algorithms of an ID token: those that need the provider's private key, and none that could be signed with this
 * client's secret.
 */
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

interface ConnectionOptions {
  /** The issuer, or where it publishes its metadata if that is not below it. */
  discoveryUrl: string;
  clientId: string;
  /** How the client authenticates at the token endpoint. */
  auth: OpenIdClient.ClientAuth;
  redirectUri: string;
  scopes: readonly string[];
  /** Further parameters of the authorisation request. */
  parameters?: Record<string, string>;
  /** Returns whether the metadata may name this issuer, where the library does not compare it. */
  acceptsIssuer?: (issuer: string) => boolean;
  /** Returns whether a response may name this issuer (RFC 9207); the default is that of the metadata. */
  acceptsResponseOf?: (iss: string) => boolean;
  /**
   * Returns the issuer that the ID token of this response must have, where it is not that of the metadata.
   * @throws {Error} when it can have none
   */
  issuerOf?: (response: unknown, metadataIssuer: string) => string;
  /** Returns whether a key may sign ID tokens of this issuer, where the provider publishes keys of several. */
  acceptsKey?: (key: Record<string, unknown>, issuer: string) => boolean;
}

export type OpenIdConnection = ReturnType<typeof connectOpenId>;

/** Returns the connection to an OpenID Connect provider: authorisation requests, and verified ID tokens. */
export function connectOpenId(client: OpenIdLibrary, options: ConnectionOptions) {
  const { clientId, redirectUri, acceptsKey = () => true } = options;
  const isInsecure = new URL(options.discoveryUrl).protocol === 'http:';
  const keys = { cache: {} as OpenIdClient.ExportedJWKSCache | undefined };

  const serverMetadata = shareRequest(async (): Promise<OpenIdClient.ServerMetadata> => {
    try {
      const configuration = await client.discovery(
        new URL(options.discoveryUrl),
        clientId,
        undefined,
        options.auth,
        {
          [client.customFetch]: boundedFetch,
          execute: isInsecure ? [client.allowInsecureRequests] : [],
        },
      );
      const metadata = configuration.serverMetadata();
      if (options.acceptsIssuer && !options.acceptsIssuer(metadata.issuer)) throw failedCheck('issuer');
      return metadata;
    } catch (cause) {
      throw new ProviderError('unavailable', cause);
    }
  }, metadataLifeMs);

  /** Fetches the keys: many callbacks at once make one request. The library caches the result. */
  const fetchKeys = shareRequest(async () => {
    const { jwks_uri = '' } = await serverMetadata();
    const headers = { accept: 'application/json, application/jwk-set+json' };
    const response = await boundedFetch(jwks_uri, { method: 'GET', headers });
    const published = response.ok && (await jsonOf(response.clone()));
    if (!Array.isArray(published?.keys)) throw failedCheck('keys');
    return response;
  }, 0);

  /** Returns a separate configuration for each request, so that its fetches can be distinguished. */
  function configure(server: OpenIdClient.ServerMetadata, fetch: OpenIdClient.CustomFetch) {
    const metadata = { [client.clockTolerance]: clockToleranceSeconds };
    const configuration = new client.Configuration(server, clientId, metadata, options.auth);
    configuration[client.customFetch] = fetch;
    if (isInsecure) client.allowInsecureRequests(configuration);
    client.enableNonRepudiationChecks(configuration);
    if (keys.cache?.jwks) client.setJwksCache(configuration, keys.cache);
    return configuration;
  }

  /** Returns a fetch that records how far an exchange got, because the library's errors do not say whose response was missing. */
  function watched(progress: Progress, server: OpenIdClient.ServerMetadata): OpenIdClient.CustomFetch {
    return async (url, request) => {
      const step = url === server.jwks_uri ? 'keys' : 'token';
      progress[step] = 'failed';
      const response = step === 'keys' ? (await fetchKeys()).clone() : await boundedFetch(url, request);
      // A response that is not JSON counts as none.
      if (response.ok && (await jsonOf(response.clone())) !== undefined) progress[step] = 'answered';
      return response;
    };
  }

  /**
   * Exchanges the code, and returns the claims of the verified ID token.
   * @throws {ProviderError} token_exchange_failed, id_token_failed, unavailable
   */
  async function exchange(response: AuthorizationResponse): Promise<OpenIdClient.IDToken> {
    const { code, state, iss, nonce, codeVerifier } = response;
    const metadata = await serverMetadata();
    const progress: Progress = { token: 'not asked', keys: 'not asked' };
    const callback = new URL(redirectUri);
    callback.search = new URLSearchParams({ code, state, ...(iss !== undefined && { iss }) }).toString();
    const fetch = watched(progress, metadata);
    const checks = {
      pkceCodeVerifier: codeVerifier,
      expectedState: state,
      expectedNonce: nonce,
      idTokenExpected: true,
    };
    try {
      const { server, send } = options.issuerOf
        ? await expectIssuer(metadata, fetch, { code, codeVerifier }, options.issuerOf)
        : { server: metadata, send: fetch };
      const configuration = configure(server, send);
      const tokens = await client.authorizationCodeGrant(configuration, callback, checks).finally(() => {
        // After a failure, too: otherwise each ID token of an unknown key would fetch the keys anew.
        keys.cache = client.getJwksCache(configuration) ?? keys.cache;
      });
      const claims = tokens.claims();
      const { alg, kid } = jwtPart(tokens.id_token, 0);
      if (!claims || !algorithms.has(String(alg))) throw failedCheck('alg');
      const published = client.getJwksCache(configuration)?.jwks.keys ?? [];
      const signers = published.filter(key => kid === undefined || key.kid === kid);
      if (!signers.every(key => acceptsKey({ ...key }, claims.iss))) throw failedCheck('key');
      // Checked even when this client is the only audience (OpenID Connect Core §3.1.3.7, 5).
      if (claims.azp !== undefined && claims.azp !== clientId) throw failedCheck('azp');
      if (!/^[\x20-\x7e]{1,255}$/.test(claims.sub)) throw failedCheck('sub');
      return claims;
    } catch (cause) {
      throw new ProviderError(reasonOf(progress), cause);
    }
  }

  /**
   * Sends the token request before the library does, because the issuer that its ID token must have follows from the
   * response. Returns the metadata with that issuer, and a fetch that gives the library this response.
   */
  async function expectIssuer(
    metadata: OpenIdClient.ServerMetadata,
    fetch: OpenIdClient.CustomFetch,
    { code, codeVerifier }: Pick<AuthorizationResponse, 'code' | 'codeVerifier'>,
    issuerOf: NonNullable<ConnectionOptions['issuerOf']>,
  ) {
    const url = metadata.token_endpoint ?? '';
    const body = new URLSearchParams({
      ...{ grant_type: 'authorization_code', code, redirect_uri: redirectUri },
      code_verifier: codeVerifier,
    });
    const headers = new Headers({
      accept: 'application/json',
      'content-type': 'application/x-www-form-urlencoded',
    });
    await options.auth(metadata, { client_id: clientId }, body, headers);
    const request = {
      method: 'POST',
      body,
      headers: Object.fromEntries(headers),
      redirect: 'manual',
    } as const;
    const response = await fetch(url, request);
    const issuer = issuerOf(await response.clone().json(), metadata.issuer);
    const send: OpenIdClient.CustomFetch = async (to, request) =>
      to === url ? response.clone() : fetch(to, request);
    return { server: { ...metadata, issuer }, send };
  }

  return {
    async authorizationUrl(request: AuthorizationRequest): Promise<URL> {
      const { state, nonce, codeVerifier, selectAccount, maxAge } = request;
      const configuration = configure(await serverMetadata(), boundedFetch);
      return client.buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri,
        scope: options.scopes.join(' '),
        response_type: 'code',
        state,
        nonce,
        code_challenge: await client.calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: 'S256',
        ...(selectAccount && { prompt: 'select_account' }),
        ...(maxAge !== null && { max_age: String(maxAge) }),
        ...options.parameters,
      });
    },

    async checkIssuer(iss: string | undefined): Promise<void> {
      const server = await serverMetadata();
      const isRequired = server.authorization_response_iss_parameter_supported === true;
      // Compared as plain strings (RFC 9207 §2.4).
      const accepts = options.acceptsResponseOf ?? (given => given === server.issuer);
      if (iss === undefined ? isRequired : !accepts(iss)) {
        throw new ProviderError('issuer_mismatch', failedCheck('iss'));
      }
    },

    exchange,
  };
}

type Step = 'not asked' | 'failed' | 'answered';
interface Progress {
  token: Step;
  keys: Step;
}

/** Returns the JSON value of a response, or undefined where it is none. */
const jsonOf = (response: Response) => response.json().catch(() => undefined);

function reasonOf({ token, keys }: Progress): ProviderError['code'] {
  if (keys === 'failed') return 'unavailable';
  return token === 'answered' ? 'id_token_failed' : 'token_exchange_failed';
}
