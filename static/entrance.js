// Signing in: what follows a login or a finished external sign-in.

import { element, onPress, say } from './forms.js';
import { partsOf } from './parts.js';
import { wordsFor } from './sentences.js';
import { api, beforeEmailKey, leaveAddress, leaveNotice, page, samePage, session } from './session.js';
import { t } from './words.js';

/** @import { MfaChallenge, MfaMethod, OAuthMfaChallenge, OAuthSession, Problem, Session } from './types.d.ts' */

/** Where the token for the second step is stored; it is gone with the tab. */
const pendingKey = 'svc.mfa_pending_token';

/** Where the methods of the second step are stored, beside it. */
const methodsKey = 'svc.mfa_methods';

/**
 * Returns the second step that was begun, or null.
 * @returns {{ token: string, methods: MfaMethod[] } | null}
 */
export function pendingStep() {
  const token = sessionStorage.getItem(pendingKey);
  if (!token) return null;
  return { token, methods: JSON.parse(sessionStorage.getItem(methodsKey) ?? '[]') };
}

export function forgetStep() {
  for (const key of [pendingKey, methodsKey]) sessionStorage.removeItem(key);
}

/** Returns where the user was going, if that is a page of this site. */
export const destination = () => samePage(new URLSearchParams(location.search).get('next'));

/** Returns the address of another page of signing in, which leads where the user was going. @param {string} name */
export function onTheWay(name) {
  const next = destination();
  return page(name) + (next ? `?${new URLSearchParams({ next })}` : '');
}

/** Lets the links between the pages of signing in lead where the user was going. */
export function keepNext() {
  for (const name of ['login', 'register', 'forgot'])
    for (const link of partsOf(`a[href="${page(name)}"]`)) link.href = onTheWay(name);
}

/** How long it is kept where the user was going, in milliseconds: the default lifetime of a verification link. */
const beforeEmailMs = 86_400_000;

/**
 * Keeps where the user is going until the link of the email that was just requested is opened: in this browser, because the
 * link opens another tab.
 */
export function rememberNext() {
  const next = destination();
  if (next) localStorage.setItem(beforeEmailKey, JSON.stringify({ next, at: Date.now() }));
}

/**
 * On a page that a link in an email opens: puts where the user was going into its address, once. The email does not have it,
 * so that a stranger cannot send a link that leads elsewhere.
 */
export function recallNext() {
  const kept = localStorage.getItem(beforeEmailKey);
  localStorage.removeItem(beforeEmailKey);
  const { next, at } = JSON.parse(kept ?? '{}');
  const isRecent = Math.abs(Date.now() - at) < beforeEmailMs;
  if (!isRecent || typeof next !== 'string' || !samePage(next) || destination()) return;
  const url = new URL(location.href);
  url.searchParams.set('next', next);
  history.replaceState(history.state, '', url);
}

/** Where the login page has led, and when; kept in this tab. */
const ledKey = 'svc.led_to';

/** A page that leads back so often within so many milliseconds does not recognise the session. */
const [mostReturns, soonMs] = [3, 10_000];

/** Returns whether the login page leads in a circle: where the user is going, they are sent here again and again. */
export function isCircle() {
  const next = destination();
  const { to, moments = [] } = JSON.parse(sessionStorage.getItem(ledKey) ?? '{}');
  /** @type {number[]} */
  const recent = to === next ? moments.filter((/** @type {number} */ at) => Date.now() - at < soonMs) : [];
  const isOver = next !== null && recent.length >= mostReturns;
  sessionStorage.setItem(
    ledKey,
    JSON.stringify({ to: next, moments: isOver ? [] : [...recent, Date.now()] }),
  );
  return isOver;
}

/** Goes where the user was going, or to the account. @returns {Promise<never>} */
export function goOn(next = destination()) {
  location.replace(next ?? page('me'));
  return new Promise(() => {});
}

/**
 * Uses the result of a login or an exchange: a session, or the second step.
 * @param {Session | OAuthSession | MfaChallenge | OAuthMfaChallenge} answer
 * @param {string | null} [next]
 * @returns {Promise<never>}
 */
export async function enter(answer, next = destination()) {
  if ('accessToken' in answer) {
    await session.begun('wasNewAccount' in answer && answer.wasNewAccount);
    return goOn(next);
  }
  sessionStorage.setItem(pendingKey, answer.mfaPendingToken);
  sessionStorage.setItem(methodsKey, JSON.stringify(answer.methods));
  const query = next ? `?${new URLSearchParams({ next })}` : '';
  location.replace(page('mfa') + query);
  return new Promise(() => {});
}

/**
 * Signs in with a password that was just chosen, up to the second step where there is one; the person who was signed in in this
 * browser no longer is. Returns when that is refused: then the login page has the address.
 * @param {string | null} email null where the page cannot know it
 * @param {string} password
 */
export async function enterWith(email, password) {
  await session.end();
  if (email === null) return;
  const answer = await api.login({ email, password }).catch(() => null);
  if (!answer) return leaveAddress(email);
  // A page of the application would leave it for a later visit.
  if (!('accessToken' in answer && destination())) leaveNotice('password_saved');
  return enter(answer);
}

/**
 * Explains the error and offers a new link to this address. Returns whether it was that error.
 * @type {(problem: Problem, region: HTMLElement, email: string) => boolean}
 */
export function explainUnverified(problem, region, email) {
  if (problem.code !== 'email_not_verified') return false;
  const button = element('button', { type: 'button', class: 'link-button' }, t('page_send_the_email_again'));
  onPress(button, region, async () => {
    await api.resendVerification({ email });
    rememberNext();
    say(region, 'success', t('page_if_the_address_waits_for'));
  });
  say(region, 'warning', wordsFor(problem), element('div', { class: 'notice-actions' }, button));
  return true;
}
