// The session and the API, for every page. The session token is kept in localStorage and travels in a header; nothing
// here is ever written into an address.

/** Where the API and the pages are: `/api/auth`, `/account`. */
export const { svcApi: apiPrefix, svcUi: uiPrefix } = document.body.dataset;

/** The address of another page: `page('me')`. */
export const page = name => `${uiPrefix}/${name}`;

const timeoutMs = 30_000;

/** The session token of this browser. */
export const session = {
  get token() {
    return localStorage.getItem('svc.access_token');
  },
  start(token) {
    localStorage.setItem('svc.access_token', token);
  },
  end() {
    localStorage.removeItem('svc.access_token');
  },
};

/** Why a call failed: `code` of the API's catalogue, or `network`. */
export class Problem extends Error {
  constructor({ code, detail, status = 0, errors = [], attempts_remaining }, retryAfterSeconds) {
    super(detail);
    this.code = code;
    this.status = status;
    this.errors = errors;
    this.attemptsRemaining = attempts_remaining;
    this.retryAfterSeconds = retryAfterSeconds;
  }

  /** Whether the same call may well succeed in a moment. */
  get isPassing() {
    return ['network', 'unavailable', 'internal_error'].includes(this.code);
  }
}

/**
 * Calls the API and answers its JSON. A session that has ended leads to the login page and back, so such a call never
 * returns.
 * @throws {Problem}
 */
export async function api(method, path, body) {
  const response = await send(`${apiPrefix}${path}`, { method, body });
  const answer = await response.json().catch(() => null);
  if (response.ok && answer) return answer;
  if (answer?.code === 'unauthenticated') return leaveForLogin();
  throw problemOf(response, answer);
}

/** Whether the session of this browser still stands; one that has ended is forgotten, and nobody is led anywhere. */
export async function isSignedIn() {
  if (!session.token) return false;
  const { ok, status } = await send(`${apiPrefix}/me`, { method: 'GET' }).catch(problem => problem);
  if (status === 401) session.end();
  return ok === true;
}

/**
 * As `api`, for one GraphQL document: answers its data.
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
  const problem = { code, status, errors, detail: error.message, attempts_remaining: attemptsRemaining };
  throw new Problem(problem, retryAfter);
}

async function send(url, { method, body }) {
  const headers = { Accept: 'application/json' };
  if (session.token) headers.Authorization = `Bearer ${session.token}`;
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    return await fetch(url, { method, headers, body: JSON.stringify(body), signal, credentials: 'omit' });
  } catch {
    throw new Problem({ code: 'network', detail: 'The server cannot be reached. Check your connection.' });
  }
}

function problemOf(response, answer) {
  const retryAfter = Number(response.headers.get('Retry-After')) || undefined;
  if (answer?.code) return new Problem(answer, retryAfter);
  // A proxy in between answered, in its own words.
  const code = response.status >= 500 ? 'unavailable' : 'internal_error';
  return new Problem(
    { code, status: response.status, detail: 'The answer cannot be understood.' },
    retryAfter,
  );
}

/** Forgets the session and goes to the login page, which comes back here; nothing after it runs. */
export function leaveForLogin(notice = 'session_ended') {
  session.end();
  const back = new URLSearchParams({ next: location.pathname });
  leaveNotice(notice);
  location.replace(`${page('login')}?${back}`);
  return new Promise(() => {});
}

/** A word for the next page of ours, which says it in a sentence. */
export function leaveNotice(code) {
  sessionStorage.setItem('svc.notice', code);
}

export function takeNotice() {
  const code = sessionStorage.getItem('svc.notice');
  sessionStorage.removeItem('svc.notice');
  return code;
}

/** What must not be seen: the beginnings of another host, and what a browser would silently drop. */
const suspicious = /[\p{Cc}\s\\]/u;

/** The address where somebody was going, if it is a page of this site, else null. */
export function samePage(text) {
  const { origin } = location;
  const isPath = /^\/(?!\/)/.test(text ?? '');
  const isOurs = ['/', '?', '#'].some(next => text?.startsWith(`${origin}${next}`));
  if (!(isPath || isOurs) || suspicious.test(text) || !URL.canParse(text, origin)) return null;
  const url = new URL(text, origin);
  // A path such as `/.//x` comes out as `//x`, which alone would name a host.
  const isOne = url.origin === origin && !url.username && !url.password && !url.pathname.startsWith('//');
  return isOne ? url.href : null;
}

/** One value of the address, read and then taken out of it, so that it is neither seen, kept nor passed on. */
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
