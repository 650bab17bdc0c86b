import { type JWTPayload, jwtVerify } from 'jose';
import type { AccessClaims } from '../crypto/claims.ts';
import { shortfallOf, stepUpOf } from '../domain/acr.ts';
import { metadataOf, metadataUrlOf } from '../http/resource-metadata.ts';
import type {
  ResourceMetadata,
  ResourceServer,
  TokenProtected,
  TokenRequirements,
  VerifiedToken,
} from '../http/resource-server.ts';
import { createTokenGuards } from '../http/token-guard.ts';
import { type Fetch, isConfidential } from './bounded-fetch.ts';
import { problems, TokenError, type TokenErrorCode, type WantedSignIn } from './error.ts';
import { createIntrospection, type IntrospectionOptions } from './introspection.ts';
import { type Algorithm, algorithms, createKeys } from './keys.ts';

export {
  type AccessClaims,
  type Algorithm,
  type Fetch,
  type IntrospectionOptions,
  type ResourceMetadata,
  type ResourceServer,
  TokenError,
  type TokenErrorCode,
  type TokenProtected,
  type TokenRequirements,
  type VerifiedToken,
  type WantedSignIn,
};

export interface ResourceServerOptions {
  /** The `issuer` of Gatehouse, as its configuration has it: an https address, or http on the same machine. */
  issuer: string;
  /** The identifier of this API, as the configuration of Gatehouse has it. */
  resource: string;
  /** The scopes that there are. A route names those that it needs. */
  scopes: readonly string[];
  /** The name of this API for people, in `metadata`. */
  label?: string;
  /** The algorithms whose signatures count. @default ['ES256', 'RS256'] */
  algorithms?: readonly Algorithm[];
  /** Has Gatehouse asked about each token, so that one that was ended is refused at once. */
  introspection?: IntrospectionOptions;
  /** Fetches keys, in place of the global `fetch`: `gatehouse.fetch` in tests. */
  fetch?: Fetch;
  /** Returns the time: that of the clock of a test. */
  now?: () => Date | number;
}

/** A longer one is none of Gatehouse's. */
const longestToken = 16_384;
const toleranceSeconds = 30;

/**
 * Returns the guards of an API outside of Gatehouse's process, which checks access tokens by the keys that Gatehouse
 * publishes. Keys are fetched with the first token.
 * @throws {TypeError} for options that cannot be right
 * @example
 * const orders = createResourceServer({
 *   issuer: 'https://id.example.org',
 *   resource: 'https://api.example.org',
 *   scopes: ['orders:read', 'orders:write'],
 * });
 * app.get('/orders', orders.requireToken({ scopes: ['orders:read'] }), (req, res) => res.json({ of: req.auth.userId }));
 */
export function createResourceServer(options: ResourceServerOptions): ResourceServer<VerifiedToken> {
  const { issuer, resource, scopes, label, accepted, introspection } = readOptions(options);
  const fetch: Fetch = options.fetch ?? (request => globalThis.fetch(request));
  const now = () => Number(options.now?.() ?? Date.now());
  const keys = createKeys({ issuer, fetch, now });
  const asked = introspection && createIntrospection({ ...introspection, issuer, fetch, now });

  /** @throws {TokenError} */
  async function check(token: string): Promise<AccessClaims> {
    const claims = await signedClaims(token);
    if (!(await (asked?.isActive(token).catch(unavailable) ?? true))) throw new TokenError('unauthenticated');
    return claims;
  }

  /** @throws {TokenError} */
  async function signedClaims(token: string): Promise<AccessClaims> {
    if (token === '' || token.length > longestToken) throw new TokenError('unauthenticated');
    try {
      const { payload } = await jwtVerify(
        token,
        async ({ kid, alg }) => {
          const key = typeof kid === 'string' ? await keys.find(kid).catch(unavailable) : null;
          // The algorithm is that of the key, whatever the token says (RFC 8725 §3.1).
          if (key?.algorithm !== alg) throw new TokenError('unauthenticated');
          return key.open();
        },
        {
          ...{ typ: 'at+jwt', issuer, algorithms: [...accepted], clockTolerance: toleranceSeconds },
          ...{ currentDate: new Date(now()), requiredClaims: ['iss', 'aud', 'exp', 'iat', 'sub'] },
        },
      );
      const claim = unexpectedClaimOf(payload);
      if (claim !== null) throw new Error(`unexpected "${claim}" claim value`);
      return payload as JWTPayload & AccessClaims;
    } catch (error) {
      if (error instanceof TokenError) throw error;
      // Anything else that a token brings about is its fault: a key of another form, a payload that is no JSON.
      throw new TokenError('unauthenticated', { cause: error });
    }
  }

  /** Returns a claim that is not as it should be, or null: the audience is one text, and nothing was signed in the future. */
  function unexpectedClaimOf({ aud, sub, scope, iat }: JWTPayload): string | null {
    if (aud !== resource) return 'aud';
    if (typeof sub !== 'string' || sub === '') return 'sub';
    if (scope !== undefined && typeof scope !== 'string') return 'scope';
    return iat! > now() / 1000 + toleranceSeconds ? 'iat' : null;
  }

  return createTokenGuards({
    name: resource,
    scopes,
    metadata: metadataOf(issuer, { identifier: resource, label, scopes }),
    metadataUrl: metadataUrlOf(resource),
    check,
    authOf: (token, claims): VerifiedToken => ({
      ...{ userId: claims.sub, claims, token, clientId: claims.client_id, resource },
      ...{ scopes: scopesOf(claims), expiresAt: new Date(claims.exp * 1000) },
    }),
    async assertSignIn(signIn, demand) {
      if (shortfallOf(signIn, demand, now() / 1000))
        throw new TokenError('recent_sign_in_required', { stepUp: stepUpOf(demand) });
    },
    refusal: code => new TokenError(code),
    refusalOf: error => (error instanceof TokenError ? error : null),
    problemOf,
    onNode: ({ method = 'GET', headers }) => ({ method, headers }),
    onFetch: ({ method, headers }) => ({ method, headers: Object.fromEntries(headers) }),
  });
}

const scopesOf = ({ scope = '' }: Partial<AccessClaims>) => scope.split(' ').filter(name => name !== '');

/** @throws {TokenError} */
function unavailable(cause: unknown): never {
  throw new TokenError('unavailable', { cause });
}

/** Returns the problem document of a refusal (RFC 9457), as Gatehouse writes it. @throws anything that is no refusal */
function problemOf(_: object, error: unknown) {
  if (!(error instanceof TokenError)) throw error;
  const { code, stepUp } = error;
  const { status, title, detail } = problems[code];
  const body = JSON.stringify({
    ...{ type: `urn:gatehouse:error:${code}`, title, status, detail, code },
    ...(stepUp?.acrValues && { acr_values: stepUp.acrValues }),
    ...(stepUp?.maxAge !== undefined && { max_age: stepUp.maxAge }),
  });
  const headers: Record<string, string> = {
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'Content-Language': 'en',
    'Content-Type': 'application/problem+json',
    'Content-Length': String(new TextEncoder().encode(body).length),
    ...(status === 401 && { 'WWW-Authenticate': 'Bearer' }),
    ...(status === 503 && { 'Retry-After': '5' }),
  };
  return { status, headers, body };
}

const known = ['issuer', 'resource', 'scopes', 'label', 'algorithms', 'introspection', 'fetch', 'now'];

/** A misspelt option must not leave a check undone. @throws {TypeError} */
function readOptions(options: ResourceServerOptions) {
  const refuse = (message: string): never => {
    throw new TypeError(`createResourceServer: ${message}`);
  };
  const { issuer, resource, scopes, label, introspection } = options;
  const { algorithms: accepted = ['ES256', 'RS256'] } = options;
  for (const name of Object.keys(options)) if (!known.includes(name)) refuse(`there is no option ${name}.`);
  if (typeof issuer !== 'string' || !isConfidential(issuer) || /[?#]|\/$/.test(issuer))
    refuse('issuer must be an https address without a slash at its end (http on the same machine alone).');
  if (typeof resource !== 'string' || !URL.canParse(resource) || /[?#"\\\s]/.test(resource))
    refuse('resource must be an absolute URI without query and fragment.');
  if (!Array.isArray(scopes) || scopes.some(name => !/^[!#-[\]-~]+$/.test(String(name))))
    refuse('scopes must be a list of names.');
  if (label !== undefined && (typeof label !== 'string' || label === ''))
    refuse('label must be a text, or left out.');
  if (accepted.length === 0 || accepted.some(name => !algorithms.includes(name)))
    refuse(`algorithms must be some of ${algorithms.join(', ')}.`);
  if (introspection === undefined) return { issuer, resource, scopes, label, accepted, introspection: null };
  const { name, secret, cacheSeconds = 0 } = introspection;
  if (typeof name !== 'string' || name === '' || typeof secret !== 'string' || secret === '')
    refuse('introspection needs a name and a secret.');
  if (!(Number.isFinite(cacheSeconds) && cacheSeconds >= 0))
    refuse('cacheSeconds must be a number of seconds.');
  return { issuer, resource, scopes, label, accepted, introspection: { name, secret, cacheSeconds } };
}
