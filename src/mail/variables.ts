import { z } from 'zod';

const text = z.string();

/** What every email has. */
const common = {
  app_name: text.describe('from the configuration'),
  support_contact: text
    .nullable()
    .describe('from the configuration: where people ask for help; null where it is not set'),
  support_url: text
    .nullable()
    .describe('`support_contact` as a link: itself, or `mailto:` before an email address'),
  locale: text.describe('the language of the email: `en`'),
  direction: z.enum(['ltr', 'rtl']).describe('the direction of its script'),
};

/** What the emails with a link have. */
const ofLinks = {
  url: text.describe('the link, with its token'),
  lifetime: text.describe('how long the link works: `30 minutes`'),
};

/** What the notices have: emails about what was done to the account. */
const ofNotices = {
  at: text.describe('when it happened: `22 November 2026, 14:05 UTC`'),
  by: z
    .enum(['self', 'admin', 'cli', 'host'])
    .describe(
      'who did it: `self`, `admin` (a superuser), `cli` (an operator on the server), `host` (the application)',
    ),
  ip: text.nullable().describe('from which IP address; null for `cli` and `host`, and where it is not known'),
  forgot_url: text
    .nullable()
    .describe(
      'where to ask for a new password: the page `forgot`, or with the pages off your `urls.login`; null where neither exists',
    ),
};

const notMe = {
  not_me_url: text
    .nullable()
    .describe('the link "this was not me", with its token; null while `notify_new_sign_in` is off'),
};

const newEmail = text.describe('the new address, in part: `a***@example.org`');
const provider = text.describe('the name of the provider');
const authenticator = z.enum(['totp', 'passkey']).describe('`totp` (an authenticator app) or `passkey`');

const link = (about: string) => z.object({ ...common, ...ofLinks }).describe(about);
const notice = <S extends z.ZodRawShape>(about: string, own: S) =>
  z.object({ ...common, ...ofNotices, ...own }).describe(about);

/** The variables of every kind of email, under the name of its templates: `views/mail/<kind>.{subject,text,html}.liquid`. */
export const mailVariables = {
  verification: link('the address of a new account is to be confirmed'),
  'password-reset': link('a new password was asked for'),
  invitation: link('the host has made an account: its owner is to choose a password'),
  'email-change': link('to the new address: it is to be confirmed'),
  'address-taken': z
    .object({
      ...common,
      wanted: z
        .enum(['registration', 'email_change'])
        .describe('`registration` (of an account) or `email_change` (of another account)'),
      login_url: text.describe('where people sign in'),
      forgot_url: ofNotices.forgot_url,
    })
    .describe(
      'to an address that has an account: somebody wanted to use it (`enumeration_safe_registration`)',
    ),
  'email-change-requested': notice('to the present address: a new one was asked for', {
    new_email: newEmail,
  }),
  'email-changed': notice('to the previous address: it is no longer that of the account', {
    ...notMe,
    new_email: newEmail,
  }),
  'account-deleted': notice('to the address that the account had: it was deleted', {}),
  'password-blocked': notice(
    'too many wrong passwords were given in a row: the password no longer signs in',
    {},
  ),
  'password-changed': notice('the password was changed', {}),
  'password-reset-done': notice('a password was set with the link of an email', {}),
  'phone-set': notice('a phone was set up, or replaced', {
    ...notMe,
    phone: text.describe('its last two digits: `…40`'),
  }),
  'phone-removed': notice('the phone was removed', {}),
  'identity-linked': notice('a provider can sign in to the account', { ...notMe, provider }),
  'identity-unlinked': notice('a provider can no longer sign in to the account', { provider }),
  'authenticator-added': notice('an authenticator app or a passkey was added', {
    ...notMe,
    kind: authenticator,
  }),
  'authenticator-removed': notice('an authenticator app or a passkey was removed', { kind: authenticator }),
  'recovery-code-used': notice('a recovery code was used', {
    left: z.number().describe('how many recovery codes are left'),
  }),
  'recovery-codes-replaced': notice('the recovery codes were replaced', notMe),
  'new-sign-in': notice('somebody signed in from a browser or network that the account has not used lately', {
    ...notMe,
    device: text
      .nullable()
      .describe('the browser and system: `Firefox on Linux`; null where it is not known'),
  }),
  'not-me-reported': notice('a link "this was not me" was used: every session has ended', {
    closed: z
      .boolean()
      .describe('whether nobody can sign in any more; false while `enable_password_reset` is off'),
    password_needed: z
      .boolean()
      .describe('whether a reset by email opens the account again; else only administration does'),
  }),
  'second-step-failed': notice('the right password was given, and then five wrong codes or passkeys', notMe),
  'made-superuser': notice('the account was made a superuser', {
    taken_over: z
      .boolean()
      .describe('Whether the password, the sessions and every other way of signing in were removed'),
  }),
};

/** A kind of email: the name of its templates. */
export type MailKind = keyof typeof mailVariables;

/** The variables of the templates, by kind of email. */
export type MailVariables = { [K in MailKind]: z.infer<(typeof mailVariables)[K]> };

/** The variables that every kind has. */
export type CommonVariables = { [N in keyof typeof common]: z.infer<(typeof common)[N]> };

/** The names of the variables that every kind has. */
export const commonVariables = Object.keys(common) as (keyof CommonVariables)[];
