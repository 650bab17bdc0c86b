// The sentences of the pages. Codes come from the API, from addresses and from other pages; an unlisted code is never
// shown.

import { locale } from './words.js';

const { svcSupport } = document.body.dataset;
/** Who helps, and how to reach them. */
const helpers = `the people who run this site${svcSupport ? ` (${svcSupport})` : ''}`;

/** @import { Problem, ProblemCode } from './types.d.ts' */

/** @typedef {Partial<Record<ProblemCode, string>>} Sentences */

/**
 * Returns only own entries of a table: codes come from addresses, too.
 * @type {<T>(table: Partial<Record<string, T>>, code: string | null) => T | null}
 */
const known = (table, code) => (code !== null && Object.hasOwn(table, code) && table[code]) || null;

const unknownCause = `Something went wrong on our side. Try again; if it keeps happening, contact ${helpers}.`;

const identityInUse = 'This identity is already connected to another account.';
const alreadyLinked = 'Your account is already connected to this provider.';

/**
 * Sentences for codes where the page knows better than the API what to do next.
 * @type {Sentences}
 */
const problems = {
  network:
    'The server cannot be reached. Check your connection and try again; what you entered is still here.',
  unavailable: 'The service is unavailable at the moment. Try again shortly; what you entered is still here.',
  internal_error: unknownCause,
  unexpected_response: unknownCause,
  invalid_input: 'Something is not valid. Check the marked fields.',
  account_locked: 'Too many failed attempts.',
  rate_limited: 'Too many requests.',
  account_disabled: `This account is disabled. Ask ${helpers}.`,
  email_not_verified: 'Confirm your address first: open the link in the email that we sent you.',
  registration_closed: 'New accounts cannot be created here at the moment.',
  password_unchanged: 'This is your current password. Choose another one.',
  email_unchanged: 'This is your current address. Enter another one.',
  mfa_code_expired: 'This code has expired.',
  mfa_code_missing: 'There is no longer a code to confirm.',
  recent_sign_in_required: 'Nothing was changed: you have to sign in again for that.',
  mfa_enrolment_required: 'Your account needs a second way to prove that it is you. Set one up first.',
  authenticator_limit:
    'Your account has as many authenticator apps and passkeys as it can. Remove one first.',
  last_factor: 'This is your last one, and your account must have one. Set up another one first.',
  passkey_invalid: 'This passkey does not work here. Choose another one, or sign in another way.',
  passkey_cancelled: 'No passkey was used. Try again, or choose another way.',
  passkey_known: 'This device has a passkey for your account already.',
  passkey_unsupported: 'This device cannot make a passkey that is good enough. Try another one.',
  identity_in_use: identityInUse,
  already_linked: alreadyLinked,
  LOCKED: 'That was the last try for this code.',
  last_sign_in_method: 'This is your last sign-in method. Set a password first, then disconnect it.',
  last_superuser: 'You are the last administrator. Make somebody else an administrator first.',
  user_in_use: `Your account cannot be deleted while other data of this site belongs to it. Ask ${helpers}.`,
};

/**
 * Returns a sentence for an error of the API; `own` has sentences for codes that mean something particular on one page.
 * @param {Problem} problem
 * @param {Sentences} [own]
 */
export function wordsFor({ code, message, attemptsRemaining }, own = {}) {
  if (code === 'mfa_code_wrong' && attemptsRemaining !== undefined)
    return `That code is wrong. You have ${counted(attemptsRemaining, ['try', 'tries'])} left.`;
  return known(own, code) ?? known(problems, code) ?? message;
}

/**
 * Sentences for the end of a link to a provider.
 * @type {Sentences}
 */
export const ofLink = {
  not_found: 'This was started elsewhere, or took too long. Start again.',
  invalid_token: 'This was started elsewhere, or took too long. Start again.',
};

/**
 * Why a sign-in with a provider, or a link to one, failed: the codes in `?error=`.
 * @type {Record<string, string>}
 */
const returns = {
  bad_state: 'This sign-in was started elsewhere, or was already used. Start again.',
  state_expired: 'That took too long. Start again.',
  id_token_failed: 'The response of the provider could not be verified. Start again.',
  email_in_use:
    'There is already an account with this address. Sign in with your password, then connect the provider on your account page.',
  identity_in_use: identityInUse,
  already_linked: alreadyLinked,
  code_challenge_required: 'That way of signing in must begin on this page. Choose it again.',
  oauth_failed: 'The provider refused the sign-in, or you cancelled it.',
  missing_code_or_state: 'The response of the provider was incomplete. Start again.',
  token_exchange_failed: 'The provider did not confirm who you are. Start again.',
  issuer_mismatch: 'The response came from another provider than the one you chose. Start again.',
  user_inactive: `This account is disabled. Ask ${helpers}.`,
  unknown_provider: 'There is no such provider here.',
  email_missing: 'The provider did not share your email address, and an account needs one.',
  email_not_verified:
    'Your email address is not confirmed. Confirm it first, at the provider or by the link in our email, then start again.',
  registration_closed: 'New accounts cannot be created here at the moment.',
  refused_by_host: `This site does not let you in with this account. Ask ${helpers}.`,
  unavailable: 'This sign-in is unavailable at the moment. Try again shortly.',
  recent_sign_in_required: 'That page needs a recent sign-in. Sign in again to open it.',
  mfa_enrolment_required: 'That page needs a second factor. Set one up here, then open it again.',
};

/** Of a code that was used just now. */
export const usedCode = 'This code was used already. Wait for the next one.';

/** Returns a sentence for `?error=<code>`, or null for an unknown code. @param {string | null} code */
export const wordsForReturn = code => known(returns, code);

/**
 * The messages from one page to the next: kind and sentence.
 * @type {Record<string, [kind: string, sentence: string]>}
 */
const notices = {
  sign_in: ['', 'Sign in to continue.'],
  sign_in_again: ['', 'Sign in again to go on.'],
  session_ended: ['warning', 'Your session has ended. Sign in to continue.'],
  signed_out: ['success', 'You are signed out.'],
  signed_out_everywhere: ['success', 'You are signed out on every device.'],
  password_saved: ['success', 'Your new password is saved.'],
  password_changed: ['success', 'Your password was changed. Sign in with the new one.'],
  password_chosen: ['success', 'Your password is saved. Sign in with it.'],
  account_deleted: ['success', 'Your account was deleted.'],
};

/** @param {string | null} code */
export const noticeFor = code => known(notices, code);

/** Returns `3:07`, for display. @param {number} seconds */
export const onClock = seconds => `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;

/** The longest of each unit, in seconds, before the next one says it. @type {[Intl.RelativeTimeFormatUnit, number, number][]} */
const units = [
  ['minute', 60, 3600],
  ['hour', 3600, 86_400],
  ['day', 86_400, 30 * 86_400],
];

/** Returns `6 minutes ago`; the day itself of what is long ago. @param {Date} moment */
export function agoText(moment, now = new Date()) {
  const { lang } = document.documentElement;
  const seconds = Math.max(0, (now.getTime() - moment.getTime()) / 1000);
  if (seconds < 60) return 'just now';
  const [unit, size] = units.find(([, , below]) => seconds < below) ?? [];
  if (!unit || !size) return new Intl.DateTimeFormat(lang, { dateStyle: 'medium' }).format(moment);
  return new Intl.RelativeTimeFormat(lang, { numeric: 'always' }).format(-Math.floor(seconds / size), unit);
}

const figure = new Intl.NumberFormat(locale);

/** @param {number} number */
export const numberText = number => figure.format(number);

/** Returns `1 user`, `1,204 users`. @type {(number: number, nouns: [one: string, many: string]) => string} */
export const counted = (number, [one, many]) => `${numberText(number)} ${number === 1 ? one : many}`;

/** Returns `4 minutes`, for screen readers. @param {number} seconds */
export const inWords = seconds =>
  seconds < 90
    ? counted(Math.ceil(seconds), ['second', 'seconds'])
    : counted(Math.ceil(seconds / 60), ['minute', 'minutes']);
