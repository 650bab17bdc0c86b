import { isPlainObject } from '../plain-object.ts';

/** The demands on a session beside its validity, and where it may come from. */
export interface SessionRequirements {
  /** The greatest age of the sign-in, in seconds; an older one is 401 `recent_sign_in_required`. */
  recentSeconds?: number;
  /** Whether two factors must have been used: a second step, or a passkey. */
  mfa?: boolean;
  /**
   * Whether the session may also be the one that the browser keeps (`enable_browser_sessions`), for pages that the host
   * renders. A bearer token wins. Persons who open a page without a session are redirected to the login page.
   */
  browser?: boolean;
  /**
   * Whether each method but GET and HEAD needs the token of the session (`req.auth.csrfToken`), in the header `X-CSRF-Token`
   * or in the field `_csrf` of a body that was parsed before the guard; else 403 `forbidden`. Needs `browser`.
   */
  csrf?: boolean;
}

/** As `SessionRequirements`, where no guard of its own asks for a role. */
export interface Protection extends SessionRequirements {
  /** Whether the user must be a superuser; others are refused with 403 `forbidden`. */
  superuser?: boolean;
  /** A role that the user must have; others are refused with 403 `forbidden`. */
  role?: string;
}

type Name = keyof Protection;

const flag = { is: (value: unknown) => typeof value === 'boolean', what: 'true or false' };

/** The values that each requirement may have. */
const meaningful: Record<Name, { is: (value: unknown) => boolean; what: string }> = {
  recentSeconds: { is: value => typeof value === 'number' && value > 0, what: 'a number above 0' },
  mfa: flag,
  browser: flag,
  csrf: flag,
  superuser: flag,
  role: { is: value => typeof value === 'string', what: 'a text' },
};

/** The requirements of each guard. */
export const requirementsOf = {
  requireSession: ['recentSeconds', 'mfa', 'browser', 'csrf'],
  requireSuperuser: ['recentSeconds', 'mfa', 'browser', 'csrf'],
  requireRole: ['recentSeconds', 'mfa', 'browser', 'csrf'],
  optionalSession: ['browser'],
  sessionOf: ['browser'],
  protect: ['recentSeconds', 'mfa', 'superuser', 'role', 'browser', 'csrf'],
} as const satisfies Record<string, readonly Name[]>;

/**
 * Returns the requirements that a host has given to a guard. A misspelt one must not leave a route without it.
 * @throws {TypeError} when one is unknown or meaningless, or `enable_browser_sessions` is off and it is needed
 */
export function readRequirements(
  guard: keyof typeof requirementsOf,
  given: unknown,
  hasBrowserSessions: boolean,
): Protection {
  const known: readonly string[] = requirementsOf[guard];
  // Of a number, a text or the instance of a class nothing would be read.
  if (given != null && !isPlainObject(given))
    throw new TypeError(`${guard} takes an object: there ${listed(known)}.`);
  const requirements = (given ?? {}) as Protection;
  for (const [name, value] of Object.entries(requirements)) {
    if (!known.includes(name)) throw new TypeError(`${guard} knows no ${name}: there ${listed(known)}.`);
    // A misspelt constant is undefined, and a role may be all that a route asks for.
    if (value === undefined && name !== 'role') continue;
    const { is, what } = meaningful[name as Name];
    if (!is(value)) throw new TypeError(`${name} of ${guard} must be ${what}.`);
  }
  if (requirements.browser && !hasBrowserSessions)
    throw new TypeError(`${guard}({ browser: true }) needs enable_browser_sessions = true.`);
  if (requirements.csrf && !requirements.browser)
    throw new TypeError(`${guard}({ csrf: true }) needs browser: true. A bearer token cannot be forged.`);
  return requirements;
}

/** Detects that a route calls a factory as if it were the guard, which would leave every request waiting. */
export function assertNotRoute(guard: string, given: readonly unknown[]): void {
  if (typeof given[2] === 'function')
    throw new TypeError(`${guard} returns the guard of a route: call it, ${guard}().`);
}

const listed = (names: readonly string[]) =>
  names.length === 1 ? `is ${names[0]}` : `are ${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
