// The console's calls, all of them through GraphQL.
import { administration } from './gatehouse-administration.js';
import { GatehouseError } from './gatehouse-client.js';
import { inWords, wordsFor } from './sentences.js';
import { callsOf } from './session.js';

/** @import { Administration, Operations, Problem } from './types.d.ts' */
/** @import { Sentences } from './sentences.js' */

/** What this application adds to every user: the names of its fields in GraphQL, and its roles. */
const { svcFields = '', svcRoles = '' } = document.body.dataset;
const names = svcFields.split(' ').filter(Boolean);

/** @type {Operations & Administration} */
const calls = callsOf('graphql', {
  with: [administration],
  userFields: Object.fromEntries(names.map(name => [name, 'string'])),
  roles: svcRoles.split(' ').filter(Boolean),
});

/** What the console asks for beside administration. A server that takes trusted documents alone knows these of it. */
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
  last_superuser: 'This is the last active administrator. Make somebody else an administrator first.',
  already_verified: 'The address is already verified, so nothing was sent.',
  password_not_set: 'The account has no password.',
  recent_sign_in_required: 'Nothing was changed: you have to sign in again for that.',
  user_in_use:
    'Other records of the application still refer to this account, so it cannot be deleted. You can disable it.',
  not_found:
    'It no longer exists: somebody may have deleted or promoted it, or it was delivered, in the meantime.',
  mfa_enrolment_required:
    'Administrators need a second factor here. Set one up on your account page, then load this page again.',
  rate_limited: 'Too many requests.',
  unavailable: 'The service, or something it depends on, is unavailable.',
  network: 'The server can’t be reached. Check your connection, then try again.',
};

/** `own` has sentences for codes of one action. @type {(problem: Problem, own?: Sentences) => string} */
function sentenceFor(problem, own = {}) {
  const { code, errors } = problem;
  if (code !== 'invalid_input' || own[code]) return wordsFor(problem, { ...sentences, ...own });
  return errors.map(({ path, message }) => `${labels[path] ?? path} ${message}.`).join(' ');
}

/**
 * Returns the sentence for operators about a problem, and what they can do.
 * @param {Problem} problem
 * @param {Sentences} [own]
 */
export function reasonOf(problem, own) {
  const { code, retryAfter: seconds } = problem;
  const again = seconds
    ? `Try again in ${inWords(seconds)}.`
    : code === 'unavailable' && 'Try again shortly.';
  return [sentenceFor(problem, own), again].filter(Boolean).join(' ');
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
    fullName: 'The name',
    email: 'The address',
    search: 'The search',
    after: 'The page',
    limit: 'The page size',
  },
  ...{
    actor: 'The actor',
    subject: 'The account',
    operation: 'The act',
    since: 'The first day',
    until: 'The last day',
  },
};
