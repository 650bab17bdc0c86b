import type { ErrorKind } from '../error-kind.ts';
import { type ErrorCode, errorCodes, type FieldError, GatehouseError } from '../errors.ts';
import { say } from '../words/said.ts';
import type { Words } from '../words/words.ts';

/** The only place where error kinds become statuses, for REST and GraphQL. */
const statusOfKind: Record<ErrorKind, number> = {
  bad_request: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  too_large: 413,
  unsupported: 415,
  invalid: 422,
  too_many: 429,
  internal: 500,
  unavailable: 503,
};

export const statusOf = (code: ErrorCode): number => statusOfKind[errorCodes[code].kind];

/** RFC 9457, with `code` and the list of input errors as extensions. */
export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: ErrorCode;
  errors?: FieldError[];
  attempts_remaining?: number;
  acr_values?: readonly string[];
  max_age?: number;
}

export function toProblem(error: GatehouseError, words: Words): Problem {
  const errors = error.errorsIn(words);
  return {
    // An identifier, not an address to open; the list is in docs/errors.md.
    type: `urn:gatehouse:error:${error.code}`,
    title: error.title,
    status: statusOf(error.code),
    detail: error.detailIn(words),
    code: error.code,
    ...(errors && { errors }),
    ...(error.attemptsRemaining !== undefined && { attempts_remaining: error.attemptsRemaining }),
    ...(error.stepUp?.acrValues && { acr_values: error.stepUp.acrValues }),
    ...(error.maxAgeSeconds !== undefined && { max_age: error.maxAgeSeconds }),
  };
}

/**
 * Returns the challenge of a 401 (RFC 9110 §11.6.1) and of a scope that is missing (RFC 6750 §3); null for any other error. A
 * sign-in that is too old, or was made without the second step, is named by RFC 9470 §3.
 */
function challengeOf({ code, kind, maxAgeSeconds, stepUp, scopes }: GatehouseError): string | null {
  if (scopes) return `Bearer error="insufficient_scope", scope="${scopes.join(' ')}"`;
  if (kind !== 'unauthenticated') return null;
  if (code !== 'recent_sign_in_required') return 'Bearer';
  const acrValues = stepUp?.acrValues ? `, acr_values="${stepUp.acrValues.join(' ')}"` : '';
  const maxAge = maxAgeSeconds === undefined ? '' : `, max_age=${maxAgeSeconds}`;
  return `Bearer error="insufficient_user_authentication"${acrValues}${maxAge}`;
}

/** Returns the headers that belong to an error. */
export function problemHeaders(error: GatehouseError): Record<string, string> {
  const challenge = challengeOf(error);
  return {
    ...(challenge !== null && { 'WWW-Authenticate': challenge }),
    ...(error.retryAfterSeconds !== undefined && {
      'Retry-After': String(Math.ceil(error.retryAfterSeconds)),
    }),
    ...(error.rateLimit && {
      'RateLimit-Limit': String(error.rateLimit.limit),
      'RateLimit-Remaining': String(error.rateLimit.remaining),
      'RateLimit-Reset': String(error.rateLimit.resetSeconds),
    }),
  };
}

/** Returns anything that was thrown as an error that may be sent; an unexpected one is logged under the request's id. */
export function toGatehouseError(error: unknown, requestId: string): GatehouseError {
  if (error instanceof GatehouseError) return error;
  return new GatehouseError('internal_error', {
    detail: say('error_internal_error_logged', { request_id: requestId }),
    cause: error,
  });
}
