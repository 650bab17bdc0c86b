// The console's calls, all of them through GraphQL.
import { administration } from '../src/client/administration.ts';
import { GatehouseError } from '../src/client/core.ts';
import { inWords, wordsFor } from './sentences.js';
import { callsOf } from './session.js';
import { t } from './words.js';

/** @import { Administration, Operations, Problem } from './types.d.ts' */
/** @import { Sentences } from './sentences.js' */

/** The additions of this application to every user: the names of its fields in GraphQL, and its roles. */
const { svcFields = '', svcRoles = '' } = document.body.dataset;
const names = svcFields.split(' ').filter(Boolean);

/** @type {Operations & Administration} */
const calls = callsOf('graphql', {
  with: [administration],
  userFields: Object.fromEntries(names.map(name => [name, 'string'])),
  roles: svcRoles.split(' ').filter(Boolean),
});

/** The operations of the console beside administration. A server that takes trusted documents alone knows these of it. */
const ofSignIn = ['me', 'logout', 'resendVerification'];

let refused = () => {};
/** Registers a callback for when this account is not, or no longer, a superuser's. @param {() => void} callback */
export function onForbidden(callback) {
  refused = callback;
}

/** @param {(input: object) => Promise<unknown>} call */
const whileAllowed = call => (/** @type {object} */ input) =>
  call(input).catch(error => {
    if (error instanceof GatehouseError && error.code === 'forbidden') refused();
    throw error;
  });

/**
 * Each operation of the console. @throws {GatehouseError}
 * @type {Administration & Pick<Operations, 'me' | 'logout' | 'resendVerification'>}
 */
export const api = /** @type {any} */ (
  Object.fromEntries(
    [...administration.operations.map(([name]) => name), ...ofSignIn].map(name => [
      name,
      whileAllowed(/** @type {any} */ (calls)[name]),
    ]),
  )
);

/** For operators, where the page's own sentence is meant for account owners. @type {Sentences} */
const sentences = {
  last_superuser: t('console_this_is_the_last_active'),
  already_verified: t('console_the_address_is_already_verified'),
  password_not_set: t('console_the_account_has_no_password_2'),
  recent_sign_in_required: t('console_nothing_was_changed_you_have'),
  user_in_use: t('console_other_records_of_the_application'),
  not_found: t('console_it_no_longer_exists_somebody'),
  mfa_enrolment_required: t('console_administrators_need_a_second_factor'),
  rate_limited: t('console_too_many_requests'),
  unavailable: t('console_the_service_or_something_it'),
  network: t('console_the_server_cant_be_reached'),
};

/** `own` has sentences for codes of one action. @type {(problem: Problem, own?: Sentences) => string} */
function sentenceFor(problem, own = {}) {
  const { code, errors } = problem;
  if (code !== 'invalid_input' || own[code]) return wordsFor(problem, { ...sentences, ...own });
  return errors
    .map(({ path, message }) => t('console_field_wrong', { label: labels[path] ?? path, message }))
    .join(' ');
}

/**
 * Returns the sentence for operators about a problem, and what they can do.
 * @param {Problem} problem
 * @param {Sentences} [own]
 */
export function reasonOf(problem, own) {
  const { code, retryAfter: seconds } = problem;
  const sentence = sentenceFor(problem, own);
  if (seconds) return t('console_problem_try_again_in', { problem: sentence, time: inWords(seconds) });
  return code === 'unavailable' ? t('console_problem_try_again_shortly', { problem: sentence }) : sentence;
}

/**
 * Like `reasonOf`, for a message that itself counts down to the next try.
 * @param {Problem} problem
 * @param {Sentences} [own]
 */
export const wordsOf = (problem, own) =>
  problem.status === 429 ? sentenceFor(problem, own) : reasonOf(problem, own);

/** @type {Record<string, string>} */
const labels = {
  ...{
    fullName: t('console_the_name'),
    email: t('console_the_address'),
    search: t('console_the_search'),
    after: t('console_the_page'),
    limit: t('console_the_page_size'),
  },
  ...{
    actor: t('console_the_actor'),
    subject: t('console_the_account'),
    operation: t('console_the_act'),
    since: t('console_the_first_day'),
    until: t('console_the_last_day'),
  },
};
