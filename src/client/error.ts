import type { ApiErrorCode } from './generated/error-codes.ts';

/** A failure before or after the API: its own codes are `ApiErrorCode`. */
export type ClientErrorCode =
  /** The server cannot be reached. */
  | 'network'
  /** The answer is not one of Gatehouse. */
  | 'unexpected_response'
  /** The person, or the browser for a reason that it keeps to itself, refused to create or to use a passkey. */
  | 'passkey_cancelled'
  /** The device has a passkey of this account already. */
  | 'passkey_known'
  /** The browser, or this page, cannot use passkeys. */
  | 'passkey_unsupported';

/** Every code that an error of the client can have. */
export type ErrorCode = ApiErrorCode | ClientErrorCode;

/** A problem of one field of the input; `path` is its name, dotted and in camelCase. */
export interface FieldError {
  path: string;
  /** Why it is invalid, without the name of the field. */
  message: string;
  /** The rule that the value breaks, as a word that never changes its meaning: `too_short`. */
  rule: string;
  /** The numbers and names in the message. */
  params?: Readonly<Record<string, string | number>>;
}

/**
 * Why a call failed. `message` is a sentence for people, in the language of the answer; `code` never changes its meaning.
 * @example if (error instanceof GatehouseError && error.code === 'rate_limited') retryIn(error.retryAfter);
 */
export class GatehouseError extends Error {
  declare readonly code: ErrorCode;
  /** The HTTP status; 0 where there was no response. */
  declare readonly status: number;
  /** The problems of the input, field by field; empty unless `code` is `invalid_input`. */
  declare readonly errors: readonly FieldError[];
  /** Seconds until the same call makes sense again. */
  declare readonly retryAfter: number | undefined;
  /** How many guesses the code or its sign-in still allows. */
  declare readonly attemptsRemaining: number | undefined;
  /** Of `recent_sign_in_required`: the strengths of a sign-in that are enough. */
  declare readonly acrValues: readonly string[] | undefined;
  /** Of `recent_sign_in_required`: the greatest age of a sign-in, in seconds. */
  declare readonly maxAge: number | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    { status = 0, errors = [], ...more }: Partial<GatehouseError> = {},
    cause?: unknown,
  ) {
    super(message, { cause });
    const { retryAfter, attemptsRemaining, acrValues, maxAge } = more;
    Object.assign(this, { name: 'GatehouseError', code, status, errors });
    Object.assign(this, { retryAfter, attemptsRemaining, acrValues, maxAge });
  }
}
