// The acts of audit records, in the words of the console: of people, of administrators, and of operators.
import { idOfAct, isConsoleAct, t } from './words.js';

/** @import { AuditRecord } from './types.d.ts' */

/** The operations that have words. */
const operations = [
  'login',
  'loginWithPasskey',
  'startPasskeyLogin',
  'startOAuthSignIn',
  'exchangeOAuth',
  'oauthCallback',
  'confirmLoginMfa',
  'startMfaPasskey',
  'sendMfaCode',
  'reauthenticate',
  'logout',
  'endSession',
  'endOtherSessions',
  'register',
  'verify',
  'resendVerification',
  'acceptInvitation',
  'updateProfile',
  'changePassword',
  'forgotPassword',
  'resetPassword',
  'changeEmail',
  'confirmEmailChange',
  'startPhoneSetup',
  'confirmPhoneSetup',
  'disablePhone',
  'startTotpSetup',
  'confirmTotpSetup',
  'startPasskeySetup',
  'confirmPasskeySetup',
  'renameAuthenticator',
  'removeAuthenticator',
  'replaceRecoveryCodes',
  'createApiKey',
  'renameApiKey',
  'removeApiKey',
  'startOAuthLink',
  'finishOAuthLink',
  'unlinkOAuth',
  'keepAddedSince',
  'deleteAccount',
  'verificationMail',
  'resetMail',
  'invitationMail',
  'emailChangeMail',
  'createBrowserSession',
  'endBrowserSession',
  'reportNotMe',
  'noticeMail',
  'user',
  'users',
  'resolveEntities',
  'pendingRegistrations',
  'auditRecords',
  'outboxMessages',
  'webhooks',
  'userSessions',
  'userIdentities',
  'userAuthenticators',
  'userApiKeys',
  'adminCreateUser',
  'adminUpdateUser',
  'adminDeleteUser',
  'adminChangeEmail',
  'adminRequireNewPassword',
  'adminSendReset',
  'adminResendVerification',
  'adminResendPending',
  'adminUnlock',
  'adminUnlockPending',
  'adminRevokeSessions',
  'adminEndSession',
  'adminPromotePending',
  'adminDisablePhone',
  'adminRemoveAuthenticators',
  'adminRemoveApiKey',
  'adminRemoveApiKeys',
  'adminUnlinkOAuth',
  'adminRetryMessage',
  'adminDropMessage',
  'adminTestWebhook',
  'adminEnableWebhook',
  'adminReplayWebhook',
  'introspectToken',
  'revokeToken',
  'signingKeys',
  'adminRotateSigningKeys',
  'rotateSigningKeys',
  'removeSigningKey',
  'resetSigningKeys',
  'createUserApiKey',
  'inviteUser',
  'issueSession',
  'createAdmin',
  'exportUsers',
  'importUsers',
  'migrate',
  'purge',
];

/** Returns the words of an operation; one without words keeps its name. @param {string} operation @param {string} outcome */
function wordsOf(operation, outcome) {
  const id = `console_${idOfAct(operation)}`;
  return isConsoleAct(id) ? t(id, { outcome }) : operation;
}

/** Returns whether there are words for an operation. @param {string} operation */
export const hasAdminWords = operation => isConsoleAct(`console_${idOfAct(operation)}`);

/** Returns an act in words: what was done, or what was tried. @param {Pick<AuditRecord, 'operation' | 'outcome'>} record */
export const wordsForRecord = ({ operation, outcome }) => wordsOf(operation, outcome);

/** Returns the operations, each with what it is called, in the order of the words. */
export const choicesOf = () =>
  operations
    .map(name => ({ name, words: wordsOf(name, 'tried') }))
    .toSorted((a, b) => a.words.localeCompare(b.words));
