// The console's calls, all of them through GraphQL.
import { adminDocuments } from './admin-documents.js';
import { graphql } from './client.js';
import { toProblem } from './forms.js';
import { inWords, wordsFor } from './words.js';

/** @import { Problem } from './client.js' */
/** @import { AuditRecord, Authenticators, Identities, Message, OutboxMessage, Page, PageVariables, PendingRegistration, Sessions, Stats, User, UserRow, Webhook, WebhookTest } from './types.d.ts' */
/** @import { Sentences } from './words.js' */
/** @typedef {{ [Name in 'actor' | 'subject' | 'operation' | 'outcome' | 'since' | 'until']?: string | undefined }} AuditFilters */
/** @typedef {{ isActive?: boolean, isVerified?: boolean, isSuperuser?: boolean, isMfaEnabled?: boolean, isReported?: boolean, role?: string }} Kind */

/** What this application adds to every user: the names of its fields in GraphQL, and its roles. */
const { svcFields = '', svcRoles = '' } = document.body.dataset;
const documents = adminDocuments({ fields: svcFields.trim(), hasRoles: svcRoles !== '' });

/** @type {(name: keyof typeof documents) => (input: object) => Promise<any>} */
const change = name => input => ask(documents[name], { input });
/** @type {(name: keyof typeof documents) => (id: string) => Promise<any>} */
const changeUser = name => id => ask(documents[name], { input: { id } });
/** @type {(name: keyof typeof documents) => (id: string) => Promise<any>} */
const ofUser = name => id => ask(documents[name], { id });

/**
 * Each operation returns the data of its field. @throws {Problem}.
 * @type {{
 *   me(): Promise<Pick<User, 'id' | 'email' | 'isSuperuser'>>,
 *   stats(): Promise<Stats>,
 *   users(variables: PageVariables & Kind): Promise<Page<UserRow>>,
 *   user(id: string): Promise<User>,
 *   update(input: Pick<User, 'id'> & Partial<User> & { evenUnverified?: boolean }): Promise<User>,
 *   remove(id: string): Promise<Message>,
 *   resendVerification(id: string): Promise<Message>,
 *   sendReset(id: string): Promise<Message>,
 *   changeEmail(input: { id: string, email: string, isVerified: boolean, requireNewPassword?: boolean }): Promise<User>,
 *   requireNewPassword(id: string): Promise<Message>,
 *   unlock(id: string): Promise<Message>,
 *   revokeSessions(id: string): Promise<User>,
 *   disablePhone(id: string): Promise<User>,
 *   authenticators(id: string): Promise<Authenticators>,
 *   removeAuthenticators(id: string): Promise<User>,
 *   identities(id: string): Promise<Identities>,
 *   unlink(input: { id: string, provider: string }): Promise<Message>,
 *   sessions(id: string): Promise<Sessions>,
 *   endSession(input: { id: string, sessionId: string }): Promise<Message>,
 *   pending(variables: PageVariables): Promise<Page<PendingRegistration>>,
 *   resendLink(input: { email: string }): Promise<Message>,
 *   promote(input: { email: string }): Promise<Pick<User, 'id' | 'email'>>,
 *   outbox(variables: Omit<PageVariables, 'search'> & { state: string | null }): Promise<Page<OutboxMessage>>,
 *   retryMessage(input: { id: string }): Promise<Message>,
 *   dropMessage(input: { id: string }): Promise<Message>,
 *   audit(variables: Omit<PageVariables, 'search'> & AuditFilters): Promise<Page<AuditRecord>>,
 *   webhooks(): Promise<{ items: Webhook[] }>,
 *   testWebhook(input: { name: string }): Promise<WebhookTest>,
 *   enableWebhook(input: { name: string }): Promise<Message>,
 *   replayWebhook(input: { name: string }): Promise<Message>,
 *   signOut(): Promise<Message>,
 * }}
 */
export const api = {
  me: () => ask(documents.me),
  stats: () => ask(documents.stats),
  users: variables => ask(documents.users, variables),
  user: ofUser('user'),
  update: change('update'),
  remove: changeUser('remove'),
  resendVerification: changeUser('resendVerification'),
  sendReset: changeUser('sendReset'),
  changeEmail: change('changeEmail'),
  requireNewPassword: changeUser('requireNewPassword'),
  unlock: changeUser('unlock'),
  revokeSessions: changeUser('revokeSessions'),
  disablePhone: changeUser('disablePhone'),
  authenticators: ofUser('authenticators'),
  removeAuthenticators: changeUser('removeAuthenticators'),
  identities: ofUser('identities'),
  unlink: change('unlink'),
  sessions: ofUser('sessions'),
  endSession: change('endSession'),
  pending: variables => ask(documents.pending, variables),
  resendLink: change('resendLink'),
  promote: change('promote'),
  outbox: ({ first, after, state }) => ask(documents.outbox, { first, after, state }),
  retryMessage: change('retryMessage'),
  dropMessage: change('dropMessage'),
  audit: variables => ask(documents.audit, variables),
  webhooks: () => ask(documents.webhooks),
  testWebhook: change('testWebhook'),
  enableWebhook: change('enableWebhook'),
  replayWebhook: change('replayWebhook'),
  signOut: () => ask(documents.signOut),
};

let refused = () => {};
/** Registers a callback for when this account is not, or no longer, a superuser's. @param {() => void} callback */
export function onForbidden(callback) {
  refused = callback;
}

/** @type {(document: string, variables?: object) => Promise<any>} */
async function ask(document, variables) {
  try {
    return (await graphql(document, variables)).it;
  } catch (error) {
    const problem = toProblem(error);
    if (problem.code === 'forbidden') refused();
    throw problem;
  }
}

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
  const { code, retryAfterSeconds: seconds } = problem;
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
    first: 'The page size',
  },
  ...{
    actor: 'The actor',
    subject: 'The account',
    operation: 'The act',
    since: 'The first day',
    until: 'The last day',
  },
};
