// The actions on an account.
import { api } from './admin-api.js';
import { t } from './words.js';

/** @import { Question } from './admin-dialog.js' */
/** @import { Shown } from './admin-user.js' */
/** @import { Message, User } from './types.d.ts' */
/** @import { Sentences } from './sentences.js' */

/** Why an email was not sent, by the code of the error. @type {Sentences} */
const unsent = {
  rate_limited: t('console_nothing_was_sent_the_address'),
  account_disabled: t('console_nothing_was_sent_the_account'),
  invalid_input: t('console_nothing_was_sent_the_account_has'),
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
      title: t('console_disable_2', { email }),
      text: t('console_nobody_can_sign_in_to_it'),
      label: t('console_disable_3'),
      isDangerous: true,
    }),
    work: ({ id }) => api.adminUpdateUser({ id, isActive: false }),
    said: user => (user.isActive ? t('console_the_account_is_active') : t('console_the_account_is_disabled')),
  },
  enable: {
    work: ({ id }) => api.adminUpdateUser({ id, isActive: true }),
    said: user =>
      user.isActive ? t('console_the_account_is_active_its') : t('console_the_account_is_disabled'),
  },
  promote: {
    ask: ({ email, isVerified }) => ({
      title: t('console_make_an_administrator', { email }),
      text: isVerified
        ? t('console_an_administrator_can_do_everything_in')
        : t('console_an_administrator_can_do_everything_in_this'),
      label: t('console_make_administrator_2'),
    }),
    // The question has already warned about an unverified address.
    work: ({ id, isVerified }) => api.adminUpdateUser({ id, isSuperuser: true, evenUnverified: !isVerified }),
    said: user =>
      user.isSuperuser ? t('console_the_account_is_an_administrator') : t('console_the_account_is_not_an'),
  },
  demote: {
    ask: ({ email, isYou }) => ({
      title: t('console_remove_administrator_rights_from', { email }),
      text: isYou ? t('console_this_is_your_own_account') : t('console_the_account_itself_stays_as'),
      label: t('console_remove_rights_2'),
      isDangerous: true,
    }),
    work: ({ id }) => api.adminUpdateUser({ id, isSuperuser: false }),
    said: user =>
      user.isSuperuser
        ? t('console_the_account_is_an_administrator_2')
        : t('console_the_account_is_no_longer'),
  },
  unlock: { work: ({ id }) => api.adminUnlock({ id }) },
  resend: { work: ({ id }) => api.adminResendVerification({ id }), refused: unsent },
  sendReset: { work: ({ id }) => api.adminSendReset({ id }), refused: unsent },
  requireNewPassword: {
    ask: ({ email, isYou }) => ({
      title: t('console_require_a_new_password_of', { email }),
      text: isYou ? t('console_the_password_no_longer_signs') : t('console_the_password_no_longer_signs_in'),
      label: t('console_require_it'),
      isDangerous: true,
    }),
    work: ({ id }) => api.adminRequireNewPassword({ id }),
    refused: unsent,
  },
  revoke: {
    ask: ({ email, isYou }) => ({
      title: t('console_end_all_sessions_of', { email }),
      text: isYou ? t('console_everybody_who_is_signed_in') : t('console_everybody_who_is_signed_in_to'),
      label: t('console_end_sessions'),
      isDangerous: true,
    }),
    work: ({ id }) => api.adminRevokeSessions({ id }),
    said: () => t('console_every_session_of_the_account'),
  },
  secondFactor: {
    ask: ({ email }) => ({
      title: t('console_remove_the_second_factor_of', { email }),
      text: t('console_the_phone_number_is_removed'),
      label: t('console_remove_it'),
      isDangerous: true,
    }),
    work: ({ id }) => api.adminDisablePhone({ id }),
    said: user =>
      user.isMfaEnabled ? t('console_the_second_factor_is_on') : t('console_the_second_factor_and_the'),
  },
  apiKeys: {
    ask: ({ email }) => ({
      title: t('console_api_keys_remove_title', { email }),
      text: t('console_api_keys_remove_question'),
      label: t('console_api_keys_remove_label'),
      isDangerous: true,
    }),
    work: ({ id }) => api.adminRemoveApiKeys({ id }),
  },
  secondFactors: {
    ask: ({ email }) => ({
      title: t('console_remove_every_second_factor_of', { email }),
      text: t('console_phone_authenticator_apps_passkeys_and'),
      label: t('console_remove_them'),
      isDangerous: true,
    }),
    work: ({ id }) => api.adminRemoveAuthenticators({ id }),
    said: user =>
      user.isMfaEnabled ? t('console_a_second_factor_was_added') : t('console_every_second_factor_of_the'),
  },
};
