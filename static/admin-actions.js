// What can be done to an account.
import { api } from './admin-api.js';

const sessionsEnd = 'Every session of the account ends at once.';

/**
 * By the `data-action` of their buttons. `ask` words a question that comes first; `said` words the account that the
 * service answers, where it doesn't answer a message of its own.
 */
export const actions = {
  disable: {
    ask: ({ email }) => ({
      title: `Disable ${email}?`,
      text: `Nobody can sign in to it any more. ${sessionsEnd}`,
      label: 'Disable',
      isDangerous: true,
    }),
    work: ({ id }) => api.update({ id, isActive: false }),
    said: user => (user.isActive ? 'The account is active.' : 'The account is disabled.'),
  },
  enable: {
    work: ({ id }) => api.update({ id, isActive: true }),
    said: user =>
      user.isActive ? 'The account is active: its owner can sign in again.' : 'The account is disabled.',
  },
  promote: {
    ask: ({ email, isVerified }) => ({
      title: `Make ${email} a superuser?`,
      text: `A superuser can do everything in this console, to your account too. The owner is told by mail.${isVerified ? '' : ' Nobody has shown yet that this address is theirs: anyone could have registered it.'}`,
      label: 'Make superuser',
    }),
    work: ({ id }) => api.update({ id, isSuperuser: true }),
    said: user => (user.isSuperuser ? 'The account is a superuser now.' : 'The account is not a superuser.'),
  },
  demote: {
    ask: ({ email, isYou }) => ({
      title: `Take superuser rights from ${email}?`,
      text: isYou
        ? 'This is your own account: the console closes for you at once.'
        : 'The account itself stays as it is.',
      label: 'Take rights away',
      isDangerous: true,
    }),
    work: ({ id }) => api.update({ id, isSuperuser: false }),
    said: user =>
      user.isSuperuser ? 'The account is a superuser.' : 'The account is not a superuser any more.',
  },
  unlock: { work: ({ id }) => api.unlock(id) },
  resend: { work: ({ id }) => api.resendVerification(id) },
  revoke: {
    ask: ({ email, isYou }) => ({
      title: `End all sessions of ${email}?`,
      text: `Everybody who is signed in to it has to sign in again${isYou ? ', and that is you' : ''}.`,
      label: 'End sessions',
      isDangerous: true,
    }),
    work: ({ id }) => api.revokeSessions(id),
    said: () => 'Every session of the account has ended.',
  },
  secondFactor: {
    ask: ({ email }) => ({
      title: `Take the second factor off ${email}?`,
      text: 'The phone number goes, and the password alone is enough to sign in. Do this only when you know that the owner asks for it.',
      label: 'Take it off',
      isDangerous: true,
    }),
    work: ({ id }) => api.disablePhone(id),
    said: user =>
      user.isMfaEnabled
        ? 'The second factor is on.'
        : 'The second factor is off, and the phone number is gone.',
  },
};
