import type { IncomingMessage, ServerResponse } from 'node:http';
import { acrValues, type Demand, type SignIn, weakestOf } from '../domain/acr.ts';
import { isPlainObject } from '../plain-object.ts';
import { bearerOf } from './caller.ts';
import type { HttpRequest, HttpResponse } from './message.ts';
import type {
  ResourceMetadata,
  ResourceServer,
  TokenRequirements,
  VerifiedToken,
} from './resource-server.ts';
import { sendResponse, toFetchResponse } from './send.ts';

// The guards of an API, in Gatehouse's own process and in those of others (`gatehouse-auth/verify`): it runs in every
// runtime, so nothing here imports a module of Node or a package.

type Sent = Pick<HttpRequest, 'method' | 'headers'>;

/** A refusal, as far as a challenge names it. */
export interface Refusal {
  code: string;
  stepUp?: { acrValues?: readonly string[] | undefined; maxAge?: number | undefined } | undefined;
}

interface Parts<R extends Sent, V, A extends VerifiedToken> {
  /** The name of the API, for messages to programmers. */
  name: string;
  scopes: readonly string[];
  metadata: ResourceMetadata;
  /** Null where the identifier is no address. */
  metadataUrl: string | null;
  /** Returns a token that counts, with what belongs to it. @throws a refusal, where it does not count */
  check(token: string): Promise<V>;
  authOf(token: string, valid: V): A;
  /** @throws a refusal, where the sign-in falls short */
  assertSignIn(signIn: SignIn, demand: Demand, valid: V): Promise<void>;
  /** Returns the error with which a request is refused. */
  refusal(code: 'insufficient_scope'): Error;
  /** Returns an error as a refusal; null for one that is none. */
  refusalOf(error: unknown): Refusal | null;
  /** Returns the problem document of an error. @throws the error itself, where it is none for a client */
  problemOf(request: R, error: unknown): HttpResponse;
  onNode(req: IncomingMessage): R;
  onFetch(request: Request): R;
}

const openToAll = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'WWW-Authenticate, Retry-After',
};
/** How long a browser may remember a preflight, in seconds. */
const preflightMaxAgeSeconds = 7200;

/** Returns the guards of an API (CONTRACT §16.5). */
export function createTokenGuards<R extends Sent, V, A extends VerifiedToken>(
  parts: Parts<R, V, A>,
): ResourceServer<A> {
  const { check, authOf } = parts;

  async function admit(request: R, required: TokenRequirements): Promise<A> {
    const token = bearerOf(request) ?? '';
    const valid = await check(token);
    const auth = authOf(token, valid);
    if (!(required.scopes ?? []).every(scope => auth.scopes.includes(scope)))
      throw parts.refusal('insufficient_scope');
    const { acr = '', auth_time: authTime = null } = auth.claims;
    const demand = { acr: required.acr ?? null, maxAge: required.maxAge ?? null };
    await parts.assertSignIn({ acr: weakestOf([acr]), authTime }, demand, valid);
    return auth;
  }

  /** Returns the words of RFC 6750 §3, 9470 §3 and 9728 §5.1 that belong to a refusal; null for one without. */
  function challengeOf({ headers }: R, error: unknown, { scopes }: TokenRequirements): string | null {
    const refusal = parts.refusalOf(error);
    const place = parts.metadataUrl === null ? [] : [`resource_metadata="${parts.metadataUrl}"`];
    const needed = scopes && scopes.length > 0 ? [`scope="${scopes.join(' ')}"`] : [];
    const challenge = (...parameters: string[]) => `Bearer ${parameters.join(', ')}`.trim();
    switch (refusal?.code) {
      case 'unauthenticated': {
        const isSent = /^bearer /i.test(headers.authorization ?? '');
        return challenge(...(isSent ? ['error="invalid_token"'] : []), ...place, ...needed);
      }
      case 'insufficient_scope':
        return challenge('error="insufficient_scope"', ...place, ...needed);
      case 'recent_sign_in_required': {
        const { acrValues: names, maxAge } = refusal.stepUp ?? {};
        return challenge(
          'error="insufficient_user_authentication"',
          ...place,
          ...(names ? [`acr_values="${names.join(' ')}"`] : []),
          ...(maxAge === undefined ? [] : [`max_age=${maxAge}`]),
        );
      }
      default:
        return null;
    }
  }

  function refuse(request: R, error: unknown, required: TokenRequirements): HttpResponse {
    const problem = parts.problemOf(request, error);
    const challenge = challengeOf(request, error, required);
    const headers = { ...problem.headers, ...(challenge !== null && { 'WWW-Authenticate': challenge }) };
    return { ...problem, headers: required.cors ? { ...headers, ...openToAll } : headers };
  }

  const read = (guard: string, given: unknown) => readRequirements(guard, given, parts);

  return {
    metadata: parts.metadataUrl === null ? null : parts.metadata,

    async verify(token: unknown) {
      // A caller without types passes on a header or a cookie that there may not be.
      const text = typeof token === 'string' ? token : '';
      return authOf(text, await check(text));
    },

    requireToken(given) {
      const required = read('requireToken', given);
      return async (req: IncomingMessage, res: ServerResponse, next: (error?: unknown) => void) => {
        const request = parts.onNode(req);
        const preflight = preflightOf(request, required);
        if (preflight) return sendResponse(res, preflight);
        try {
          Object.assign(req, { auth: await admit(request, required) });
        } catch (error) {
          let refused: HttpResponse;
          try {
            refused = refuse(request, error, required);
          } catch (unexpected) {
            return next(unexpected);
          }
          return sendResponse(res, refused);
        }
        if (required.cors) for (const [name, value] of Object.entries(openToAll)) res.setHeader(name, value);
        next();
      };
    },

    async protect(request, given) {
      const required = read('protect', given);
      const own = parts.onFetch(request);
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

/** Returns the response to a preflight where the route is open to pages of every origin, else null. */
function preflightOf({ method, headers }: Sent, { cors }: TokenRequirements): HttpResponse | null {
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
function readRequirements(
  guard: string,
  given: unknown,
  { name, scopes }: { name: string; scopes: readonly string[] },
): TokenRequirements {
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
