/** How a caller should react to an error; `http/problem.ts` maps each kind to its HTTP status. */
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
 * Every error code that a caller can see, in REST and GraphQL. A code never changes its meaning. `title` is the same at
 * every occurrence (RFC 9457 §3.1.3); `detail` is the text for people unless the throwing code supplies a more precise
 * one.
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
    detail: 'The document does not parse, does not fit the schema, is too large, or is not trusted.',
  },
  invalid_input: {
    kind: 'invalid',
    title: 'Invalid input',
    detail: 'Some fields are invalid; `errors` lists them.',
  },
  unauthenticated: {
    kind: 'unauthenticated',
    title: 'Not signed in',
    detail: 'A valid session token is required.',
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
    detail: 'Open the link in the verification email first.',
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
  password_required: {
    kind: 'bad_request',
    title: 'Password required',
    detail:
      'This address was registered more than once. Send a password of your own together with the token.',
  },
  account_reported: {
    kind: 'conflict',
    title: 'Account reported',
    detail:
      'Nothing was sent: the account was reported from its former address. Set its address or unlock it first.',
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
    detail: 'The code has expired; request a new one.',
  },
  mfa_code_missing: {
    kind: 'bad_request',
    title: 'No code',
    detail: 'There is no code to confirm; request a new one.',
  },
  LOCKED: {
    kind: 'bad_request',
    title: 'Attempts used up',
    detail: 'All attempts for this code were used; request a new one.',
  },
  bad_redirect: {
    kind: 'bad_request',
    title: 'Bad redirect',
    detail: '`redirect_to` must be a page of this site.',
  },
  recent_sign_in_required: {
    kind: 'unauthenticated',
    title: 'Recent sign-in required',
    detail: 'Sign in again to do this.',
  },
  mfa_enrolment_required: {
    kind: 'forbidden',
    title: 'Second factor required',
    detail: 'Set up a second factor or a passkey first.',
  },
  authenticator_limit: {
    kind: 'conflict',
    title: 'Too many authenticators',
    detail: 'An account can have at most 10 authenticators. Remove one first.',
  },
  passkey_invalid: {
    kind: 'bad_request',
    title: 'Invalid passkey',
    detail: 'The passkey was not accepted.',
  },
  last_factor: {
    kind: 'conflict',
    title: 'Last second factor',
    detail: 'This account must have a second factor. Add another one before you remove this one.',
  },
  last_sign_in_method: {
    kind: 'bad_request',
    title: 'Last sign-in method',
    detail: 'This is the last sign-in method of the account; set a password first.',
  },
  identity_in_use: {
    kind: 'conflict',
    title: 'Identity in use',
    detail: 'This external identity is linked to another account.',
  },
  already_linked: {
    kind: 'conflict',
    title: 'Already linked',
    detail: 'An identity of this provider is linked to the account already.',
  },
  already_verified: {
    kind: 'conflict',
    title: 'Already verified',
    detail: 'The address of this account is already verified.',
  },
  last_superuser: {
    kind: 'conflict',
    title: 'Last superuser',
    detail: 'This is the last active superuser; make somebody else a superuser first.',
  },
  user_in_use: {
    kind: 'conflict',
    title: 'Account in use',
    detail: 'Other records of this application still refer to this account, so it cannot be deleted.',
  },
  refused_by_host: {
    kind: 'forbidden',
    title: 'Refused by the application',
    detail: 'This application does not allow it.',
  },
  email_taken: {
    kind: 'conflict',
    title: 'Address taken',
    detail: 'An account with this address already exists.',
  },
  registration_closed: {
    kind: 'forbidden',
    title: 'Registration closed',
    detail: 'New accounts cannot be created here.',
  },
  invalid_token: {
    kind: 'bad_request',
    title: 'Invalid token',
    detail: 'The token is not valid for this request, was already used, or has expired.',
  },
  not_found: { kind: 'not_found', title: 'Not found', detail: 'What the request names does not exist.' },
  method_not_allowed: {
    kind: 'method_not_allowed',
    title: 'Method not allowed',
    detail: 'This path does not support the method; the Allow header lists those it does.',
  },
  unavailable: {
    kind: 'unavailable',
    title: 'Temporarily unavailable',
    detail: 'A dependency of this service is unavailable. Try again shortly.',
  },
  internal_error: { kind: 'internal', title: 'Internal error', detail: 'An unexpected error occurred.' },
} as const satisfies Record<string, { kind: ErrorKind; title: string; detail: string }>;

export type ErrorCode = keyof typeof errorCodes;

/**
 * One input error. `path` is dotted, in the names of the service layer, until an interface translates it into its own.
 */
export interface FieldError {
  path: string;
  message: string;
}

/** The state of a client's limit; `resetSeconds` are the seconds until its window ends. */
export interface RateLimitState {
  limit: number;
  remaining: number;
  resetSeconds: number;
}

interface ErrorOptions {
  /**
   * The text for people; the code's own sentence when absent. Never contains a secret, SQL, a file path or the input
   * itself.
   */
  detail?: string;
  /** Logged, never sent to the client. */
  cause?: unknown;
  errors?: FieldError[];
  /** Whole seconds until a retry makes sense (`Retry-After`). */
  retryAfterSeconds?: number;
  rateLimit?: RateLimitState;
  /** How many guesses the code still allows. */
  attemptsRemaining?: number;
  /** The greatest age of a sign-in that would be accepted, in seconds (RFC 9470 §3). */
  maxAgeSeconds?: number;
}

/** An error that a caller may see: the kind says how to react, the code what happened. */
export class GatehouseError extends Error {
  override readonly name = 'GatehouseError';
  readonly code: ErrorCode;
  readonly errors: FieldError[] | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly rateLimit: RateLimitState | undefined;
  readonly attemptsRemaining: number | undefined;
  readonly maxAgeSeconds: number | undefined;

  constructor(code: ErrorCode, options: ErrorOptions = {}) {
    super(options.detail ?? errorCodes[code].detail, { cause: options.cause });
    this.code = code;
    this.errors = options.errors;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.rateLimit = options.rateLimit;
    this.attemptsRemaining = options.attemptsRemaining;
    this.maxAgeSeconds = options.maxAgeSeconds;
  }

  get kind(): ErrorKind {
    return errorCodes[this.code].kind;
  }

  get title(): string {
    return errorCodes[this.code].title;
  }
}

/**
 * Thrown by a hook of the host to refuse what it was asked about: 403 `refused_by_host`. The reason is shown to the person
 * whose request it was.
 */
export class Refusal extends Error {
  override readonly name = 'Refusal';
}

/**
 * Returns the storage layer's reason of an outage, found in the chain of causes; null where the error has another origin.
 * Contains no secrets.
 */
export function storageReason(error: unknown): string | null {
  for (let e = error; e instanceof Error; e = e.cause) if (e.name === 'StorageError') return e.message;
  return null;
}

/** Returns the name of an outage for a health report. */
export function storageStatus(error: unknown): 'down' | 'read_only' | 'full' {
  for (let e = error; e instanceof Error; e = e.cause) {
    if (e.name === 'StorageError') return (e as Error & { status: 'down' | 'read_only' | 'full' }).status;
  }
  return 'down';
}

/** One problem of a configuration. */
export interface ConfigProblem {
  /** The source of the value: `environment`, a file's name, `arguments`, `defaults`; `not set` where there is none. */
  source: string;
  /** The key, in the notation of its source: `SVC_EMAIL__SMTP_PORT`, `email.smtp_port`, `email.smtpPort`. */
  key: string;
  /** What is expected; never contains the value of a secret. */
  message: string;
}

/** A configuration that cannot be used; lists all of its problems at once. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: ConfigProblem[];

  constructor(problems: ConfigProblem[]) {
    super(problems.map(p => `${p.source}: ${p.key}: ${p.message}`).join('\n'));
    this.problems = problems;
  }
}
