import type { Requirement } from '../needs.ts';
import * as set from '../settings.ts';
import { during } from '../settings.ts';
import {
  always,
  apps,
  asvs,
  codes,
  factors,
  needs,
  not,
  notices,
  oauth,
  onPages,
  passkeys,
  texts,
  twoFactors,
  unmet,
} from './entry.ts';

export const v6: readonly Requirement[] = [
  asvs(
    1,
    '6.1.1',
    'Documents say how guessing and malicious lockout are prevented',
    always(
      ['docs.test.ts: lists every field once, with its name in the environment and a note'],
      [
        'docs/passwords.md#locking-somebody-else-out',
        'docs/security.md#brute-force-how-attempts-are-counted',
      ],
    ),
  ),
  asvs(
    2,
    '6.1.2',
    'Documents list the words that passwords must not be',
    always(
      [
        'passwords/common.test.ts: of a person are the address, its local part, the name and its words, in the forms that people type',
      ],
      ['docs/passwords.md#the-blocklist'],
    ),
  ),
  asvs(
    2,
    '6.1.3',
    'Documents show all ways of signing in with their strengths',
    always(['assurance/ways-in.test.ts: lists every way of signing in'], ['docs/assurance.md#ways-in']),
  ),
  asvs(
    1,
    '6.2.1',
    'Passwords have at least 8 characters',
    always(['services/inputs.test.ts: has 8 to 128 code points, whatever they are']),
  ),
  asvs(
    1,
    '6.2.2',
    'People can change their password',
    always([
      'doors/password.test.ts: lets the new password in at once, in the same tick of the clock, and the old one never again',
    ]),
  ),
  asvs(
    1,
    '6.2.3',
    'Changing a password takes the present one',
    always([
      'doors/password.test.ts: needs the current password; a wrong one changes nothing and ends nothing',
      'doors/recent-sign-in.test.ts: sets its first one after a recent sign-in',
    ]),
  ),
  asvs(
    1,
    '6.2.4',
    'New passwords are not among the 3,000 most common',
    needs(
      [[set.blocklist, set.coveredLength], [set.breachCheck]],
      [
        'doors/new-passwords.test.ts: refuse a common one, in any case, then the own words, and take another one then',
        'passwords/common.test.ts: are three thousand up to the minimum length that gives a warning',
      ],
    ),
  ),
  asvs(
    1,
    '6.2.5',
    'Passwords may have any characters',
    always(['services/inputs.test.ts: has 8 to 128 code points, whatever they are']),
  ),
  asvs(
    1,
    '6.2.6',
    'Fields hide passwords while they are typed',
    always(['browser/login.test.ts: password managers know what its fields are']),
    onPages,
  ),
  asvs(
    1,
    '6.2.7',
    'Pasting and password managers are allowed',
    always(['browser/login.test.ts: password managers know what its fields are']),
    onPages,
  ),
  asvs(
    1,
    '6.2.8',
    'Passwords are compared as typed, neither cut nor changed',
    always([
      'services/inputs.test.ts: is never trimmed and keeps its case',
      'requests/password-forms.test.ts: that was set here is the same however a keyboard makes its letters, and no compatible form of it',
    ]),
  ),
  asvs(
    2,
    '6.2.9',
    'Passwords may have 64 characters and more',
    always(['services/inputs.test.ts: has 8 to 128 code points, whatever they are']),
  ),
  asvs(
    2,
    '6.2.10',
    'Passwords do not age',
    always([
      'doors/new-passwords.test.ts: are not applied at sign-in: a password from before them is as good as it was',
    ]),
  ),
  asvs(
    2,
    '6.2.11',
    'The listed words are refused as passwords',
    needs(
      [[set.blocklist]],
      [
        'doors/new-passwords.test.ts: know the name that is given with a registration, and that of the account later',
      ],
    ),
  ),
  asvs(
    2,
    '6.2.12',
    'New passwords are unknown from breaches',
    needs(
      [[set.breachCheck]],
      [
        'features/breached-passwords/doors.test.ts: refuses a known password, and sends five digits of its digest and nothing else',
        'features/breached-passwords/doors.test.ts: refuses what the file knows, in any form of its characters',
      ],
    ),
  ),
  asvs(
    1,
    '6.3.1',
    'Guessing is stopped as the documents say',
    needs(
      [[set.lockout, set.limits, set.lockoutThreshold, set.lockoutWindow]],
      [
        'limits/lockout.test.ts: answers five wrong passwords with 401 and everything after with 429, the right one too',
        'processes/many-at-once.test.ts: many wrong passwords, as many are answered as the threshold, and then the right one is refused',
      ],
    ),
  ),
  asvs(
    1,
    '6.3.2',
    'No account is there by default',
    always(['cli/create-admin.test.ts: makes the schema on an empty database first']),
  ),
  asvs(
    2,
    '6.3.3',
    'Every sign-in takes two factors',
    needs(
      [twoFactors],
      [
        'doors/mfa-required.test.ts: is all that a session without one can set up',
        'doors/mfa-required.test.ts: is as good as any after it has signed in again',
        'embedding/session-requirements.test.ts: keeps accounts out that must have a factor first',
      ],
    ),
  ),
  asvs(
    3,
    '6.3.3#hardware',
    'One factor is hardware that resists phishing',
    unmet('Passkeys may be synchronised between devices: no attestation is asked for, by choice.'),
  ),
  asvs(
    2,
    '6.3.4',
    'Every way of signing in asks for the same',
    needs(
      [[set.twoFactorsFromOutside]],
      [
        'doors/ways-in.test.ts: factors: %s',
        'doors/oauth-accounts.test.ts: is due, and the code alone gives the session',
        'doors/unconfirmed-phones.test.ts: gets no code once an app is there, and is asked to be confirmed',
      ],
    ),
  ),
  asvs(
    3,
    '6.3.5',
    'Owners are told of suspicious sign-ins',
    needs(
      [[set.newPlaces, ...notices]],
      [
        'features/new-sign-ins/places.test.ts: is mailed to the owner with browser, time and link, once',
        'doors/second-step-guesses.test.ts: are told to the owner at the fifth since the last right one, once per password',
      ],
    ),
  ),
  asvs(
    3,
    '6.3.6',
    'Email is no factor',
    always([
      'doors/password-reset.test.ts: sets the new password, ends every session, and lets the new one in at once',
      'doors/ways-in.test.ts: factors: %s',
    ]),
  ),
  asvs(
    3,
    '6.3.7',
    'Owners are told of changes to their ways in',
    needs(
      [notices],
      [
        'doors/notices.test.ts: a password that was changed, and one that was reset',
        'doors/notices.test.ts: an address that is to be changed, and one that was',
        'doors/notices.test.ts: what an operator did',
        'cli/create-admin.test.ts: takes a superuser over, too, and tells the address',
      ],
    ),
  ),
  asvs(
    3,
    '6.3.8',
    'No answer tells which addresses have an account',
    needs(
      [[set.nobodyIsTold]],
      [
        'doors/enumeration-safe.test.ts: a taken address is registered as a new one is: same answer, same storage, and its owner is told',
        'doors/enumeration-safe.test.ts: an address is changed to a taken one as to a new one, and confirming a taken one is no valid token',
        'doors/password-reset-requests.test.ts: answers alike for every address, and mails only to active accounts',
        'timing.test.ts: of POST %s does not tell known, unknown, pending, contested, disabled, passwordless, imported and blocked addresses apart',
      ],
    ),
  ),
  asvs(
    1,
    '6.4.1',
    'Links that begin an account are random and end soon',
    needs(
      [[set.verificationLifetime]],
      [
        'server-api/invitations.test.ts: lets the person choose a password, once, and verifies the address',
        'server-api/invitations.test.ts: works for seven days',
        'processes/many-at-once.test.ts: many uses of one verification link, one makes the user',
      ],
    ),
  ),
  asvs(
    1,
    '6.4.2',
    'There are no password hints and no secret questions',
    always([
      'openapi.test.ts: names every route that is there: other methods answer 405, other paths are the host’s',
    ]),
  ),
  asvs(
    2,
    '6.4.3',
    'Forgotten passwords are reset without passing the second factor',
    needs(
      [[set.reset, set.resetLifetime]],
      [
        'requests/factors-kept.test.ts: keeps it when its password is reset, and the reset gives no session',
        'doors/password-reset.test.ts: works once for each link',
      ],
    ),
  ),
  asvs(
    2,
    '6.4.4',
    'A lost factor is replaced only by its proven owner',
    needs(
      [[set.recentForAdministration]],
      [
        'doors/totp.test.ts: a recovery code is taken without capitals and hyphens, once, and its owner is mailed',
        'doors/admin-recovery.test.ts: is asked for one’s own account as of everybody, whatever the flag says',
      ],
      ['docs/strong-sign-in.md#lost-factors'],
    ),
  ),
  asvs(3, '6.4.5', 'Ways in that expire are renewed in time', not('No way of signing in expires.')),
  asvs(
    3,
    '6.4.6',
    'Administrators start a reset and never choose a password',
    always([
      'doors/admin.test.ts: that sets a new password once, also the first one',
      'doors/admin-recovery.test.ts: requires a new password: the present one and every session end, and a link goes out',
      'requests/create-admin.test.ts: `svc create-admin` leaves password and sessions of an account alone, whatever password is given; a take-over does not',
    ]),
  ),
  asvs(
    2,
    '6.5.1',
    'A code is good once',
    always([
      'processes/many-at-once.test.ts: many uses of one right code, one gives a session',
      'doors/totp.test.ts: the code that confirmed a set-up does not sign in too',
      'requests/second-factors.test.ts: ten recovery codes used at the same moment all work, each once',
    ]),
    factors,
  ),
  asvs(
    2,
    '6.5.2',
    'Recovery codes are stored as password hashes',
    always([
      'doors/totp-secrets.test.ts: are in one answer, and in no row, log, event, audit record or mail',
    ]),
    codes,
  ),
  asvs(
    2,
    '6.5.3',
    'Codes and secrets of apps come from secure randomness',
    always(['features/authenticator-apps/codes.test.ts: has 20 random bytes and no padding']),
    factors,
  ),
  asvs(
    2,
    '6.5.4',
    'Codes have at least 20 bits of randomness',
    always(['config/values.test.ts: codes of 6 to 10 digits and up to ten minutes are accepted']),
    factors,
  ),
  asvs(
    2,
    '6.5.5',
    'Texted codes live ten minutes, app codes 30 seconds',
    needs(
      [[set.oneStep, set.pendingTenMinutes]],
      [
        'doors/totp-tolerance.test.ts: accepts the present code alone, at every door',
        'config/values.test.ts: codes of 6 to 10 digits and up to ten minutes are accepted',
        'doors/phone-codes.test.ts: a code expires, and its pending token too',
      ],
    ),
    { arises: [during.apps, during.texts] },
  ),
  asvs(
    3,
    '6.5.6',
    'Every factor can be removed',
    always([
      'doors/totp.test.ts: is set up, asked for at every sign-in from then on, renamed and removed',
      'features/passkeys/doors.test.ts: are renamed and removed by their owner alone; a removed one is like one that never was',
      'doors/phone.test.ts: is set up by the code that was texted, is due at the next login, and goes when it is taken off',
    ]),
    factors,
  ),
  asvs(3, '6.5.7', 'Biometrics are only one of two factors', not('No biometric trait reaches the service.')),
  asvs(
    3,
    '6.5.8',
    'Codes of apps are checked by our own clock',
    always(['features/authenticator-apps/codes.test.ts: is wrong for the step %d from now']),
    apps,
  ),
  asvs(
    2,
    '6.6.1',
    'Text messages come with a warning and a stronger way',
    needs(
      [[set.apps], [set.passkeys]],
      ['pages/texts.test.ts: the panel of the phone names the risk, and the stronger ways that are there'],
      ['docs/text-messages.md#what-text-messages-protect-and-what-not'],
    ),
    { ...texts, ...onPages },
  ),
  asvs(
    3,
    '6.6.1#none',
    'There are no text messages',
    needs([[set.noTexts]], ['features/flags.test.ts: %s does not exist, with a session or without']),
  ),
  asvs(
    2,
    '6.6.2',
    'A texted code belongs to the sign-in it began',
    always([
      'doors/phone.test.ts: takes a code only with the pending token that it was sent for, and counts no guess with another',
    ]),
    texts,
  ),
  asvs(
    2,
    '6.6.3',
    'Guessing texted codes is stopped',
    needs(
      [[set.lockout, set.limits, set.codeAttempts]],
      [
        'doors/phone.test.ts: counts the guesses that are left, and the last one spends the code',
        'doors/phone-codes.test.ts: signing in again gives no new guesses for ever, and a session or the end of the window does',
        'processes/second-step.test.ts: many wrong codes of all kinds at once get five comparisons per pending token and ten per account',
      ],
    ),
    texts,
  ),
  asvs(
    3,
    '6.6.4',
    'Push messages cannot be sent until somebody gives in',
    not('There are no push messages.'),
  ),
  asvs(
    3,
    '6.7.1',
    'Stored public keys of passkeys cannot be changed',
    always([
      'requests/passkey-attacks.test.ts: of a credential that is registered is refused, for its own and for another account',
    ]),
    passkeys,
  ),
  asvs(
    3,
    '6.7.2',
    'Challenges are random, long, and used once',
    always(['requests/passkey-attacks.test.ts: is good once, also when it is answered many times at once']),
    passkeys,
  ),
  asvs(
    2,
    '6.8.1',
    'An identity is known by provider and subject',
    always([
      'oauth/several.test.ts: have one subject, and are two people',
      'requests/issuers.test.ts: does not sign in as the subject of the former one, and makes an account of its own',
    ]),
    oauth,
  ),
  asvs(
    2,
    '6.8.2',
    'Signatures of what providers assert are checked',
    always([
      'oauth/hostile-provider.test.ts: by another key',
      'oauth/kinds.test.ts: an ID token that a key of another issuer has signed is refused',
    ]),
    oauth,
  ),
  asvs(2, '6.8.3', 'SAML assertions count once', not('There is no SAML.')),
  asvs(
    2,
    '6.8.4',
    'What a provider does not say counts as weakest',
    needs(
      [[set.oldWhereUnknown, set.twoFactorsFromOutside]],
      [
        'oauth/sign-in-age.test.ts: a sign-in of unknown age that is old counts as made in 1970, without a maximum',
        'oauth/sign-in-age.test.ts: decides whether the new session is recent',
      ],
      ['docs/oauth.md#a-recent-sign-in'],
    ),
    oauth,
  ),
];
