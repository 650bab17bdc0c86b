// The session and the API, for every page. The client keeps the session token in localStorage and sends it in a header (so
// CSRF is not possible); it is never written into an address. The API reads no cookie; the one for the application's own
// pages is set and taken away here (`enable_browser_sessions`).

import { createClient, GatehouseError } from '../src/client/core.ts';
import { apiPrefix, beforeEmailKey, leaveNotice, page } from './address.js';
import { adopt } from './language.js';
import { t } from './words.js';

export * from './address.js';

/** @import { Operations } from './types.d.ts' */

const timeoutMs = 30_000;
const timeout = () => ({ signal: AbortSignal.timeout(timeoutMs) });

/** A screen speaks one language: that of its page. */
const { lang: locale } = document.documentElement;

/** Calls that decide nothing: a failure is for their callers. */
const plain = createClient({ url: apiPrefix, locale });

/** Whether the application's own pages know the session, by a cookie that scripts cannot read. */
const hasCookie = 'svcBrowserSessions' in document.body.dataset;
const takeCookieAway = () => plain.endBrowserSession({}, timeout());

/**
 * Has the pages speak the language of the person who has signed in, from the next one on. A new account gets that of the page:
 * the browser that came back from a provider named its own.
 * @param {boolean} isNewAccount
 */
async function adoptLocale(isNewAccount) {
  await plain
    .me({}, timeout())
    .then(async ({ locale: own }) => {
      if (!isNewAccount) adopt(own);
      else if (own !== locale) await plain.updateProfile({ locale }, timeout());
    })
    .catch(() => {});
}

/** The session token of this browser. */
export const session = {
  get token() {
    return plain.token;
  },
  /** To be called when the client has stored a new token: lets the application's own pages know the session. */
  async begun(isNewAccount = false) {
    sessionStorage.removeItem(recentKey);
    if ('svcLocales' in document.body.dataset) await adoptLocale(isNewAccount);
    // Where this fails, a page of the application leads to the login page, which tries it again and says what is wrong. The
    // cookie of the session before must not stay.
    if (hasCookie)
      await plain.createBrowserSession({}, timeout()).catch(() => takeCookieAway().catch(() => {}));
  },
  async end() {
    for (const key of ['svc.access_token', beforeEmailKey]) localStorage.removeItem(key);
    // If this fails, the cookie of an ended session remains, which no guard accepts.
    if (hasCookie) await takeCookieAway().catch(() => {});
  },
};

/**
 * Returns what the session of this browser is good for, and lets the application's own pages know it: `incomplete` is one
 * that lacks the second step of an account that must have one, so no other page knows it. An ended one is forgotten,
 * without going to the login page.
 * @returns {Promise<'none' | 'incomplete' | 'complete'>}
 */
export async function sessionState() {
  if (!session.token) return 'none';
  try {
    await (hasCookie ? plain.createBrowserSession({}, timeout()) : plain.me({}, timeout()));
    return 'complete';
  } catch (error) {
    const { code = '', status = 0 } = error instanceof GatehouseError ? error : {};
    if (code === 'recent_sign_in_required') return 'incomplete';
    // The client has forgotten the token, unless another tab has signed in meanwhile.
    if (status === 401 && !session.token) await session.end();
    // Of an account that must set a second factor up, no other page knows the session.
    if (status === 403) await leaveForEnrolment();
    return 'none';
  }
}

/**
 * How a page has its user sign in again, within the session, where the API asks for it: resolves to whether that was
 * done. A page without a dialog for it leads to the login page and back.
 * @type {{ ask: () => Promise<boolean> }}
 */
export const again = { ask: () => leaveForLogin('sign_in_again') };

/**
 * Returns the calls of a client as a page makes them. An ended session leads to the login page and back, so such a call
 * never returns. Where the sign-in must be recent, the call is repeated after it; where a second factor is missing, the
 * account page explains it.
 * @template [More=unknown]
 * @param {Parameters<typeof createClient>[0]['door']} [door]
 * @param {Omit<Parameters<typeof createClient>[0], 'url' | 'door'>} [options]
 * @returns {Operations & More}
 */
export function callsOf(door, options) {
  const client = createClient({
    ...{ url: apiPrefix, door, locale, onRecentSignInRequired: () => again.ask() },
    ...options,
  });
  const calls = Object.entries(client).map(([name, call]) => [
    name,
    async (/** @type {object} */ input = {}) => {
      try {
        return await call(input, timeout());
      } catch (error) {
        throw await ledBy(error);
      }
    },
  ]);
  return Object.fromEntries(calls);
}

/** Every operation of sign-in and of the own account, by REST: `api.updateProfile({ fullName })`. @throws {GatehouseError} */
export const api = callsOf();

/** Goes where a failed call leads, or returns the failure. @param {unknown} error */
async function ledBy(error) {
  if (!(error instanceof GatehouseError)) {
    const isLate = error instanceof DOMException && error.name === 'TimeoutError';
    return isLate ? new GatehouseError('network', t('page_the_server_did_not_answer')) : error;
  }
  if (error.code === 'unauthenticated') return leaveForLogin();
  if (error.code === 'mfa_enrolment_required') await leaveForEnrolment();
  return error;
}

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
