import type { ErrorCodes, ErrorKind } from './error-kind.ts';
import { featureErrors } from './feature-errors.ts';
import { type ByLanguage, textIn } from './words/by-language.ts';
import type { Values } from './words/message.ts';
import { type AnySaid, type FieldMessageId, type Said, say } from './words/said.ts';
import { english, type Words } from './words/words.ts';

/**
 * Every error code that a caller can see, in REST and GraphQL. A code never changes its meaning. `title` is the same at
 * every occurrence (RFC 9457 §3.1.3), and in English; the text for people is the message `error_<code>`, unless the
 * throwing code supplies a more precise one.
 */
export const errorCodes = {
  bad_json: { kind: 'bad_request', title: 'Malformed JSON' },
  body_too_large: { kind: 'too_large', title: 'Body too large' },
  unsupported_media_type: { kind: 'unsupported', title: 'Unsupported media type' },
  invalid_document: { kind: 'bad_request', title: 'Invalid GraphQL document' },
  invalid_input: { kind: 'invalid', title: 'Invalid input' },
  unauthenticated: { kind: 'unauthenticated', title: 'Not signed in' },
  forbidden: { kind: 'forbidden', title: 'Not allowed' },
  invalid_credentials: { kind: 'unauthenticated', title: 'Wrong credentials' },
  account_disabled: { kind: 'forbidden', title: 'Account disabled' },
  email_not_verified: { kind: 'forbidden', title: 'Address not verified' },
  account_locked: { kind: 'too_many', title: 'Account locked' },
  rate_limited: { kind: 'too_many', title: 'Too many requests' },
  wrong_password: { kind: 'bad_request', title: 'Wrong password' },
  password_not_set: { kind: 'bad_request', title: 'No password' },
  password_required: { kind: 'bad_request', title: 'Password required' },
  account_reported: { kind: 'conflict', title: 'Account reported' },
  password_unchanged: { kind: 'bad_request', title: 'Password unchanged' },
  email_unchanged: { kind: 'bad_request', title: 'Address unchanged' },
  mfa_code_wrong: { kind: 'bad_request', title: 'Wrong code' },
  mfa_code_expired: { kind: 'bad_request', title: 'Code expired' },
  mfa_code_missing: { kind: 'bad_request', title: 'No code' },
  LOCKED: { kind: 'bad_request', title: 'Attempts used up' },
  bad_redirect: { kind: 'bad_request', title: 'Bad redirect' },
  recent_sign_in_required: { kind: 'unauthenticated', title: 'Recent sign-in required' },
  mfa_enrolment_required: { kind: 'forbidden', title: 'Second factor required' },
  authenticator_limit: { kind: 'conflict', title: 'Too many authenticators' },
  passkey_invalid: { kind: 'bad_request', title: 'Invalid passkey' },
  last_factor: { kind: 'conflict', title: 'Last second factor' },
  last_sign_in_method: { kind: 'bad_request', title: 'Last sign-in method' },
  identity_in_use: { kind: 'conflict', title: 'Identity in use' },
  already_linked: { kind: 'conflict', title: 'Already linked' },
  already_verified: { kind: 'conflict', title: 'Already verified' },
  last_superuser: { kind: 'conflict', title: 'Last superuser' },
  user_in_use: { kind: 'conflict', title: 'Account in use' },
  refused_by_host: { kind: 'forbidden', title: 'Refused by the application' },
  email_taken: { kind: 'conflict', title: 'Address taken' },
  registration_closed: { kind: 'forbidden', title: 'Registration closed' },
  invalid_token: { kind: 'bad_request', title: 'Invalid token' },
  insufficient_scope: { kind: 'forbidden', title: 'Scope missing' },
  ...featureErrors,
  not_found: { kind: 'not_found', title: 'Not found' },
  method_not_allowed: { kind: 'method_not_allowed', title: 'Method not allowed' },
  unavailable: { kind: 'unavailable', title: 'Temporarily unavailable' },
  internal_error: { kind: 'internal', title: 'Internal error' },
} as const satisfies ErrorCodes;

export type ErrorCode = keyof typeof errorCodes;

const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(errorCodes, code);

/** Every error code. */
export const errorCodeNames: readonly ErrorCode[] = Object.keys(errorCodes).filter(isErrorCode);

/** Returns what an error of this code says in English, unless it says more. */
export const detailOf = (code: ErrorCode): string => english.say(messageOf(code));

const messageOf = (code: ErrorCode): AnySaid => ({ id: `error_${code.toLowerCase()}`, values: {} });

/**
 * One input error. `path` is dotted, in the names of the service layer, until an interface translates it into its own.
 */
export interface FieldError {
  path: string;
  /** Why it is invalid, in English, without the name of the field. */
  message: string;
  /** The rule that the value breaks, as a word that never changes its meaning: `too_short`. docs/errors.md lists all of them. */
  rule: string;
  /** The numbers and names in the message. */
  params?: Values;
}

/** An input error, with the message that it is in each language. */
export interface SaidFieldError extends FieldError {
  said?: Said;
}

/** Returns the rule of a message about a field: `too_long` of `field_too_long__token`. */
const ruleOf = (id: string) => id.replace(/^field_/, '').replace(/__.*$/, '');

/** Returns an input error. */
export function fieldError(path: string, said: Said<FieldMessageId>): SaidFieldError {
  const { id, values } = said;
  return {
    path,
    message: english.say(said),
    rule: ruleOf(id),
    ...(Object.keys(values).length > 0 && { params: values }),
    said,
  };
}

/** The state of a client's limit; `resetSeconds` are the seconds until its window ends. */
export interface RateLimitState {
  limit: number;
  remaining: number;
  resetSeconds: number;
}

interface ErrorOptions {
  /**
   * The text for people: a message of the catalogue, or a text that has only one language, as that of a host's refusal. When it is
   * absent, the texts of the input errors, or else the code's own message. Never contains a secret, SQL, a file path or the input
   * itself.
   */
  detail?: Said | string | ByLanguage;
  /** Logged, never sent to the client. */
  cause?: unknown;
  errors?: SaidFieldError[];
  /** Whole seconds until a retry makes sense (`Retry-After`). */
  retryAfterSeconds?: number;
  rateLimit?: RateLimitState;
  /** How many guesses the code still allows. */
  attemptsRemaining?: number;
  /** The greatest age of a sign-in that would be accepted, in seconds (RFC 9470 §3). */
  maxAgeSeconds?: number;
  /** The sign-in that would be accepted, where the caller has asked for one, or a resource asks for it (CONTRACT §16.3). */
  stepUp?: StepUp;
  /** The scopes that the request needs, all of them (RFC 6750 §3). */
  scopes?: readonly string[];
}

/** A stronger or more recent sign-in (RFC 9470 §3). */
export interface StepUp {
  /** The strengths that are enough. */
  acrValues?: readonly string[] | undefined;
  /** The greatest age, in seconds. */
  maxAge?: number | undefined;
}

const isSaid = (said: AnySaid | ByLanguage): said is AnySaid => typeof said.values === 'object';

const textOf = (said: AnySaid | string | ByLanguage, words: Words): string =>
  typeof said !== 'string' && isSaid(said) ? words.say(said) : textIn(said, words.locale);

const errorsOf = (errors: readonly SaidFieldError[], words: Words): FieldError[] =>
  errors.map(({ said, ...error }) => ({ ...error, ...(said && { message: words.say(said) }) }));

/** Returns what an error of this code says in a language. */
function detailIn(code: ErrorCode, { detail, errors = [] }: ErrorOptions, words: Words): string {
  if (detail !== undefined || errors.length === 0) return textOf(detail ?? messageOf(code), words);
  return errorsOf(errors, words)
    .map(({ path, message }) =>
      path === '' ? message : words.say(say('page_field_wrong', { label: path, message })),
    )
    .join(' ');
}

/**
 * An error that a caller may see: the kind says how to react, the code what happened. `message` is in English.
 * @example const isTaken = error instanceof GatehouseError && error.code === 'email_taken';
 */
export class GatehouseError extends Error {
  override readonly name = 'GatehouseError';
  readonly code: ErrorCode;
  readonly #options: ErrorOptions;
  readonly errors: FieldError[] | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly rateLimit: RateLimitState | undefined;
  readonly attemptsRemaining: number | undefined;
  readonly maxAgeSeconds: number | undefined;
  readonly stepUp: StepUp | undefined;
  readonly scopes: readonly string[] | undefined;

  constructor(code: ErrorCode, options: ErrorOptions = {}) {
    super(detailIn(code, options, english), { cause: options.cause });
    this.code = code;
    this.#options = options;
    this.errors = options.errors?.map(({ said: _, ...error }) => error);
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.rateLimit = options.rateLimit;
    this.attemptsRemaining = options.attemptsRemaining;
    this.maxAgeSeconds = options.maxAgeSeconds ?? options.stepUp?.maxAge;
    this.stepUp = options.stepUp;
    this.scopes = options.scopes;
  }

  /** Returns what it says in a language. */
  detailIn(words: Words): string {
    return detailIn(this.code, this.#options, words);
  }

  /** Returns its input errors in a language. */
  errorsIn(words: Words): FieldError[] | undefined {
    const { errors } = this.#options;
    return errors && errorsOf(errors, words);
  }

  /** Returns the same error with an interface's own names of the fields in its input errors. */
  withPaths(nameOf: (path: string) => string): GatehouseError {
    const { errors } = this.#options;
    if (!errors) return this;
    const named = errors.map(error => ({ ...error, path: nameOf(error.path) }));
    return new GatehouseError(this.code, { ...this.#options, errors: named, cause: this });
  }

  get kind(): ErrorKind {
    return errorCodes[this.code].kind;
  }

  get title(): string {
    return errorCodes[this.code].title;
  }
}

/** Returns the error for work that other requests got in the way of at every try: it may succeed a moment later. */
export const contentionError = (cause?: unknown): GatehouseError =>
  new GatehouseError('unavailable', { retryAfterSeconds: 1, cause });

/**
 * Thrown by a hook of the host to refuse what it was asked about: 403 `refused_by_host`. The reason is shown to the person
 * whose request it was.
 * @example
 * const hooks = {
 *   beforeRegister({ email }) {
 *     if (email.endsWith('@rival.example')) throw new Refusal('Rivals buy elsewhere.');
 *   },
 * };
 */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  /** The reason as it was given. */
  readonly reason: string | ByLanguage;

  /** @param reason a sentence, or a table of it by language: `{ en: 'Closed today.', de: 'Heute geschlossen.' }` */
  constructor(reason: string | ByLanguage = '', options?: { cause?: unknown }) {
    super(textIn(reason, 'en'), options);
    this.reason = reason;
  }
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
  /** The expected form; never contains the value of a secret. */
  message: string;
}

/**
 * A configuration that cannot be used; lists all of its problems at once.
 * @example if (error instanceof ConfigError) for (const { key, message } of error.problems) console.error(key, message);
 */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: ConfigProblem[];

  constructor(problems: ConfigProblem[]) {
    super(problems.map(p => `${p.source}: ${p.key}: ${p.message}`).join('\n'));
    this.problems = problems;
  }
}
