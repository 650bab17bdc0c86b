// The sentences of the pages. Codes come from the API, from addresses and from other pages; an unlisted code is never
// shown.

import { locale, t } from './words.js';

const { svcSupport } = document.body.dataset;
/** How to reach those who help. */
const helpers = { has_support: svcSupport ? 'yes' : 'no', support_contact: svcSupport ?? '' };

/** @import { Problem, ProblemCode } from './types.d.ts' */

/** @typedef {Partial<Record<ProblemCode, string>>} Sentences */

/**
 * Returns only own entries of a table: codes come from addresses, too.
 * @type {<T>(table: Partial<Record<string, T>>, code: string | null) => T | null}
 */
const known = (table, code) => (code !== null && Object.hasOwn(table, code) && table[code]) || null;

const unknownCause = t('page_something_went_wrong_on_our_side_try', helpers);

const identityInUse = t('page_this_identity_is_already_connected');
const alreadyLinked = t('page_your_account_is_already_connected');

/**
 * Sentences for codes where the page knows better than the API what to do next.
 * @type {Sentences}
 */
const problems = {
  network: t('page_the_server_cannot_be_reached'),
  unavailable: t('page_the_service_is_unavailable_at'),
  internal_error: unknownCause,
  unexpected_response: unknownCause,
  invalid_input: t('page_something_is_not_valid_check'),
  account_locked: t('page_too_many_failed_attempts'),
  rate_limited: t('page_too_many_requests'),
  account_disabled: t('page_this_account_is_disabled_ask_the_people', helpers),
  email_not_verified: t('page_confirm_your_address_first_open'),
  registration_closed: t('page_new_accounts_cannot_be_created'),
  password_unchanged: t('page_this_is_your_current_password'),
  email_unchanged: t('page_this_is_your_current_address'),
  mfa_code_expired: t('page_this_code_has_expired'),
  mfa_code_missing: t('page_there_is_no_longer_a'),
  recent_sign_in_required: t('page_nothing_was_changed_you_have'),
  mfa_enrolment_required: t('page_your_account_needs_a_second_way'),
  authenticator_limit: t('page_your_account_has_as_many'),
  last_factor: t('page_this_is_your_last_one'),
  passkey_invalid: t('page_this_passkey_does_not_work'),
  passkey_cancelled: t('page_no_passkey_was_used_try'),
  passkey_known: t('page_this_device_has_a_passkey'),
  passkey_unsupported: t('page_this_device_cannot_make_a'),
  identity_in_use: identityInUse,
  already_linked: alreadyLinked,
  LOCKED: t('page_that_was_the_last_try'),
  last_sign_in_method: t('page_this_is_your_last_sign'),
  last_superuser: t('page_you_are_the_last_administrator'),
  user_in_use: t('page_your_account_cannot_be_deleted_while_other', helpers),
};

/**
 * Returns a sentence for an error of the API; `own` has sentences for codes that mean something particular on one page.
 * @param {Problem} problem
 * @param {Sentences} [own]
 */
export function wordsFor({ code, message, attemptsRemaining }, own = {}) {
  if (code === 'mfa_code_wrong' && attemptsRemaining !== undefined)
    return t('page_code_wrong_tries', { left: attemptsRemaining });
  return known(own, code) ?? known(problems, code) ?? message;
}

/**
 * Sentences for the end of a link to a provider.
 * @type {Sentences}
 */
export const ofLink = {
  not_found: t('page_this_was_started_elsewhere_or'),
  invalid_token: t('page_this_was_started_elsewhere_or'),
};

/**
 * Why a sign-in with a provider, or a link to one, failed: the codes in `?error=`.
 * @type {Record<string, string>}
 */
const returns = {
  bad_state: t('page_this_sign_in_was_started_elsewhere'),
  state_expired: t('page_that_took_too_long_start'),
  id_token_failed: t('page_the_response_of_the_provider'),
  email_in_use: t('page_there_is_already_an_account'),
  identity_in_use: identityInUse,
  already_linked: alreadyLinked,
  code_challenge_required: t('page_that_way_of_signing_in'),
  oauth_failed: t('page_the_provider_refused_the_sign'),
  missing_code_or_state: t('page_the_response_of_the_provider_was'),
  token_exchange_failed: t('page_the_provider_did_not_confirm'),
  issuer_mismatch: t('page_the_response_came_from_another'),
  user_inactive: t('page_this_account_is_disabled_ask_the_people', helpers),
  unknown_provider: t('page_there_is_no_such_provider'),
  email_missing: t('page_the_provider_did_not_share'),
  email_not_verified: t('page_your_email_address_is_not'),
  registration_closed: t('page_new_accounts_cannot_be_created'),
  refused_by_host: t('page_this_site_does_not_let_you_in', helpers),
  unavailable: t('page_this_sign_in_is_unavailable'),
  recent_sign_in_required: t('page_that_page_needs_a_recent'),
  mfa_enrolment_required: t('page_that_page_needs_a_second'),
};

/** Of a code that was used just now. */
export const usedCode = t('page_this_code_was_used_already');

/** Returns a sentence for `?error=<code>`, or null for an unknown code. @param {string | null} code */
export const wordsForReturn = code => known(returns, code);

/**
 * The messages from one page to the next: kind and sentence.
 * @type {Record<string, [kind: string, sentence: string]>}
 */
const notices = {
  sign_in: ['', t('page_sign_in_to_continue')],
  sign_in_again: ['', t('page_sign_in_again_to_go_on')],
  session_ended: ['warning', t('page_your_session_has_ended_sign')],
  signed_out: ['success', t('page_you_are_signed_out')],
  signed_out_everywhere: ['success', t('page_you_are_signed_out_on')],
  password_saved: ['success', t('page_your_new_password_is_saved')],
  password_changed: ['success', t('page_your_password_was_changed_sign')],
  password_chosen: ['success', t('page_your_password_is_saved_sign')],
  account_deleted: ['success', t('page_your_account_was_deleted')],
};

/** @param {string | null} code */
export const noticeFor = code => known(notices, code);

/** Returns `3:07`, for display. @param {number} seconds */
export const onClock = seconds => `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;

/** Returns a device in the language of the page. @param {string} device as the API names it: "Safari on iOS" */
export function deviceWords(device) {
  const [browser = '', system] = device.split(' on ');
  return system === undefined ? device : t('unit_device', { browser, system });
}

/** The longest of each unit, in seconds, before the next one says it. @type {[Intl.RelativeTimeFormatUnit, number, number][]} */
const units = [
  ['minute', 60, 3600],
  ['hour', 3600, 86_400],
  ['day', 86_400, 30 * 86_400],
];

/** Returns `6 minutes ago`; the day itself of what is long ago. @param {Date} moment */
export function agoText(moment, now = new Date()) {
  const seconds = Math.max(0, (now.getTime() - moment.getTime()) / 1000);
  if (seconds < 60) return t('page_just_now');
  const [unit, size] = units.find(([, , below]) => seconds < below) ?? [];
  if (!unit || !size) return new Intl.DateTimeFormat(locale, { dateStyle: 'medium' }).format(moment);
  return new Intl.RelativeTimeFormat(locale, { numeric: 'always' }).format(-Math.floor(seconds / size), unit);
}

const figure = new Intl.NumberFormat(locale);

/** @param {number} number */
export const numberText = number => figure.format(number);

/** Returns `4 minutes`, for screen readers. @param {number} seconds */
export const inWords = seconds =>
  seconds < 90
    ? t('unit_seconds', { n: Math.ceil(seconds) })
    : t('unit_minutes', { n: Math.ceil(seconds / 60) });
