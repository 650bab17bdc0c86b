import { type ErrorCode, type ErrorKind, errorCodes, type FieldError, GatehouseError } from '../errors.ts';

/** The one place where kinds become statuses, for both doors. */
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

/** RFC 9457, with our `code` and the list of input errors as its extensions. */
export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: ErrorCode;
  errors?: FieldError[];
  attempts_remaining?: number;
}

export function toProblem(error: GatehouseError): Problem {
  return {
    // An identifier, not an address to open; docs/errors.md has the list.
    type: `urn:gatehouse:error:${error.code}`,
    title: error.title,
    status: statusOf(error.code),
    detail: error.message,
    code: error.code,
    ...(error.errors && { errors: error.errors }),
    ...(error.attemptsRemaining !== undefined && { attempts_remaining: error.attemptsRemaining }),
  };
}

/** The headers that an error brings along. */
export function problemHeaders(error: GatehouseError): Record<string, string> {
  return {
    // RFC 9110 §11.6.1: a 401 names its challenge.
    ...(error.kind === 'unauthenticated' && { 'WWW-Authenticate': 'Bearer' }),
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

/** Anything that was thrown, as an error that may leave; what nobody foresaw is logged under the request's id. */
export function toGatehouseError(error: unknown, requestId: string): GatehouseError {
  if (error instanceof GatehouseError) return error;
  return new GatehouseError('internal_error', {
    detail: `Something unexpected went wrong. The log has it under request id ${requestId}.`,
    cause: error,
  });
}
