// The acts of a person, in words. Names of operations come from the API; an unlisted one is never shown.

import { idOfAct, isAct, t } from './words.js';

/** @import { Activity } from './types.d.ts' */

/** Returns an act in words, if there are any. @param {string} operation @param {string} outcome */
function actWords(operation, outcome) {
  const id = idOfAct(operation);
  return isAct(id) ? t(id, { outcome }) : undefined;
}

/**
 * The end of each act that has begun: once it is done, its beginning says nothing more.
 * @type {Record<string, string[]>}
 */
const endings = {
  login: ['confirmLoginMfa'],
  exchangeOAuth: ['confirmLoginMfa'],
  sendMfaCode: ['confirmLoginMfa'],
  startMfaPasskey: ['confirmLoginMfa'],
  startPasskeyLogin: ['loginWithPasskey', 'reauthenticate'],
  startOAuthSignIn: ['exchangeOAuth', 'confirmLoginMfa'],
  startOAuthLink: ['finishOAuthLink'],
  oauthCallback: ['exchangeOAuth', 'confirmLoginMfa', 'finishOAuthLink'],
  reauthenticate: ['confirmLoginMfa'],
  startTotpSetup: ['confirmTotpSetup'],
  startPasskeySetup: ['confirmPasskeySetup'],
  startPhoneSetup: ['confirmPhoneSetup'],
};

/** Parts of a sign-in or sign-out that is told by itself. */
const silent = new Set(['createBrowserSession', 'endBrowserSession']);

/** Acts that begin with the code `mfa_required` alone, and else are whole. */
const mayBeWhole = new Set(['login', 'exchangeOAuth', 'reauthenticate']);

/** Acts that put a stronger session in the place of the one that did them, which the page then signs out. */
const strengthening = new Set(['confirmTotpSetup', 'confirmPasskeySetup']);

/** Within how many milliseconds the page does that. */
const handoverMs = 10_000;

/** How far a beginning and its end are apart, in milliseconds. */
const apartMs = 900_000;

/** Returns whether two acts were done from one place. @type {(a: Activity, b: Activity) => boolean} */
const isSamePlace = (a, b) => a.ip === b.ip && a.device === b.device;

/**
 * Returns whether a sign-out is that of a session which a stronger one has replaced; `before` is the act before it.
 * @param {Activity} act
 * @param {Activity | undefined} before
 */
function isHandover(act, before) {
  if (act.operation !== 'logout' || !before || before.outcome !== 'ok') return false;
  const isSoon = Date.parse(act.at) - Date.parse(before.at) < handoverMs;
  return strengthening.has(before.operation) && isSoon && isSamePlace(act, before);
}

/**
 * Returns a filter for a list of acts, newest first, that leaves those that are told: a sign-in of several steps is told once,
 * and so is a set-up. A beginning whose end was not reached is told, as it may have been somebody else.
 * @returns {(act: Activity, index: number, all: readonly Activity[]) => boolean}
 */
export function tellsOf() {
  /** @type {Activity[]} */
  let ends = [];
  return (act, index, all) => {
    const { operation, outcome, code } = act;
    if (outcome === 'ok' && isHandover(act, all[index + 1])) return false;
    const at = Date.parse(act.at);
    ends = ends.filter(end => Date.parse(end.at) - at < apartMs);
    const isWhole = mayBeWhole.has(operation) && code !== 'mfa_required';
    const isEnded =
      outcome === 'ok' &&
      !isWhole &&
      Object.hasOwn(endings, operation) &&
      ends.some(end => endings[operation]?.includes(end.operation) && isSamePlace(end, act));
    if (outcome === 'ok' && code !== 'mfa_required') ends.push(act);
    return !isEnded && !(outcome === 'ok' && silent.has(operation));
  };
}

/** Returns whether there are words for an operation. @param {string} operation */
export const hasWords = operation => isAct(idOfAct(operation));

/** Returns a sentence for an act of the account, without its full stop. @param {Activity} act */
export function wordsForAct({ operation, outcome, code }) {
  const end = outcome === 'ok' && code === 'mfa_required' ? 'second_step' : outcome;
  return actWords(operation, end) ?? t('act_something_else', { outcome: end });
}
