/** A code of the catalogue with which an API refuses a request (docs/errors.md). */
export type TokenErrorCode =
  | 'unauthenticated'
  | 'insufficient_scope'
  | 'recent_sign_in_required'
  | 'unavailable';

/** The text of the problem document of each code. */
export const problems: Record<TokenErrorCode, { status: number; title: string; detail: string }> = {
  unauthenticated: { status: 401, title: 'Not signed in', detail: 'A valid access token is required.' },
  insufficient_scope: {
    status: 403,
    title: 'Scope missing',
    detail: 'The token does not have every scope that this takes.',
  },
  recent_sign_in_required: {
    status: 401,
    title: 'Recent sign-in required',
    detail: 'Sign in again to do this.',
  },
  unavailable: {
    status: 503,
    title: 'Temporarily unavailable',
    detail: 'A dependency of this service is unavailable. Try again shortly.',
  },
};

/** The sign-in that an API asks for. */
export interface WantedSignIn {
  /** The strengths that are enough. */
  acrValues?: readonly string[] | undefined;
  /** The greatest age, in seconds. */
  maxAge?: number | undefined;
}

/**
 * A token that does not count, or that cannot be checked at the moment (`unavailable`).
 * @example const isRefused = error instanceof TokenError && error.code === 'unauthenticated';
 */
export class TokenError extends Error {
  override readonly name = 'TokenError';
  readonly code: TokenErrorCode;
  /** Of `recent_sign_in_required`: the sign-in that is asked for. */
  readonly stepUp: WantedSignIn | undefined;

  constructor(code: TokenErrorCode, { stepUp, cause }: { stepUp?: WantedSignIn; cause?: unknown } = {}) {
    super(problems[code].detail, { cause });
    this.code = code;
    this.stepUp = stepUp;
  }
}
