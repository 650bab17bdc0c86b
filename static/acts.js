// The acts of a person, in words. Names of operations come from the API; an unlisted one is never shown.

/** @import { Activity } from './types.d.ts' */

/**
 * Of each operation what was done, and what was tried.
 * @type {Record<string, [done: string, tried: string]>}
 */
const acts = {
  login: ['You signed in with a password', 'A sign-in with a password'],
  loginWithPasskey: ['You signed in with a passkey', 'A sign-in with a passkey'],
  startPasskeyLogin: ['You began to sign in with a passkey', 'A sign-in with a passkey'],
  startOAuthSignIn: ['You began to sign in with a connected account', 'A sign-in with a connected account'],
  exchangeOAuth: ['You signed in with a connected account', 'A sign-in with a connected account'],
  oauthCallback: ['You came back from a sign-in elsewhere', 'A sign-in elsewhere'],
  confirmLoginMfa: ['You signed in, with a second step', 'The second step of a sign-in'],
  startMfaPasskey: ['You began the second step with a passkey', 'A second step with a passkey'],
  sendMfaCode: ['A code was sent for the second step', 'A code for the second step'],
  reauthenticate: ['You signed in again', 'Signing in again'],
  logout: ['You signed out', 'Signing out'],
  endSession: ['You ended a session', 'Ending a session'],
  endOtherSessions: ['You ended every other session', 'Ending the other sessions'],
  createBrowserSession: ['You were signed in on this site', 'Signing in on this site'],
  endBrowserSession: ['You were signed out on this site', 'Signing out on this site'],
  register: ['You created this account', 'A registration with your address'],
  verify: ['You confirmed your address', 'Confirming your address'],
  resendVerification: ['A link to confirm your address was asked for', 'A link to confirm your address'],
  acceptInvitation: ['You accepted an invitation', 'Accepting an invitation'],
  updateProfile: ['You changed your profile', 'Changing your profile'],
  changePassword: ['You changed your password', 'Changing your password'],
  forgotPassword: ['A link to reset your password was asked for', 'A link to reset your password'],
  resetPassword: ['You reset your password', 'Resetting your password'],
  changeEmail: ['You asked for another address', 'Changing your address'],
  confirmEmailChange: ['You changed your address', 'Changing your address'],
  startPhoneSetup: ['You began to set up a phone', 'Setting up a phone'],
  confirmPhoneSetup: ['You set up a phone', 'Setting up a phone'],
  disablePhone: ['You removed your phone', 'Removing your phone'],
  startTotpSetup: ['You began to set up an authenticator app', 'Setting up an authenticator app'],
  confirmTotpSetup: ['You set up an authenticator app', 'Setting up an authenticator app'],
  startPasskeySetup: ['You began to add a passkey', 'Adding a passkey'],
  confirmPasskeySetup: ['You added a passkey', 'Adding a passkey'],
  renameAuthenticator: [
    'You renamed an authenticator app or passkey',
    'Renaming an authenticator app or passkey',
  ],
  removeAuthenticator: [
    'You removed an authenticator app or passkey',
    'Removing an authenticator app or passkey',
  ],
  replaceRecoveryCodes: ['You made new recovery codes', 'Making new recovery codes'],
  startOAuthLink: ['You began to connect an account', 'Connecting an account'],
  finishOAuthLink: ['You connected an account', 'Connecting an account'],
  unlinkOAuth: ['You disconnected an account', 'Disconnecting an account'],
  reportNotMe: ['It was reported that something was not you', 'Reporting that something was not you'],
  keepAddedSince: ['You kept what was added since', 'Keeping what was added since'],
  deleteAccount: ['You deleted this account', 'Deleting this account'],
  verificationMail: ['', 'One more email to confirm your address'],
  resetMail: ['', 'One more email to reset your password'],
  invitationMail: ['', 'One more invitation'],
  emailChangeMail: ['', 'One more email to change your address'],
  noticeMail: ['', 'One more notice by email'],
};

/** The operations that have words. */
export const operationsInWords = Object.keys(acts);

/** Returns the words of an operation, if there are any. @param {string} operation */
export const wordsOfAct = operation => (hasWords(operation) ? acts[operation] : undefined);

/**
 * What ends an act that has begun: once it is done, its beginning says nothing more.
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

/** What begins with the code `mfa_required` alone, and else is the whole of it. */
const mayBeWhole = new Set(['login', 'exchangeOAuth', 'reauthenticate']);

/** What puts a stronger session in the place of the one that did it, which the page then signs out. */
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
export const hasWords = operation => Object.hasOwn(acts, operation);

/** Returns a sentence for an act of the account, without its full stop. @param {Activity} act */
export function wordsForAct({ operation, outcome, code }) {
  const [done, tried] = (hasWords(operation) && acts[operation]) || [
    'Something else was done',
    'Something else',
  ];
  if (outcome === 'refused') return `${tried} was refused`;
  if (outcome === 'failed') return `${tried} failed on our side`;
  return code === 'mfa_required' ? `${tried} got as far as the second step` : done;
}
