import type { Requirement } from '../needs.ts';
import * as set from '../settings.ts';
import { always, apps, codes, factors, needs, nist, onPages, passkeys, texts, twoFactors } from './entry.ts';

export const authenticators: readonly Requirement[] = [
  nist(
    1,
    '3.1.1.1#chosen-by-owner',
    'Owners alone choose their passwords',
    always([
      'cli/create-admin.test.ts: promotes a verified account with a password given, and the account keeps its own',
      'server-api/invitations.test.ts: lets the person choose a password, once, and verifies the address',
    ]),
  ),
  nist(
    1,
    '3.1.1.2#length',
    'Passwords have 15 characters, or 8 beside another factor',
    needs(
      [[set.longPasswords], [set.everyoneTwoFactors]],
      [
        'doors/new-passwords.test.ts: is configurable, is counted after normalisation, and is among the features',
        'doors/mfa-required.test.ts: is all that a session without one can set up',
      ],
    ),
  ),
  nist(
    1,
    '3.1.1.2#code-points',
    'Each character counts as one',
    always(['services/inputs.test.ts: has 8 to 128 code points, whatever they are']),
  ),
  nist(
    1,
    '3.1.1.2#composition',
    'No kinds of characters are demanded',
    always(['services/inputs.test.ts: has 8 to 128 code points, whatever they are']),
  ),
  nist(
    1,
    '3.1.1.2#compromise',
    'Passwords are replaced when known to others, never by age',
    needs(
      [[set.reset]],
      [
        'doors/admin-recovery.test.ts: requires a new password: the present one and every session end, and a link goes out',
        'features/new-sign-ins/report.test.ts: closes the account until its owner has reset the password, once',
      ],
    ),
  ),
  nist(
    1,
    '3.1.1.2#hints',
    'There are no hints that strangers can read',
    always([
      'openapi.test.ts: names every route that is there: other methods answer 405, other paths are the host’s',
    ]),
  ),
  nist(
    1,
    '3.1.1.2#questions',
    'There are no secret questions',
    always([
      'openapi.test.ts: names every route that is there: other methods answer 405, other paths are the host’s',
    ]),
  ),
  nist(
    1,
    '3.1.1.2#whole',
    'The whole password is compared',
    always([
      'requests/password-forms.test.ts: that was set here is the same however a keyboard makes its letters, and no compatible form of it',
      'services/inputs.test.ts: is never trimmed and keeps its case',
    ]),
  ),
  nist(
    1,
    '3.1.1.2#blocklist',
    'New passwords are compared with a list of bad ones',
    needs(
      [[set.blocklist], [set.breachCheck]],
      [
        'doors/new-passwords.test.ts: refuse a common one, in any case, then the own words, and take another one then',
        'features/breached-passwords/doors.test.ts: refuses what the file knows, in any form of its characters',
      ],
    ),
  ),
  nist(
    1,
    '3.1.1.2#reason',
    'A refused password is told why',
    always([
      'doors/new-passwords.test.ts: refuse a common one, in any case, then the own words, and take another one then',
    ]),
  ),
  nist(
    1,
    '3.1.1.2#guidance',
    'Pages help to choose a strong password',
    always([
      'browser/new-password.test.ts: own words and the length are told while somebody types, and nothing is sent',
    ]),
    onPages,
  ),
  nist(
    1,
    '3.1.1.2#rate-limit',
    'At most 100 wrong passwords in a row',
    needs(
      [[set.consecutive, set.limits]],
      [
        'doors/consecutive-failures.test.ts: block the password, which answers as a wrong one from then on, and the owner is told once',
        'processes/consecutive-failures.test.ts: are all counted, block the password, and tell the owner once',
      ],
    ),
  ),
  nist(
    1,
    '3.1.1.2#managers',
    'Password managers are allowed',
    always(['browser/login.test.ts: password managers know what its fields are']),
    onPages,
  ),
  nist(
    1,
    '3.1.1.2#hash',
    'Passwords are stored by a slow hash',
    always([
      'requests/hashing.test.ts: hashes are the same with and without the optional package, so that it can come and go',
      'crypto/foreign-hashes.test.ts: of $from is verified',
    ]),
  ),
  nist(
    1,
    '3.1.1.2#salt',
    'Each hash has a random salt',
    always(['crypto/foreign-hashes.test.ts: of $from is verified']),
  ),
  nist(
    1,
    '3.1.2.1#random',
    'Recovery codes are random',
    always([
      'doors/totp.test.ts: recovery codes are replaced as a whole, and there are none without an authenticator',
    ]),
    codes,
  ),
  nist(
    1,
    '3.1.2.1#delivery',
    'Recovery codes are shown after the highest proof there is',
    needs(
      [twoFactors],
      [
        'doors/recent-sign-in.test.ts: no session without the factor changes the factors or the links of its account',
        'doors/mfa-required.test.ts: can do no more than before it was set up: %s',
      ],
    ),
    codes,
  ),
  nist(
    1,
    '3.1.2.2#once',
    'A recovery code is good once',
    always([
      'requests/second-factors.test.ts: ten recovery codes used at the same moment all work, each once',
    ]),
    codes,
  ),
  nist(
    1,
    '3.1.2.2#password-hash',
    'Recovery codes are stored as password hashes',
    always([
      'doors/totp-secrets.test.ts: are in one answer, and in no row, log, event, audit record or mail',
    ]),
    codes,
  ),
  nist(
    1,
    '3.1.3.1#no-email',
    'No code that signs in is emailed',
    always([
      'doors/password-reset.test.ts: sets the new password, ends every session, and lets the new one in at once',
    ]),
  ),
  nist(
    1,
    '3.1.3.2#ten-minutes',
    'A sign-in by text message ends within ten minutes',
    needs(
      [[set.pendingTenMinutes]],
      [
        'config/values.test.ts: codes of 6 to 10 digits and up to ten minutes are accepted',
        'doors/phone-codes.test.ts: a code expires, and its pending token too',
      ],
    ),
    texts,
  ),
  nist(
    1,
    '3.1.3.2#six-digits',
    'Texted codes have six digits or more',
    always(['config/values.test.ts: codes of 6 to 10 digits and up to ten minutes are accepted']),
    texts,
  ),
  nist(
    1,
    '3.1.3.2#once',
    'A texted code is good once',
    always(['doors/phone.test.ts: of a right code sent several times at once, one gives a session']),
    texts,
  ),
  nist(
    1,
    '3.1.3.2#count-stays',
    'A new code does not refill the guesses',
    needs(
      [[set.lockout, set.limits]],
      [
        'doors/phone-codes.test.ts: signing in again gives no new guesses for ever, and a session or the end of the window does',
      ],
    ),
    texts,
  ),
  nist(
    1,
    '3.1.3.3#number-is-binding',
    'Only numbers that their owner confirmed get codes',
    always([
      'doors/unconfirmed-phones.test.ts: makes no second step due',
      'doors/unconfirmed-phones.test.ts: gets no code once an app is there, and is asked to be confirmed',
    ]),
    texts,
  ),
  nist(
    1,
    '3.1.3.3#alternatives',
    'There is another second factor beside text messages',
    needs(
      [[set.apps], [set.passkeys]],
      [
        'doors/second-step.test.ts: are named strongest first, and a text message goes out by itself only when it is the first',
      ],
    ),
    texts,
  ),
  nist(
    1,
    '3.1.4.1#key',
    'Secrets of apps have 160 random bits',
    always(['features/authenticator-apps/codes.test.ts: has 20 random bytes and no padding']),
    apps,
  ),
  nist(
    1,
    '3.1.4.2#key-protected',
    'Secrets of apps are stored encrypted',
    always([
      'doors/totp-secrets.test.ts: are in one answer, and in no row, log, event, audit record or mail',
      'crypto/data-key.test.ts: a text is read back with the key and the row that it was encrypted for',
    ]),
    apps,
  ),
  nist(
    1,
    '3.1.4.2#once',
    'A code of an app is good once',
    always([
      'doors/second-step.test.ts: at a code of an earlier step, after a later one was used, are wrong',
    ]),
    apps,
  ),
  nist(
    1,
    '3.1.4.2#lifetime',
    'Codes of apps have a defined lifetime',
    always(
      ['features/authenticator-apps/codes.test.ts: is wrong for the step %d from now'],
      ['docs/strong-sign-in.md#authenticator-apps'],
    ),
    apps,
  ),
  nist(
    1,
    '3.1.6.2#keys-unmodified',
    'Stored public keys of passkeys cannot be changed',
    always([
      'requests/passkey-attacks.test.ts: of a credential that is registered is refused, for its own and for another account',
    ]),
    passkeys,
  ),
  nist(
    1,
    '3.1.6.2#key-strength',
    'Keys of passkeys are strong enough',
    always(['requests/passkey-attacks.test.ts: with %s is refused']),
    passkeys,
  ),
  nist(
    1,
    '3.1.6.2#challenge',
    'Challenges are long, random, and used once',
    always(['requests/passkey-attacks.test.ts: is used up by a wrong answer']),
    passkeys,
  ),
  nist(
    1,
    '3.1.7.2#verified-flag',
    'A passkey counts as two factors only with user verification',
    always([
      'browser/passkeys.test.ts: a person who is not verified by the device is not signed in',
      'requests/passkey-attacks.test.ts: %s is refused at a sign-in',
    ]),
    passkeys,
  ),
  nist(
    1,
    '3.2.5.2#name-binding',
    'Passkeys are bound to the name of the site',
    always([
      'features/passkeys/settings.test.ts: the domain of passkeys is the host of base_url or a domain above it',
      'requests/passkey-attacks.test.ts: the headers of a request decide about no origin',
    ]),
    passkeys,
  ),
  nist(
    1,
    '3.2.1#instructions',
    'People read how to keep and end a factor',
    always([
      'pages/texts.test.ts: the panel of recovery codes says how factors are kept and what to do when one is lost',
    ]),
    { ...codes, ...onPages },
  ),
  nist(
    1,
    '3.2.2#password',
    'At most 100 wrong passwords of one account',
    needs(
      [[set.consecutive, set.limits]],
      [
        'doors/consecutive-failures.test.ts: block the password, which answers as a wrong one from then on, and the owner is told once',
      ],
    ),
  ),
  nist(
    1,
    '3.2.2#codes',
    'At most 100 wrong codes of one account',
    needs(
      [[set.consecutive, set.limits]],
      [
        'doors/second-step-guesses.test.ts: end: after so many, every code is a wrong one, until an administrator unlocks the account',
      ],
    ),
    factors,
  ),
  nist(
    1,
    '3.2.9#alternative',
    'Text messages are never the only second factor',
    needs(
      [[set.apps], [set.passkeys]],
      [
        'doors/second-step.test.ts: are named strongest first, and a text message goes out by itself only when it is the first',
      ],
    ),
    texts,
  ),
  nist(
    1,
    '3.2.9#notice',
    'People read what text messages do not protect from',
    always([
      'pages/texts.test.ts: the panel of the phone names the risk, and the stronger ways that are there',
    ]),
    { ...texts, ...onPages },
  ),
  nist(
    1,
    '3.2.9#migration',
    'Documents say how to leave text messages',
    always(
      ['doors/totp.test.ts: the phone and the app keep the second step on for each other'],
      ['docs/text-messages.md#leaving-text-messages'],
    ),
    texts,
  ),
];
