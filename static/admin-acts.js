// The acts of audit records, in the words of the console: of people, of administrators, and of operators.
import { wordsOfAct } from './acts.js';

/** @import { AuditRecord } from './types.d.ts' */

/**
 * Of each operation what was done, and what was tried; those of people are in acts.js.
 * @type {Record<string, [done: string, tried: string]>}
 */
const acts = {
  createBrowserSession: ['Signed in on the site', 'Signing in on the site'],
  endBrowserSession: ['Signed out on the site', 'Signing out on the site'],
  reportNotMe: ['Reported “this was not me”', 'Reporting “this was not me”'],
  noticeMail: ['', 'One more notice by email'],
  user: ['Looked at the account', 'Looking at an account'],
  users: ['Looked at the list of users', 'Looking at the list of users'],
  pendingRegistrations: ['Looked at the pending registrations', 'Looking at the pending registrations'],
  auditRecords: ['Looked at audit records', 'Looking at audit records'],
  outboxMessages: ['Looked at the messages', 'Looking at the messages'],
  webhooks: ['Looked at the webhooks', 'Looking at the webhooks'],
  userSessions: ['Looked at the sessions', 'Looking at sessions'],
  userIdentities: ['Looked at the connected accounts', 'Looking at connected accounts'],
  userAuthenticators: ['Looked at the second factors', 'Looking at second factors'],
  adminCreateUser: ['Created the account', 'Creating an account'],
  adminUpdateUser: ['Changed the account', 'Changing an account'],
  adminDeleteUser: ['Deleted the account', 'Deleting an account'],
  adminChangeEmail: ['Changed the address of the account', 'Changing an account’s address'],
  adminRequireNewPassword: ['Required a new password', 'Requiring a new password'],
  adminSendReset: ['Sent a link to set a new password', 'Sending a link to set a new password'],
  adminResendVerification: [
    'Sent a link to confirm the address',
    'Sending a link to confirm an account’s address',
  ],
  adminResendPending: [
    'Sent a link to confirm a registration',
    'Sending a link to confirm a pending registration',
  ],
  adminUnlock: ['Unlocked the account', 'Unlocking an account'],
  adminUnlockPending: ['Unlocked a pending registration', 'Unlocking a pending registration'],
  adminRevokeSessions: ['Ended every session', 'Ending every session'],
  adminEndSession: ['Ended a session', 'Ending an account’s session'],
  adminPromotePending: ['Made a pending registration an account', 'Making a pending registration an account'],
  adminDisablePhone: ['Removed the phone', 'Removing an account’s phone'],
  adminRemoveAuthenticators: ['Removed every second factor', 'Removing every second factor'],
  adminUnlinkOAuth: ['Disconnected an account elsewhere', 'Disconnecting an account elsewhere'],
  adminRetryMessage: ['Tried a message again', 'Trying a message again'],
  adminDropMessage: ['Dropped a message', 'Dropping a message'],
  adminTestWebhook: ['Tested a webhook', 'Testing a webhook'],
  adminEnableWebhook: ['Switched a webhook on', 'Switching a webhook on'],
  adminReplayWebhook: ['Replayed a webhook', 'Replaying a webhook'],
  inviteUser: ['Sent an invitation', 'Sending an invitation'],
  issueSession: ['Signed the person in', 'Signing a person in'],
  createAdmin: ['Made the account an administrator’s', 'Making an administrator'],
  exportUsers: ['Exported users', 'Exporting users'],
  importUsers: ['Imported users', 'Importing users'],
  migrate: ['Migrated the database', 'Migrating the database'],
  purge: ['Removed what had expired', 'Removing what has expired'],
};

/** Returns the words of an operation; one without words keeps its name. @type {(operation: string) => [done: string, tried: string]} */
function wordsOf(operation) {
  const own = Object.hasOwn(acts, operation) ? acts[operation] : undefined;
  if (own) return own;
  const [done, tried] = wordsOfAct(operation) ?? [operation, operation];
  const told = done.replace(/^You (.)/, (_, letter) => letter.toUpperCase());
  return [aboutThem(told), aboutThem(tried)];
}

/** @param {string} words */
const aboutThem = words => words.replaceAll(/\byour\b/g, 'the');

/** Returns whether there are words for an operation. @param {string} operation */
export const hasAdminWords = operation =>
  Object.hasOwn(acts, operation) || wordsOfAct(operation) !== undefined;

/** Returns an act in words: what was done, or what was tried. @param {Pick<AuditRecord, 'operation' | 'outcome'>} record */
export function wordsForRecord({ operation, outcome }) {
  const [done, tried] = wordsOf(operation);
  return outcome === 'ok' ? done || tried : tried;
}

/** Returns the operations among these names, each with what it is called, in the order of the words. @param {string[]} names */
export const choicesOf = names =>
  [...new Set([...names, ...Object.keys(acts)])]
    .map(name => ({ name, words: wordsOf(name)[1] }))
    .toSorted((a, b) => a.words.localeCompare(b.words));
