import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../../clock.ts';
import type { ToNodeUser } from '../../contract/views/account.ts';
import type { Factors } from '../../domain/factors.ts';
import { acrValues, type Resource } from '../../domain/resources.ts';
import { GatehouseError } from '../../errors.ts';
import { bearerOf } from '../../http/caller.ts';
import { FetchRequest, toFetchResponse } from '../../http/fetch.ts';
import type { HttpRequest, HttpResponse } from '../../http/message.ts';
import { type ClientAddress, NodeRequest, sendResponse } from '../../http/node.ts';
import type { IsTrusted } from '../../http/proxies.ts';
import { problemResponse } from '../../http/response.ts';
import type { Logger } from '../../logger.ts';
import { isPlainObject } from '../../plain-object.ts';
import { metadataOf, metadataUrlOf } from './metadata.ts';
import type { ResourceServer, TokenAuth, TokenRequirements } from './resource-server.ts';
import { assertSignIn, weakestOf } from './step-up.ts';
import type { AccessTokens, ValidToken } from './tokens.ts';

interface Parts {
  issuer: string;
  clock: Clock;
  factors: Factors;
  tokens: AccessTokens;
  toNodeUser: ToNodeUser;
  clientOf: ClientAddress;
  isTrusted: IsTrusted | null;
  logger: Logger;
}

const openToAll = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'WWW-Authenticate, Retry-After',
};
/** How long a browser may remember a preflight, in seconds. */
const preflightMaxAgeSeconds = 7200;

/** Returns the guards of an API (CONTRACT §16.5): signature from memory, then one statement. */
export function createResourceServer(resource: Resource, parts: Parts): ResourceServer {
  const { clock, factors, tokens, toNodeUser, clientOf, isTrusted, logger } = parts;
  const metadata = metadataOf(parts, { ...resource, scopes: asRecord(resource.scopes) });
  const metadataUrl = metadataUrlOf(resource);

  async function verify(token: string): Promise<TokenAuth> {
    return authOf(token, await checked(token));
  }

  /** @throws {GatehouseError} unauthenticated, mfa_enrolment_required, unavailable */
  async function checked(token: string): Promise<ValidToken> {
    const valid = await tokens.check(token, resource);
    if (!valid) throw new GatehouseError('unauthenticated');
    if (await tokens.isRestricted(valid)) throw new GatehouseError('mfa_enrolment_required');
    return valid;
  }

  function authOf(token: string, { claims, user }: ValidToken): TokenAuth {
    return {
      ...{ user: toNodeUser(user), userId: user.id, claims, token, clientId: claims.client_id },
      ...{ scopes: claims.scope.split(' '), expiresAt: new Date(claims.exp * 1000), resource: resource.name },
    };
  }

  async function admit(request: HttpRequest, required: TokenRequirements): Promise<TokenAuth> {
    const token = bearerOf(request) ?? '';
    const valid = await checked(token);
    const auth = authOf(token, valid);
    if (!(required.scopes ?? []).every(scope => auth.scopes.includes(scope)))
      throw new GatehouseError('insufficient_scope');
    const { acr = '', auth_time: authTime = null } = auth.claims;
    const demand = { acr: required.acr ?? null, maxAge: required.maxAge ?? null };
    await assertSignIn({ acr: weakestOf([acr]), authTime }, demand, valid.user, { clock, factors });
    return auth;
  }

  /** Returns the words of RFC 6750 §3, 9470 §3 and 9728 §5.1 that belong to a refusal; null for one without. */
  function challengeOf(request: HttpRequest, error: unknown, { scopes }: TokenRequirements): string | null {
    if (!(error instanceof GatehouseError)) return null;
    const place = metadataUrl === null ? [] : [`resource_metadata="${metadataUrl}"`];
    const needed = scopes && scopes.length > 0 ? [`scope="${scopes.join(' ')}"`] : [];
    const challenge = (...parameters: string[]) => `Bearer ${parameters.join(', ')}`.trim();
    switch (error.code) {
      case 'unauthenticated': {
        const isSent = request.headers.authorization !== undefined;
        return challenge(...(isSent ? ['error="invalid_token"'] : []), ...place, ...needed);
      }
      case 'insufficient_scope':
        return challenge('error="insufficient_scope"', ...place, ...needed);
      case 'recent_sign_in_required': {
        const { acrValues, maxAge } = error.stepUp ?? {};
        return challenge(
          'error="insufficient_user_authentication"',
          ...place,
          ...(acrValues ? [`acr_values="${acrValues.join(' ')}"`] : []),
          ...(maxAge === undefined ? [] : [`max_age=${maxAge}`]),
        );
      }
      default:
        return null;
    }
  }

  function refuse(request: HttpRequest, error: unknown, required: TokenRequirements): HttpResponse {
    const problem = problemResponse(request, error, logger);
    const challenge = challengeOf(request, error, required);
    const headers = { ...problem.headers, ...(challenge !== null && { 'WWW-Authenticate': challenge }) };
    return { ...problem, headers: required.cors ? { ...headers, ...openToAll } : headers };
  }

  /** Returns the response to a preflight where the route is open to pages of every origin, else null. */
  function preflightOf({ method, headers }: HttpRequest, { cors }: TokenRequirements): HttpResponse | null {
    const wanted = headers['access-control-request-method'];
    if (!cors || method !== 'OPTIONS' || headers.origin === undefined || wanted === undefined) return null;
    const names = headers['access-control-request-headers'];
    return {
      status: 204,
      headers: {
        'Access-Control-Allow-Origin': '*',
        'Access-Control-Allow-Methods': String(wanted),
        ...(names !== undefined && { 'Access-Control-Allow-Headers': String(names) }),
        'Access-Control-Max-Age': String(preflightMaxAgeSeconds),
      },
      body: null,
    };
  }

  const read = (name: string, given: unknown) => readRequirements(name, given, resource);

  return {
    metadata,
    verify,

    requireToken(given) {
      const required = read('requireToken', given);
      return async (req: IncomingMessage, res: ServerResponse, next: () => void) => {
        const request = new NodeRequest(req, clientOf);
        const preflight = preflightOf(request, required);
        if (preflight) return sendResponse(res, preflight);
        try {
          Object.assign(req, { auth: await admit(request, required) });
        } catch (error) {
          return sendResponse(res, refuse(request, error, required));
        }
        if (required.cors) for (const [name, value] of Object.entries(openToAll)) res.setHeader(name, value);
        next();
      };
    },

    async protect(request, given) {
      const required = read('protect', given);
      const own = new FetchRequest(request, {}, isTrusted);
      const headers = required.cors ? { ...openToAll } : {};
      const preflight = preflightOf(own, required);
      if (preflight) return { auth: null, response: toFetchResponse(preflight, own.method), headers };
      try {
        return { auth: await admit(own, required), response: null, headers };
      } catch (error) {
        const response = toFetchResponse(refuse(own, error, required), own.method);
        return { auth: null, response, headers };
      }
    },
  };
}

const asRecord = (names: readonly string[]) => Object.fromEntries(names.map(name => [name, name]));

/** The values that each requirement may have. */
const meaningful: Record<keyof TokenRequirements, { is: (value: unknown) => boolean; what: string }> = {
  scopes: {
    is: value => Array.isArray(value) && value.every(each => typeof each === 'string'),
    what: 'a list of scopes',
  },
  acr: { is: value => (acrValues as readonly unknown[]).includes(value), what: 'aal1, aal2 or phr' },
  maxAge: { is: value => typeof value === 'number' && value >= 0, what: 'a number of seconds' },
  cors: { is: value => typeof value === 'boolean', what: 'true or false' },
};

/** A misspelt requirement must not leave a route without it. @throws {TypeError} */
function readRequirements(guard: string, given: unknown, { name, scopes }: Resource): TokenRequirements {
  if (given != null && !isPlainObject(given)) throw new TypeError(`${guard} takes an object.`);
  const requirements: Record<string, unknown> = { ...(given ?? {}) };
  for (const [key, value] of Object.entries(requirements)) {
    if (!Object.hasOwn(meaningful, key)) throw new TypeError(`${guard} knows no ${key}.`);
    const { is, what } = meaningful[key as keyof TokenRequirements];
    // A misspelt constant is undefined, and scopes may be all that a route asks for.
    if (!is(value) && !(value === undefined && key !== 'scopes'))
      throw new TypeError(`${key} of ${guard} must be ${what}.`);
  }
  const unknown = ((requirements.scopes ?? []) as string[]).find(scope => !scopes.includes(scope));
  if (unknown !== undefined) throw new TypeError(`${guard}: the resource ${name} has no scope ${unknown}.`);
  return requirements;
}
