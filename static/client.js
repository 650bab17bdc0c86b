// The session and the API, for every page. The session token is kept in localStorage and sent in a header (so CSRF is not
// possible); it is never written into an address. The API reads no cookie; the one for the application's own pages is set
// and taken away here (`enable_browser_sessions`).

/** @import { AnswerOf, ProblemDocument } from './types.d.ts' */

/** The paths of the API and the pages: `/api/auth`, `/account`. */
export const { svcApi: apiPrefix, svcUi: uiPrefix } = document.body.dataset;

/** Returns the address of another page: `page('me')`. @type {(name: string) => string} */
export const page = name => `${uiPrefix}/${name}`;

const timeoutMs = 30_000;

/** Whether the application's own pages know the session, by a cookie that scripts cannot read. */
const hasCookie = 'svcBrowserSessions' in document.body.dataset;

/** Sets the cookie, or takes it away. @param {'POST' | 'DELETE'} method */
const cookie = method => send(`${apiPrefix}/browser-session`, { method, credentials: 'same-origin' });

/** Where the user was going before an email was requested. The next user of this browser is not led there. */
export const beforeEmailKey = 'svc.before_email';

/** The session token of this browser. */
export const session = {
  get token() {
    return localStorage.getItem('svc.access_token');
  },
  /** @param {string} token */
  async start(token) {
    localStorage.setItem('svc.access_token', token);
    sessionStorage.removeItem(recentKey);
    // Where this fails, a page of the application leads to the login page, which tries it again and says what is wrong. The
    // cookie of whoever was here before must not stay.
    if (!hasCookie) return;
    const kept = await cookie('POST').catch(() => null);
    if (!kept?.ok) await cookie('DELETE').catch(() => {});
  },
  /**
   * Goes on with a session that came beside the present one, which ends: it was made with one factor. @param {string} token
   */
  async replace(token) {
    const former = this.token;
    await this.start(token);
    // Not awaited, and sent also when the page is left; where every session had to end, this one has.
    const ending = { method: 'POST', body: {}, token: former, keepalive: true };
    send(`${apiPrefix}/logout`, ending).catch(() => {});
  },
  async end() {
    for (const key of ['svc.access_token', beforeEmailKey]) localStorage.removeItem(key);
    // Where this fails, the cookie of an ended session remains, which nobody accepts.
    if (hasCookie) await cookie('DELETE').catch(() => {});
  },
};

/** Why a call failed: a `code` of the API's catalogue, or `network`. */
export class Problem extends Error {
  /**
   * @param {ProblemDocument} document
   * @param {number} [retryAfterSeconds]
   */
  constructor({ code, detail, status = 0, errors = [], attempts_remaining }, retryAfterSeconds) {
    super(detail);
    this.code = code;
    this.status = status;
    this.errors = errors;
    this.attemptsRemaining = attempts_remaining;
    this.retryAfterSeconds = retryAfterSeconds;
  }

  /** Whether the same call is likely to succeed in a moment. */
  get isPassing() {
    return ['network', 'unavailable', 'internal_error'].includes(this.code);
  }
}

/**
 * How a page has its user sign in again, within the session, where the API asks for it: resolves to whether that was
 * done. A page without a dialog for it leads to the login page and back.
 * @type {{ ask: () => Promise<boolean> }}
 */
export const again = { ask: () => leaveForLogin('sign_in_again') };

/**
 * Calls the API and returns the body of its response. An ended session leads to the login page and back, so such a call
 * never returns. Where the sign-in must be recent, the call is repeated after it; where a second factor is missing, the
 * account page explains it.
 * @template {string} Method
 * @template {string} Path
 * @param {Method} method
 * @param {Path} path
 * @param {object} [body]
 * @returns {Promise<AnswerOf<Method, Path>>}
 * @throws {Problem}
 */
export async function api(method, path, body) {
  const response = await send(`${apiPrefix}${path}`, { method, body });
  const answer = await response.json().catch(() => null);
  if (response.ok && answer) return answer;
  if (answer?.code === 'unauthenticated') return leaveForLogin();
  if (answer?.code === 'recent_sign_in_required' && (await again.ask())) return api(method, path, body);
  if (answer?.code === 'mfa_enrolment_required') await leaveForEnrolment();
  throw problemOf(response, answer);
}

/**
 * Returns what the session of this browser is good for, and lets the application's own pages know it: `incomplete` is one
 * that lacks the second step of an account that must have one, so no other page knows it. An ended one is forgotten,
 * without going to the login page.
 * @returns {Promise<'none' | 'incomplete' | 'complete'>}
 */
export async function sessionState() {
  const { token } = session;
  if (!token) return 'none';
  const check = hasCookie ? cookie('POST') : send(`${apiPrefix}/me`, { method: 'GET' });
  const response = await check.catch(() => null);
  if (!response) return 'none';
  if (response.ok) return 'complete';
  const answer = await response.json().catch(() => null);
  if (answer?.code === 'recent_sign_in_required') return 'incomplete';
  // Another tab may have signed in meanwhile.
  if (response.status === 401 && session.token === token) await session.end();
  // Of an account that must set a second factor up, no other page knows the session.
  if (response.status === 403) await leaveForEnrolment();
  return 'none';
}

/**
 * Like `api`, for one GraphQL document: returns its data.
 * @param {string} query
 * @param {object} [variables]
 * @returns {Promise<Record<string, any>>}
 * @throws {Problem} with the code of the first error
 */
export async function graphql(query, variables) {
  const response = await send(`${apiPrefix}/graphql`, { method: 'POST', body: { query, variables } });
  const answer = await response.json().catch(() => null);
  const error = answer?.errors?.[0];
  if (!error && answer?.data) return answer.data;
  if (!error) throw problemOf(response, answer);
  const { code, status, errors, retryAfter, attemptsRemaining } = error.extensions ?? {};
  if (code === 'unauthenticated') return leaveForLogin();
  if (code === 'recent_sign_in_required' && (await again.ask())) return graphql(query, variables);
  if (code === 'mfa_enrolment_required') await leaveForEnrolment();
  const problem = { code, status, errors, detail: error.message, attempts_remaining: attemptsRemaining };
  throw new Problem(problem, retryAfter);
}

/**
 * @param {string} url
 * @param {{ method: string, body?: object | undefined, token?: string | null, credentials?: RequestCredentials,
 *   keepalive?: boolean }} request
 * @returns {Promise<Response>}
 */
async function send(url, { method, body, token = session.token, credentials = 'omit', keepalive = false }) {
  /** @type {Record<string, string>} */
  const headers = { Accept: 'application/json' };
  if (token) headers.Authorization = `Bearer ${token}`;
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    return await fetch(url, { method, headers, body: JSON.stringify(body), signal, credentials, keepalive });
  } catch {
    throw new Problem({ code: 'network', detail: 'The server cannot be reached. Check your connection.' });
  }
}

/** @type {(response: Response, answer: Partial<ProblemDocument> | null) => Problem} */
function problemOf(response, answer) {
  const retryAfter = Number(response.headers.get('Retry-After')) || undefined;
  if (answer?.code) return new Problem({ ...answer, code: answer.code }, retryAfter);
  // The response comes from a proxy in between, in its own format.
  const code = response.status >= 500 ? 'unavailable' : 'internal_error';
  return new Problem(
    { code, status: response.status, detail: 'The response cannot be understood.' },
    retryAfter,
  );
}

/** Where the user was going when the sign-in with a provider began, for when it fails; kept in this tab. */
export const beforeProviderKey = 'svc.before_provider';

/** Set while the next sign-in must be a recent one, at a provider too. */
export const recentKey = 'svc.recent_sign_in';

/** The notice of the sign-out that is under way. @type {string | null} */
let signingOut = null;

/**
 * Signs out by this work and goes to the login page with a notice. Other calls, which find the session ended meanwhile, do
 * not lead elsewhere.
 * @param {() => Promise<unknown>} work
 * @returns {Promise<never>}
 */
export async function signOut(work, notice = 'signed_out') {
  signingOut = notice;
  try {
    await work();
  } catch (error) {
    signingOut = null;
    throw error;
  }
  return leaveForLogin();
}

/**
 * Forgets the session and goes to the login page, which leads back here, or to where this page would have led; no code
 * after it runs.
 * @returns {Promise<never>}
 */
export async function leaveForLogin(notice = 'session_ended') {
  await session.end();
  const next = new URLSearchParams(location.search).get('next') ?? location.pathname;
  const back = signingOut ? '' : `?${new URLSearchParams({ next })}`;
  leaveNotice(signingOut ?? notice);
  if (notice === 'sign_in_again') sessionStorage.setItem(recentKey, 'yes');
  location.replace(page('login') + back);
  return new Promise(() => {});
}

/** Goes to the account page, which says what must be set up first; no code after it runs, except on that page. */
async function leaveForEnrolment() {
  if (document.body.dataset.page === 'me') return;
  location.replace(page('me'));
  await new Promise(() => {});
}

/** Leaves a code for the next page, which shows its sentence. @param {string} code */
export function leaveNotice(code) {
  sessionStorage.setItem('svc.notice', code);
}

export function takeNotice() {
  const code = sessionStorage.getItem('svc.notice');
  sessionStorage.removeItem('svc.notice');
  return code;
}

/** Characters that could begin another host, or that a browser would silently remove. */
const suspicious = /[\p{Cc}\s\\]/u;

/**
 * Returns the address where the user was going, if it is a page of this site, otherwise null (open redirect).
 * @param {string | null} text
 */
export function samePage(text) {
  const { origin } = location;
  if (text === null) return null;
  const isPath = /^\/(?!\/)/.test(text);
  const isOurs = ['/', '?', '#'].some(next => text.startsWith(`${origin}${next}`));
  if (!(isPath || isOurs) || suspicious.test(text) || !URL.canParse(text, origin)) return null;
  const url = new URL(text, origin);
  // A path such as `/.//x` becomes `//x`, which would name a host.
  const isOne = url.origin === origin && !url.username && !url.password && !url.pathname.startsWith('//');
  return isOne ? url.href : null;
}

/**
 * Returns one value of the address and removes it there, so that it is neither seen, stored nor passed on.
 * @param {string} name
 * @returns {string | null}
 */
export function takeFromAddress(name) {
  const url = new URL(location.href);
  const value = url.searchParams.get(name);
  if (value !== null) {
    url.searchParams.delete(name);
    history.replaceState({ ...history.state, [name]: value }, '', url);
  }
  // Survives a reload.
  return history.state?.[name] ?? null;
}
