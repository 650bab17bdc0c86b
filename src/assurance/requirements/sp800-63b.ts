import type { Requirement } from '../needs.ts';
import * as set from '../settings.ts';
import { during } from '../settings.ts';
import {
  agesAtProviders,
  always,
  codes,
  factors,
  needs,
  nist,
  notices,
  oauth,
  twoAddresses,
  twoFactors,
  unmet,
} from './entry.ts';

export const aal: readonly Requirement[] = [
  nist(
    1,
    '2.1.3#overall-timeout',
    'Sessions end after thirty days at most',
    needs(
      [[set.lifetime(2_592_000)]],
      ['requests/cutoff.test.ts: outlives the session, which also ends by itself'],
    ),
  ),
  nist(
    2,
    '2.2.1#two-factors',
    'Every session has seen two factors',
    needs(
      [twoFactors],
      [
        'doors/mfa-required.test.ts: is all that a session without one can set up',
        'doors/mfa-required.test.ts: can do no more than before it was set up: %s',
      ],
    ),
  ),
  nist(
    2,
    '2.2.1#combination',
    'The two factors are of different kinds',
    always([
      'doors/ways-in.test.ts: factors: %s',
      'browser/passkeys.test.ts: a person who is not verified by the device is not signed in',
    ]),
  ),
  nist(
    2,
    '2.2.2#replay-resistant',
    'A proof that was overheard is of no use',
    always([
      'processes/second-step.test.ts: many wrong codes of all kinds at once get five comparisons per pending token and ten per account',
      'requests/passkey-attacks.test.ts: is good once, also when it is answered many times at once',
      'doors/second-step.test.ts: at a code of an earlier step, after a later one was used, are wrong',
    ]),
  ),
  nist(
    2,
    '2.2.2#phishing-resistant-option',
    'One way in resists phishing',
    needs(
      [[set.passkeys]],
      [
        'browser/passkeys.test.ts: a passkey is offered where the address is typed in',
        'requests/passkey-attacks.test.ts: the headers of a request decide about no origin',
      ],
    ),
  ),
  nist(
    2,
    '2.2.3#overall-timeout',
    'Sessions end after a day at most',
    needs(
      [[set.lifetime(86_400)]],
      ['requests/cutoff.test.ts: outlives the session, which also ends by itself'],
    ),
  ),
];

export const accounts: readonly Requirement[] = [
  nist(
    1,
    '4.1#record',
    'Every factor of an account is recorded with its kind',
    always(['doors/admin-authenticators.test.ts: lists the factors of an account as its owner sees them']),
  ),
  nist(
    1,
    '4.1#dates',
    'The dates of each factor are kept for good',
    needs(
      [[set.auditStore, set.auditKept]],
      [
        'features/audit-store/doors.test.ts: say who did what to whom, from where, and how it ended; none of them is in the log',
        'features/audit-store/doors.test.ts: are purged after audit_retention_days, and no sooner',
      ],
    ),
  ),
  nist(
    1,
    '4.1.2.1#several',
    'An account may have several factors',
    always(['doors/totp.test.ts: an account has ten authenticators at most']),
    codes,
  ),
  nist(
    1,
    '4.1.2.1#bind-at-highest',
    'A new factor takes the highest proof there is',
    needs(
      [twoFactors],
      [
        'doors/mfa-required.test.ts: can do no more than before it was set up: %s',
        'doors/mfa-required.test.ts: may be a passkey, which is then the second step of the password, and stays when it is the last',
      ],
    ),
    codes,
  ),
  nist(
    1,
    '4.1.2.1#notice',
    'Owners are told of new factors',
    needs(
      [notices],
      [
        'doors/notices.test.ts: a phone that was set up, and one that was removed',
        'doors/totp.test.ts: is set up, asked for at every sign-in from then on, renamed and removed',
      ],
    ),
    factors,
  ),
  nist(
    1,
    '4.2.1#method',
    'There is a way back into an account',
    needs(
      [[set.reset, set.mails]],
      [
        'doors/password-reset.test.ts: sets the new password, ends every session, and lets the new one in at once',
      ],
    ),
  ),
  nist(
    1,
    '4.2.1.2#code',
    'Mailed recovery ends within a day and works once',
    needs(
      [[set.resetLifetime]],
      [
        'doors/password-reset.test.ts: works once for each link',
        'doors/password-reset.test.ts: refuses a link from the moment on that it expires',
      ],
    ),
  ),
  nist(
    1,
    '4.2.1.2#verified',
    'Addresses for recovery are verified',
    needs(
      [[set.verification]],
      [
        'doors/email-change.test.ts: happens when the link is used and not before; then every session ends and the new address signs in',
      ],
    ),
  ),
  nist(1, '4.2.1.2#two-addresses', 'Recovery may go to two addresses', twoAddresses),
  nist(
    1,
    '4.2.2.1#aal1',
    'A lost password is replaced by mail',
    needs(
      [[set.reset]],
      [
        'doors/password-reset.test.ts: sets the new password, ends every session, and lets the new one in at once',
      ],
    ),
  ),
  nist(
    2,
    '4.2.2.2#aal2',
    'Owners confirm with a code when all factors are lost',
    unmet(
      'Where all factors are lost, administration removes them by its own judgement: the owner confirms nothing, by choice.',
    ),
  ),
  nist(
    1,
    '4.2.3#notice',
    'Owners are told of every recovery',
    needs(
      [notices],
      [
        'doors/password-reset.test.ts: tells the owner by a mail and fires password_reset_completed with the user as it is then',
        'doors/totp.test.ts: is removed by administration with every other factor, and its owner is told',
        'cli/create-admin.test.ts: takes a superuser over, too, and tells the address',
      ],
    ),
  ),
  nist(
    1,
    '4.3#suspend',
    'What was stolen stops signing in at once',
    always([
      'cli/user.test.ts: disable keeps an account out until enable lets it in again, and no former session comes back',
      'doors/totp.test.ts: is removed by administration with every other factor, and its owner is told',
    ]),
  ),
  nist(
    1,
    '4.5#invalidate',
    'Factors end with their account',
    always([
      'doors/account.test.ts: takes everything along that belongs to it, and nothing of anybody else',
      'requests/factors-kept.test.ts: leaves no row when it is deleted',
    ]),
  ),
  nist(1, '4.6#two-addresses', 'Notices go to two addresses', twoAddresses),
  nist(
    1,
    '4.6#contact',
    'Notices say whom to tell when something is wrong',
    needs(
      [[set.contact, set.mails]],
      ['mail/messages.test.ts: names the contact of the configuration where it says to ask for help'],
    ),
  ),
];

export const sessions: readonly Requirement[] = [
  nist(
    1,
    '5.1#after-event',
    'A session begins with a sign-in alone',
    always([
      'doors/recent-sign-in.test.ts: is made by the operations that sign in, and by no other that answers a session',
    ]),
  ),
  nist(
    1,
    '5.1#length',
    'Secrets of sessions are long and random',
    always([
      'crypto/tokens.test.ts: carries the claims of the specification, `iat` exact to the millisecond',
    ]),
  ),
  nist(
    1,
    '5.1#logout',
    'Signing out ends the session',
    always(['doors/sessions.test.ts: loses a session that logs out, and all of them with everywhere']),
  ),
  nist(
    1,
    '5.1#timeout',
    'A session that is over is refused',
    always([
      'crypto/tokens.test.ts: expires by our clock: at its `exp` it is dead, a millisecond before it lives',
    ]),
  ),
  nist(
    1,
    '5.1#csrf',
    'Foreign pages cannot act in a session',
    always([
      'features/browser-sessions/doors.test.ts: no API accepts the cookie, and no interface reads it',
      'features/browser-sessions/csrf.test.ts: refuses the token of another session, a cut one, none, and what is no text',
    ]),
    { host: set.noBrowserSessions },
  ),
  nist(
    1,
    '5.1#no-remember',
    'Nothing that outlives the session stands for it',
    always(['client/session.test.ts: without a browser the token is kept in memory, each client its own']),
  ),
  nist(
    1,
    '5.1#aal-not-above',
    'A session counts for no more than its sign-in',
    needs(
      [[set.twoFactorsFromOutside]],
      [
        'doors/mfa-required.test.ts: can do no more than before it was set up: %s',
        'doors/recent-sign-in.test.ts: %s',
      ],
    ),
  ),
  nist(
    1,
    '5.1.1#cookie',
    'Cookies of sessions are for this site and https alone',
    always([
      'features/browser-sessions/doors.test.ts: https gives the cookie the prefix that keeps it to this host, and http elsewhere is an error at start',
    ]),
    { arises: [during.browserSessions] },
  ),
  nist(
    1,
    '5.2#either-timeout',
    'A session ends at the first of its limits',
    always([
      'doors/sessions.test.ts: refuses a session that was unused for so long, and lists it no more',
      'requests/cutoff.test.ts: outlives the session, which also ends by itself',
    ]),
  ),
  nist(
    1,
    '5.2#provider-session',
    'An old sign-in at a provider is made anew',
    needs(
      [agesAtProviders],
      [
        'oauth/sign-in-age.test.ts: refuses a sign-in of unknown age, and one that is older, signing in and linking',
      ],
      ['docs/sessions.md#sessions-at-an-identity-provider'],
    ),
    oauth,
  ),
];

/** Every requirement, those that do not apply among them. */
