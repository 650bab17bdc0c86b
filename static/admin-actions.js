// The actions on an account.
import { api } from './admin-api.js';

/** @import { Question } from './admin-dialog.js' */
/** @import { Shown } from './admin-user.js' */
/** @import { Message, User } from './types.d.ts' */
/** @import { Sentences } from './sentences.js' */

const sessionsEnd = 'Every session of the account ends at once.';

/** Why an email was not sent, by the code of the error. @type {Sentences} */
const unsent = {
  rate_limited:
    'Nothing was sent: the address has had too many of these emails within an hour. Unlocking the account lifts this limit.',
  account_disabled: 'Nothing was sent: the account is disabled, so its links do not work. Enable it first.',
  invalid_input: 'Nothing was sent: the account has no address that email can be sent to.',
};

/**
 * `ask` returns the question that comes first; `said` returns the message for the account in the response, if the response
 * has no message of its own; `refused` has sentences for codes that mean something particular here.
 * @typedef {{
 *   ask?: (user: Shown) => Question,
 *   work: (user: Shown) => Promise<User | Message>,
 *   said?: (user: User) => string,
 *   refused?: Sentences,
 * }} Action
 */

/** By the `data-action` of their buttons. @type {Record<string, Action>} */
export const actions = {
  disable: {
    ask: ({ email }) => ({
      title: `Disable ${email}?`,
      text: `Nobody can sign in to it any more. ${sessionsEnd}`,
      label: 'Disable',
      isDangerous: true,
    }),
    work: ({ id }) => api.adminUpdateUser({ id, isActive: false }),
    said: user => (user.isActive ? 'The account is active.' : 'The account is disabled.'),
  },
  enable: {
    work: ({ id }) => api.adminUpdateUser({ id, isActive: true }),
    said: user =>
      user.isActive ? 'The account is active: its owner can sign in again.' : 'The account is disabled.',
  },
  promote: {
    ask: ({ email, isVerified }) => ({
      title: `Make ${email} an administrator?`,
      text: `An administrator can do everything in this console, to your account too. The owner is notified by email.${isVerified ? '' : ' Nobody has shown yet that this address is theirs: anyone could have registered it.'}`,
      label: 'Make administrator',
    }),
    // The question has already warned about an unverified address.
    work: ({ id, isVerified }) => api.adminUpdateUser({ id, isSuperuser: true, evenUnverified: !isVerified }),
    said: user =>
      user.isSuperuser ? 'The account is an administrator now.' : 'The account is not an administrator.',
  },
  demote: {
    ask: ({ email, isYou }) => ({
      title: `Remove administrator rights from ${email}?`,
      text: isYou
        ? 'This is your own account: the console closes for you at once.'
        : 'The account itself stays as it is.',
      label: 'Remove rights',
      isDangerous: true,
    }),
    work: ({ id }) => api.adminUpdateUser({ id, isSuperuser: false }),
    said: user =>
      user.isSuperuser ? 'The account is an administrator.' : 'The account is no longer an administrator.',
  },
  unlock: { work: ({ id }) => api.adminUnlock({ id }) },
  resend: { work: ({ id }) => api.adminResendVerification({ id }), refused: unsent },
  sendReset: { work: ({ id }) => api.adminSendReset({ id }), refused: unsent },
  requireNewPassword: {
    ask: ({ email, isYou }) => ({
      title: `Require a new password of ${email}?`,
      text: `The password no longer signs in, and ${sessionsEnd.toLowerCase()} The owner gets a link to choose another one.${isYou ? ' It is your own account.' : ''}`,
      label: 'Require it',
      isDangerous: true,
    }),
    work: ({ id }) => api.adminRequireNewPassword({ id }),
    refused: unsent,
  },
  revoke: {
    ask: ({ email, isYou }) => ({
      title: `End all sessions of ${email}?`,
      text: `Everybody who is signed in to it has to sign in again${isYou ? ', and that is you' : ''}.`,
      label: 'End sessions',
      isDangerous: true,
    }),
    work: ({ id }) => api.adminRevokeSessions({ id }),
    said: () => 'Every session of the account has ended.',
  },
  secondFactor: {
    ask: ({ email }) => ({
      title: `Remove the second factor of ${email}?`,
      text: 'The phone number is removed, and the password alone is enough to sign in. Do this only when you know that the owner asks for it.',
      label: 'Remove it',
      isDangerous: true,
    }),
    work: ({ id }) => api.adminDisablePhone({ id }),
    said: user =>
      user.isMfaEnabled ? 'The second factor is on.' : 'The second factor and the phone number were removed.',
  },
  secondFactors: {
    ask: ({ email }) => ({
      title: `Remove every second factor of ${email}?`,
      text: 'Phone, authenticator apps, passkeys and recovery codes go, and the password alone is enough to sign in. Do this only when you know that the owner asks for it.',
      label: 'Remove them',
      isDangerous: true,
    }),
    work: ({ id }) => api.adminRemoveAuthenticators({ id }),
    said: user =>
      user.isMfaEnabled
        ? 'A second factor was added meanwhile.'
        : 'Every second factor of the account is gone.',
  },
};
