import { z } from 'zod';
import { disownableNotice, forgotUrl, linkMail, mail, masked, nothing, notice } from './define.ts';

const text = z.string();
const newEmail = text.describe('the new address, in part: `a***@example.org`');
const authenticator = z.enum(['totp', 'passkey']).describe('`totp` (an authenticator app) or `passkey`');

const ofProvider = {
  variables: { provider: text.describe('the name of the provider') },
  sample: { provider: 'google' },
  values: ({ provider }: { provider: string }) => ({ provider }),
};

const keysFate = z.enum(['stay', 'ended', 'closed']);

/** The fate of the API keys of an account at a cutoff. */
export type KeysFate = z.infer<typeof keysFate>;

/** Notices of cutoffs tell of API keys. */
export const ofKeys = {
  variables: {
    api_keys: keysFate
      .nullable()
      .describe(
        '`stay` (API keys of the account still work), `ended` (they were removed), `closed` (they are refused until the account is open again); null where there is none',
      ),
  },
  sample: { apiKeys: 'stay' as const },
  // Messages that a former version has stored are without it.
  values: ({ apiKeys = null }: { apiKeys?: KeysFate | null }) => ({ api_keys: apiKeys }),
};

const ofNewEmail = {
  variables: { new_email: newEmail },
  sample: { newEmail: 'lovelace@example.org' },
  values: ({ newEmail }: { newEmail: string }) => ({ new_email: masked(newEmail) }),
};

const ofChangedEmail = {
  variables: { ...ofNewEmail.variables, ...ofKeys.variables },
  sample: { ...ofNewEmail.sample, ...ofKeys.sample },
  values: (mail: { newEmail: string; apiKeys?: KeysFate | null }) => ({
    ...{ ...ofNewEmail.values(mail), ...ofKeys.values(mail) },
  }),
};

const ofStoppedPassword = {
  variables: {
    password_stopped: z.boolean().describe('whether the present password no longer signs in'),
  },
  sample: { isPasswordStopped: false },
  // Messages that a former version has stored are without it.
  values: ({ isPasswordStopped = false }: { isPasswordStopped?: boolean }) => ({
    password_stopped: isPasswordStopped,
  }),
};

type AuthenticatorKind = z.infer<typeof authenticator>;
const ofAuthenticator = (sample: AuthenticatorKind) => ({
  variables: { kind: authenticator },
  sample: { kind: sample },
  values: ({ kind }: { kind: AuthenticatorKind }) => ({ kind }),
});

/**
 * The emails of the core, each under the name of the function that writes it. None contains a name that a user chose, because
 * it may go to an address that is not verified.
 */
export const coreMails = {
  /** To the address of a new account, for its owner to confirm. */
  verification: linkMail('the address of a new account is to be confirmed', nothing),
  passwordReset: linkMail('a new password was asked for, or is required', ofStoppedPassword),
  /** To the address of an account that the host has made, for its owner to choose a password. */
  invitation: linkMail('the host has made an account: its owner is to choose a password', nothing),
  /** To the new address, which becomes the address of the account when the link is used. */
  emailChange: linkMail('to the new address: it is to be confirmed', nothing),
  /** To an address that has an account, and with which somebody wanted to register, or to change to. */
  addressTaken: mail(
    'to an address that has an account: somebody wanted to use it (`enumeration_safe_registration`)',
    {
      variables: {
        wanted: z
          .enum(['registration', 'email_change'])
          .describe('`registration` (of an account) or `email_change` (of another account)'),
        login_url: text.describe('where people sign in'),
        forgot_url: forgotUrl,
      },
      sample: { wanted: 'registration' },
      values: ({ wanted }: { wanted: 'registration' | 'email_change' }, { login, forgot }) => ({
        ...{ wanted, login_url: login, forgot_url: forgot },
      }),
    },
  ),
  /** To the present address, at the request; the new one is partly masked. */
  emailChangeRequested: notice('to the present address: a new one was asked for', ofNewEmail),
  /** To the previous address, at the change; the new one is partly masked. */
  emailChanged: disownableNotice(
    'to the previous address: it is no longer that of the account',
    ofChangedEmail,
  ),
  accountDeleted: notice('to the address that the account had: it was deleted', nothing),
  passwordBlocked: notice(
    'too many wrong passwords were given in a row: the password no longer signs in',
    nothing,
  ),
  passwordChanged: notice('the password was changed', ofKeys),
  passwordResetDone: notice('a password was set with the link of an email', ofKeys),
  phoneSet: disownableNotice('a phone was set up, or replaced', {
    variables: { phone: text.describe('its last two digits: `…40`') },
    sample: { phoneNumber: '+447700900140' },
    values: ({ phoneNumber }: { phoneNumber: string }) => ({ phone: `…${phoneNumber.slice(-2)}` }),
  }),
  phoneRemoved: notice('the phone was removed', nothing),
  identityLinked: disownableNotice('a provider can sign in to the account', ofProvider),
  identityUnlinked: notice('a provider can no longer sign in to the account', ofProvider),
  authenticatorAdded: disownableNotice(
    'an authenticator app or a passkey was added',
    ofAuthenticator('totp'),
  ),
  authenticatorRemoved: notice('an authenticator app or a passkey was removed', ofAuthenticator('passkey')),
  recoveryCodeUsed: notice('a recovery code was used', {
    variables: { left: z.number().describe('how many recovery codes are left') },
    sample: { left: 3 },
    values: ({ left }: { left: number }) => ({ left }),
  }),
  recoveryCodesReplaced: disownableNotice('the recovery codes were replaced', nothing),
  /** Somebody who knows the password has given so many wrong codes. */
  secondStepFailed: disownableNotice(
    'the right password was given, and then five wrong codes or passkeys',
    nothing,
  ),
  /** An operator may have taken the account over: then every way of signing in was removed. */
  madeSuperuser: notice('the account was made a superuser', {
    variables: {
      taken_over: z
        .boolean()
        .describe('Whether the password, the sessions and every other way of signing in were removed'),
    },
    sample: { isTakenOver: true },
    values: ({ isTakenOver }: { isTakenOver: boolean }) => ({ taken_over: isTakenOver }),
  }),
};
