/** How a caller should react to an error; `rest/problem.ts` gives each kind its HTTP status. */
export type ErrorKind =
  | 'bad_request'
  | 'unauthenticated'
  | 'forbidden'
  | 'not_found'
  | 'method_not_allowed'
  | 'conflict'
  | 'too_large'
  | 'unsupported'
  | 'invalid'
  | 'too_many'
  | 'internal'
  | 'unavailable';

/**
 * Every error code that a caller can see, at either door. A code never changes its meaning.
 * `title` is the same at every occurrence (RFC 9457 §3.1.3); `detail` is what people read unless the place that
 * throws knows better.
 */
export const errorCodes = {
  bad_json: { kind: 'bad_request', title: 'Malformed JSON', detail: 'The body is not valid JSON.' },
  body_too_large: { kind: 'too_large', title: 'Body too large', detail: 'The body exceeds 64 KiB.' },
  unsupported_media_type: {
    kind: 'unsupported',
    title: 'Unsupported media type',
    detail: 'Send the body as application/json, in UTF-8.',
  },
  invalid_document: {
    kind: 'bad_request',
    title: 'Invalid GraphQL document',
    detail: 'The document does not parse, does not fit the schema, or is too large.',
  },
  invalid_input: {
    kind: 'invalid',
    title: 'Invalid input',
    detail: 'Some fields are not as they should be.',
  },
  unauthenticated: {
    kind: 'unauthenticated',
    title: 'Not signed in',
    detail: 'A valid session token is needed.',
  },
  forbidden: { kind: 'forbidden', title: 'Not allowed', detail: 'Only a superuser may do this.' },
  invalid_credentials: {
    kind: 'unauthenticated',
    title: 'Wrong credentials',
    detail: 'The address or the password is wrong.',
  },
  account_disabled: { kind: 'forbidden', title: 'Account disabled', detail: 'This account is disabled.' },
  email_not_verified: {
    kind: 'forbidden',
    title: 'Address not verified',
    detail: 'Open the link in the verification mail first.',
  },
  account_locked: {
    kind: 'too_many',
    title: 'Account locked',
    detail: 'Too many failed attempts. Try again later.',
  },
  rate_limited: {
    kind: 'too_many',
    title: 'Too many requests',
    detail: 'Too many requests. Try again later.',
  },
  wrong_password: {
    kind: 'bad_request',
    title: 'Wrong password',
    detail: 'The current password is wrong.',
  },
  password_not_set: {
    kind: 'bad_request',
    title: 'No password',
    detail: 'This account has no password. Set one with the password-reset flow first.',
  },
  password_unchanged: {
    kind: 'bad_request',
    title: 'Password unchanged',
    detail: 'The new password is the current one.',
  },
  email_unchanged: {
    kind: 'bad_request',
    title: 'Address unchanged',
    detail: 'The new address is the current one.',
  },
  mfa_code_wrong: { kind: 'bad_request', title: 'Wrong code', detail: 'The code is wrong.' },
  mfa_code_expired: {
    kind: 'bad_request',
    title: 'Code expired',
    detail: 'The code has expired; ask for a new one.',
  },
  mfa_code_missing: {
    kind: 'bad_request',
    title: 'No code',
    detail: 'There is no code to confirm; ask for a new one.',
  },
  LOCKED: {
    kind: 'bad_request',
    title: 'Attempts used up',
    detail: 'Every attempt that this code allows was used; ask for a new one.',
  },
  bad_redirect: {
    kind: 'bad_request',
    title: 'Bad redirect',
    detail: '`redirect_to` must be a page of this site.',
  },
  last_sign_in_method: {
    kind: 'bad_request',
    title: 'Last sign-in method',
    detail: 'This is the last sign-in method of the account; set a password first.',
  },
  already_verified: {
    kind: 'conflict',
    title: 'Already verified',
    detail: 'The address of this account is verified already.',
  },
  last_superuser: {
    kind: 'conflict',
    title: 'Last superuser',
    detail: 'This is the last active superuser; make somebody else one first.',
  },
  email_taken: {
    kind: 'conflict',
    title: 'Address taken',
    detail: 'An account with this address exists already.',
  },
  registration_closed: {
    kind: 'forbidden',
    title: 'Registration closed',
    detail: 'New accounts cannot be made here.',
  },
  invalid_token: {
    kind: 'bad_request',
    title: 'Invalid token',
    detail: 'The token is not valid here, was used, or has expired.',
  },
  not_found: { kind: 'not_found', title: 'Not found', detail: 'There is no such thing here.' },
  method_not_allowed: {
    kind: 'method_not_allowed',
    title: 'Method not allowed',
    detail: 'This path does not have that method; the Allow header names those it has.',
  },
  unavailable: {
    kind: 'unavailable',
    title: 'Temporarily unavailable',
    detail: 'Something this service depends on does not answer. Try again shortly.',
  },
  internal_error: { kind: 'internal', title: 'Internal error', detail: 'Something unexpected went wrong.' },
} as const satisfies Record<string, { kind: ErrorKind; title: string; detail: string }>;

export type ErrorCode = keyof typeof errorCodes;

/** One input error: `path` is dotted, in the service layer's names, until a door turns it into its own. */
export interface FieldError {
  path: string;
  message: string;
}

/** Where a client stands with a limit; `resetSeconds` until its window ends. */
export interface RateLimitState {
  limit: number;
  remaining: number;
  resetSeconds: number;
}

interface ErrorOptions {
  /** What people read; the code's own sentence when absent. Never a secret, SQL, a file path or the input itself. */
  detail?: string;
  /** Logged, never sent. */
  cause?: unknown;
  errors?: FieldError[];
  /** Whole seconds until trying again makes sense. */
  retryAfterSeconds?: number;
  rateLimit?: RateLimitState;
  /** How many guesses the code still allows. */
  attemptsRemaining?: number;
}

/** An error that a caller may see: the kind says how to react, the code what happened. */
export class GatehouseError extends Error {
  override readonly name = 'GatehouseError';
  readonly code: ErrorCode;
  readonly errors: FieldError[] | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly rateLimit: RateLimitState | undefined;
  readonly attemptsRemaining: number | undefined;

  constructor(code: ErrorCode, options: ErrorOptions = {}) {
    super(options.detail ?? errorCodes[code].detail, { cause: options.cause });
    this.code = code;
    this.errors = options.errors;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.rateLimit = options.rateLimit;
    this.attemptsRemaining = options.attemptsRemaining;
  }

  get kind(): ErrorKind {
    return errorCodes[this.code].kind;
  }

  get title(): string {
    return errorCodes[this.code].title;
  }
}

/** What the storage layer says of an outage, below whatever was made of it; null where it was something else. No secrets. */
export function storageReason(error: unknown): string | null {
  for (let e = error; e instanceof Error; e = e.cause) if (e.name === 'StorageError') return e.message;
  return null;
}

/** One thing that is wrong with a configuration. */
export interface ConfigProblem {
  /** Where the value came from: `environment`, a file's name, `arguments`, `defaults`; `not set` where nobody gave one. */
  source: string;
  /** The key in the names of its source: `SVC_EMAIL__SMTP_PORT`, `email.smtp_port`, `email.smtpPort`. */
  key: string;
  /** What is expected, and never the value of a secret. */
  message: string;
}

/** A configuration that cannot be used, with everything that is wrong with it at once. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: ConfigProblem[];

  constructor(problems: ConfigProblem[]) {
    super(problems.map(p => `${p.source}: ${p.key}: ${p.message}`).join('\n'));
    this.problems = problems;
  }
}
