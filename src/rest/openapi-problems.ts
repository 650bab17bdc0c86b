import { asksRecentSignIn, demandsOf } from '../domain/operation.ts';
import { detailOf, type ErrorCode, errorCodeNames, fieldError, GatehouseError } from '../errors.ts';
import { type Problem, statusOf, toProblem } from '../http/problem.ts';
import { say } from '../words/said.ts';
import { english } from '../words/words.ts';
import type { Json } from './json-schemas.ts';
import type { Route } from './route.ts';

/** A document says more about its routes than the definitions of their operations: this. */
export interface DeploymentFacts {
  /** Whether some accounts must have a second factor (`mfa_required`). */
  isEnrolmentRequired: boolean;
  /** Whether people can have API keys. */
  hasKeys: boolean;
}

interface RouteFacts extends DeploymentFacts {
  hasInput: boolean;
}

/** Returns every code of this route's responses: its operation's own, and those of its access, limit and body. */
function errorsOf({ method, isProtocol, isForResources, operation: { spec } }: Route, facts: RouteFacts) {
  const { hasInput, isEnrolmentRequired, hasKeys } = facts;
  const { kind } = spec.access;
  const demands = demandsOf(spec);
  const needsEnrolment = isEnrolmentRequired && kind !== 'anyone' && !demands.isOpenBeforeEnrolment;
  const codes: ErrorCode[] = [
    ...spec.errors,
    ...(hasInput || method !== 'GET' ? (['invalid_input'] as const) : []),
    ...(method !== 'GET' ? (['bad_json', 'body_too_large', 'unsupported_media_type'] as const) : []),
    ...(kind !== 'anyone' ? (['unauthenticated'] as const) : []),
    ...(asksRecentSignIn(demands) || needsEnrolment ? (['recent_sign_in_required'] as const) : []),
    ...(kind === 'superuser' ? (['forbidden'] as const) : []),
    ...(needsEnrolment ? (['mfa_enrolment_required'] as const) : []),
    ...(hasKeys && demands.scope !== undefined ? (['insufficient_scope'] as const) : []),
    ...(spec.limit ? (['rate_limited'] as const) : []),
    'unavailable',
    'internal_error',
  ];
  if (!isProtocol) return [...new Set(codes)];
  // A refused form is answered as OAuth 2 has it; only refused credentials of a resource are counted.
  const others = codes.filter(code => statusOf(code) !== 400 && code !== 'invalid_input');
  return [...new Set<ErrorCode>([...others, ...(isForResources ? (['rate_limited'] as const) : [])])];
}

/**
 * Returns one response for each status that a route refuses with. Its examples are under the codes that the status has there.
 */
export function problemResponses(route: Route, facts: RouteFacts): Record<string, Json> {
  const codes = errorsOf(route, facts);
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of codes) byStatus.set(statusOf(code), [...(byStatus.get(statusOf(code)) ?? []), code]);
  return Object.fromEntries(
    [...byStatus].map(([status, list]) => {
      const schema = { $ref: '#/components/schemas/Problem' };
      const examples = Object.fromEntries(
        list.map(code => [code, { $ref: `#/components/examples/${code}` }]),
      );
      const description = list.map(code => `\`${code}\`: ${detailOf(code)}`).join(' ');
      return [
        status,
        {
          description,
          headers: headersOf(status, list),
          content: { 'application/problem+json': { schema, examples } },
        },
      ];
    }),
  );
}

function problemExample(code: ErrorCode): Problem {
  const errors = [fieldError('email', say('field_required'))];
  return toProblem(new GatehouseError(code, code === 'invalid_input' ? { errors } : {}), english);
}

function headersOf(status: number, codes: ErrorCode[]): Json | undefined {
  const whole = (description: string) => ({ schema: { type: 'integer' }, description });
  const retryAfter = whole('Seconds until the request may be sent again.');
  if (status === 401) {
    const stepUp =
      ' With `recent_sign_in_required` also `error="insufficient_user_authentication"` and `max_age`, in seconds (RFC 9470).';
    const description = `The scheme: \`Bearer\`.${codes.includes('recent_sign_in_required') ? stepUp : ''}`;
    return { 'WWW-Authenticate': { schema: { type: 'string' }, description } };
  }
  if (status === 403 && codes.includes('insufficient_scope')) {
    const description = 'With `insufficient_scope`: the scheme, the error and the scopes (RFC 6750).';
    return { 'WWW-Authenticate': { schema: { type: 'string' }, description } };
  }
  if (status === 503) return { 'Retry-After': retryAfter };
  if (status !== 429) return undefined;
  return {
    'Retry-After': retryAfter,
    'RateLimit-Limit': whole('Requests that the window allows; of a route limit only.'),
    'RateLimit-Remaining': whole('Requests that are left in the window; of a route limit only.'),
    'RateLimit-Reset': whole('Seconds until the window ends; of a route limit only.'),
  };
}

/** RFC 9457, with Gatehouse's extensions. */
const problemSchema: Json = {
  type: 'object',
  description: 'Why a request was refused (RFC 9457).',
  required: ['type', 'title', 'status', 'detail', 'code'],
  properties: {
    type: { type: 'string', format: 'uri', description: 'Identifies the code, as a URN.' },
    title: { type: 'string', description: 'The code in a few words, the same at every occurrence.' },
    status: { type: 'integer', description: 'The status of the response.' },
    detail: { type: 'string', description: 'A sentence for people.' },
    code: { $ref: '#/components/schemas/ErrorCode' },
    attempts_remaining: {
      type: 'integer',
      minimum: 0,
      description: 'With a wrong code: how many more attempts it allows.',
    },
    max_age: {
      type: 'integer',
      minimum: 0,
      description: 'With `recent_sign_in_required`: how old a sign-in may be, in seconds.',
    },
    acr_values: {
      type: 'array',
      description: 'With `recent_sign_in_required`: the strengths of a sign-in that are enough.',
      items: { type: 'string' },
    },
    errors: {
      type: 'array',
      description: 'With `invalid_input`: each field that is invalid.',
      items: {
        type: 'object',
        required: ['path', 'message', 'rule'],
        properties: {
          path: { type: 'string', description: 'The field; dotted where it is in another one.' },
          message: { type: 'string', description: 'Why it is invalid, without the name of the field.' },
          rule: { type: 'string', description: 'For programs: it never changes its meaning.' },
          params: { type: 'object', description: 'The numbers and names in the message.' },
        },
      },
    },
  },
};

/** The part that all responses of refusals share, so that a client has one type for them. */
export const problemComponents = {
  schemas: {
    Problem: problemSchema,
    ErrorCode: {
      type: 'string',
      enum: errorCodeNames,
      description: 'For programs: it never changes its meaning.',
    },
  },
  examples: Object.fromEntries(errorCodeNames.map(code => [code, { value: problemExample(code) }])),
};
