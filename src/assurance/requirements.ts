import type { Condition, Level, Need, Requirement, Shown, Verdict, Way } from './needs.ts';
import * as set from './settings.ts';
import { during, duringCodes } from './settings.ts';

// The demands of OWASP ASVS 5.0.0 (V6, V7, V9, V10) and NIST SP 800-63B-4, in our own words. Sections of SP 800-63B have no numbers
// within them: the part after `#` is ours. Left out are TLS, federal agencies, biometrics, devices, AAL3 and organisations. A
// requirement of which a part is not met is not met.

type Test = Shown['tests'][number];
type Doc = NonNullable<Shown['docs']>[number];

interface Applies {
  arises?: readonly Condition[];
  host?: Need;
}

const always = (tests: readonly Test[], docs: readonly Doc[] = []): Verdict => ({ always: { tests, docs } });
const needs = (ways: readonly Way[], tests: readonly Test[], docs: readonly Doc[] = []): Verdict => ({
  needs: ways,
  shown: { tests, docs },
});
const not = (why: string): Verdict => ({ not: why });
const unmet = (why: string): Verdict => ({ unmet: why });

const fromAsvs: readonly (readonly Level[])[] = [
  ['asvs-1', 'asvs-2', 'asvs-3'],
  ['asvs-2', 'asvs-3'],
  ['asvs-3'],
];

/** A requirement of ASVS of this level and those above. */
const asvs = (
  level: 1 | 2 | 3,
  id: string,
  words: string,
  verdict: Verdict,
  applies: Applies = {},
): Requirement => ({
  id: `asvs/${id}`,
  levels: fromAsvs[level - 1]!,
  words,
  verdict,
  ...applies,
});

/** A requirement of SP 800-63B-4, of AAL1 and AAL2, or of AAL2 alone. */
const nist = (
  aal: 1 | 2,
  id: string,
  words: string,
  verdict: Verdict,
  applies: Applies = {},
): Requirement => ({
  id: `63b/${id}`,
  levels: aal === 1 ? ['aal1', 'aal2'] : ['aal2'],
  words,
  verdict,
  ...applies,
});

const oauth: Applies = { arises: [during.oauth] };
const texts: Applies = { arises: [during.texts] };
const apps: Applies = { arises: [during.apps] };
const passkeys: Applies = { arises: [during.passkeys] };
const codes: Applies = { arises: duringCodes };
const factors: Applies = { arises: [...duringCodes, during.texts] };
const tokens: Applies = { arises: [during.tokens] };
const onPages: Applies = { host: set.pages };

const noProvider = not(
  'Gatehouse is no OAuth or OpenID provider: it has no clients, no grants and no consent.',
);
const twoAddresses = unmet('An account has one address.');

const twoFactors: Way = [set.everyoneTwoFactors, set.twoFactorsFromOutside];
const agesAtProviders: Way = [set.oldWhereUnknown, ...set.ageAtProviders];
const notices: Way = [set.mails, set.mailboxes];

const v6: readonly Requirement[] = [
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
        'processes/many-at-once.test.ts: 44 wrong passwords, as many are answered as the threshold, and then the right one is refused',
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
        'features/new-sign-ins/places.test.ts: is mailed to the owner with browser, time and link, once; the first session of an account is not',
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
        'processes/many-at-once.test.ts: 40 uses of one verification link, one makes the user',
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
      'processes/many-at-once.test.ts: 40 uses of one right code, one gives a session',
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
      ['docs/strong-sign-in.md#what-text-messages-protect-and-what-not'],
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
        'processes/second-step.test.ts: 60 wrong codes of all kinds at once get five comparisons per pending token and ten per account',
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
      'requests/issuers.test.ts: signs nobody in as the subject of the former one, and makes an account of its own',
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

const v7: readonly Requirement[] = [
  asvs(
    2,
    '7.1.1',
    'Documents give lifetimes of sessions, with reasons',
    always(
      ['docs.test.ts: lists every field once, with its name in the environment and a note'],
      ['docs/sessions.md#why-these-lifetimes'],
    ),
  ),
  asvs(
    2,
    '7.1.2',
    'Documents say how many sessions there may be',
    always(
      ['doors/sessions.test.ts: ends the one unused for longest, and never the new one'],
      ['docs/strong-sign-in.md#sessions'],
    ),
  ),
  asvs(
    2,
    '7.1.3',
    'Documents say how sessions at providers and here end',
    always(
      [
        'requests/issuers.test.ts: a session of the one is a session of the other: only the identities are parted',
      ],
      ['docs/sessions.md#sessions-at-an-identity-provider'],
    ),
    oauth,
  ),
  asvs(
    1,
    '7.2.1',
    'The service itself checks each session',
    always([
      'crypto/tokens.test.ts: who flips any one bit is refused, in bits that decoding ignores too',
      'doors/operations.test.ts: refuses %s',
    ]),
  ),
  asvs(
    1,
    '7.2.2',
    'Sessions are tokens that are made anew each time',
    always([
      'crypto/tokens.test.ts: carries the claims of the specification, `iat` exact to the millisecond',
    ]),
  ),
  asvs(1, '7.2.3', 'Reference tokens of sessions are random', not('Sessions are no reference tokens.')),
  asvs(
    1,
    '7.2.4',
    'Signing in gives a new session and ends the former',
    needs(
      [[set.replacedSession]],
      [
        'doors/replace-session.test.ts: a password ends the session that is sent with it, whoever’s it is, and no other',
        'doors/replace-session.test.ts: a second step ends the session of the first step, once the new one has begun',
        'doors/recent-sign-in.test.ts: is what signing in again gives; the old token ends',
      ],
    ),
  ),
  asvs(
    2,
    '7.3.1',
    'Sessions end when they are not used',
    needs(
      [[set.idleLimit]],
      [
        'doors/sessions.test.ts: refuses a session that was unused for so long, and lists it no more',
        'doors/sessions.test.ts: counts from the last use, also where that was not stored at once',
      ],
    ),
  ),
  asvs(
    2,
    '7.3.2',
    'Sessions end after a day at most',
    needs(
      [[set.lifetime(86_400)]],
      [
        'requests/cutoff.test.ts: outlives the session, which also ends by itself',
        'faults/wrong-clock.test.ts: of a session: one of that moment is refused, and every later one ends when it says',
      ],
    ),
  ),
  asvs(
    1,
    '7.4.1',
    'A session that has ended is of no further use',
    always([
      'processes/many-at-once.test.ts: a session that one process ends is dead at the other in the same moment',
      'features/browser-sessions/doors.test.ts: its time, however late the cookie was made',
    ]),
  ),
  asvs(
    1,
    '7.4.2',
    'Disabling or deleting an account ends its sessions',
    always([
      'doors/account.test.ts: ends its sessions, its links and its login',
      'doors/admin-changes.test.ts: disabling ends its sessions for good, and enabling lets it sign in again',
    ]),
  ),
  asvs(
    2,
    '7.4.3',
    'After changing a factor, other sessions can be ended',
    needs(
      [[set.sessionList]],
      [
        'doors/password.test.ts: ends every session of the user, this one included, and nobody else’s',
        'doors/totp.test.ts: ends the other sessions on request, and keeps its own beside the new one',
        'doors/sessions.test.ts: ends all others and says how many',
      ],
    ),
  ),
  asvs(
    2,
    '7.4.4',
    'Every page for people signed in shows how to leave',
    always(['browser/account.test.ts: signing out ends the session here, or on every device']),
    onPages,
  ),
  asvs(
    2,
    '7.4.5',
    'Administrators can end sessions of one person or all',
    always(
      [
        'cli/user.test.ts: revoke ends every session, and the next login works',
        'doors/admin.test.ts: ends every session of an account, and none of another',
      ],
      ['docs/secrets-and-backup.md#rotate-the-signing-secret'],
    ),
  ),
  asvs(
    2,
    '7.5.1',
    'Changing what signs people in takes a recent sign-in',
    needs(
      [[set.recentForAccount, set.recentForLinks, set.recent]],
      [
        'doors/recent-sign-in-flags.test.ts: the password alone changes nothing in a session that is old',
        'doors/recent-sign-in-flags.test.ts: a session without the phone that is there changes nothing',
        'doors/recent-sign-in.test.ts: marked operations refuse an old one, and say which age they accept',
      ],
    ),
  ),
  asvs(
    2,
    '7.5.2',
    'People see their sessions, and end them signed in anew',
    needs(
      [[set.sessionList, set.recentForSessions]],
      [
        'doors/sessions.test.ts: has each session with its facts, the one used last first, and marks the present one',
        'doors/recent-sign-in-flags.test.ts: an old session ends itself and no other',
      ],
    ),
  ),
  asvs(
    3,
    '7.5.3',
    'Grave acts take a further proof',
    needs(
      [[set.recentForAdministration, set.recentAdministration]],
      [
        'doors/admin-create.test.ts: asks for a recent sign-in while administration does',
        'doors/admin-recovery.test.ts: says how old a sign-in may be',
        'doors/account.test.ts: needs the current password; a wrong one deletes nothing',
      ],
    ),
  ),
  asvs(
    2,
    '7.6.1',
    'Old sign-ins at providers are made anew, as documented',
    needs(
      [agesAtProviders],
      [
        'oauth/sign-in-age.test.ts: refuses a sign-in of unknown age, and one that is older, signing in and linking',
        'oauth/sign-in-age.test.ts: asks the provider for no older one, whatever a client asks for',
      ],
      ['docs/sessions.md#sessions-at-an-identity-provider'],
    ),
    oauth,
  ),
  asvs(
    2,
    '7.6.2',
    'No session begins without an act of the person',
    always([
      'browser/external.test.ts: somebody new comes in through the provider, and back where they were going',
    ]),
  ),
];

const v9: readonly Requirement[] = [
  asvs(
    1,
    '9.1.1',
    'Signatures of tokens are checked first',
    always([
      'crypto/tokens.test.ts: who flips any one bit is refused, in bits that decoding ignores too',
      'features/access-tokens/checks.test.ts: is refused whatever its header promises',
    ]),
  ),
  asvs(
    1,
    '9.1.2',
    'Only the named algorithms count, never none',
    always([
      'crypto/tokens.test.ts: who strips the signature (alg none) is refused',
      'features/access-tokens/checks.test.ts: is refused whatever its header promises',
    ]),
  ),
  asvs(
    1,
    '9.1.3',
    'Keys come from the configuration, never from the token',
    always([
      'features/access-tokens/checks.test.ts: is refused whatever its header promises',
      'oauth/kinds.test.ts: an ID token that a key of another issuer has signed is refused',
    ]),
  ),
  asvs(
    1,
    '9.2.1',
    'Tokens count only within their time',
    always([
      'crypto/tokens.test.ts: expires by our clock: at its `exp` it is dead, a millisecond before it lives',
      'features/access-tokens/doors.test.ts: never lives longer than its session',
    ]),
  ),
  asvs(
    2,
    '9.2.2',
    'Tokens count only for their purpose',
    always([
      'crypto/tokens.test.ts: is accepted for its own purpose and refused for every other',
      'features/access-tokens/doors.test.ts: is no session, at any operation',
    ]),
  ),
  asvs(
    2,
    '9.2.3',
    'Tokens name this service as their audience',
    needs(
      [[set.audience]],
      ['crypto/tokens.test.ts: names an audience when there is one, and is refused by everybody else'],
    ),
  ),
  asvs(
    2,
    '9.2.4',
    'Tokens of one key name the API they serve',
    always([
      'features/access-tokens/checks.test.ts: of another resource, a session, and what is no token are exactly inactive',
      'config/resources.test.ts: shares neither its identifier nor a scope with another, a slash at the end of an empty path aside',
    ]),
    tokens,
  ),
];

const v10: readonly Requirement[] = [
  asvs(
    2,
    '10.1.1',
    'Tokens reach only those who need them',
    always([
      'requests/oauth-results.test.ts: is worth nothing to somebody who reads it, and everything to the browser',
      'doors/oauth-flow.test.ts: leaves neither tokens, codes nor addresses in the log',
    ]),
    oauth,
  ),
  asvs(
    2,
    '10.1.2',
    'What a provider sends ends only where it began',
    needs(
      [[set.codeChallenge]],
      [
        'doors/require-code-challenge.test.ts: no flow starts without a challenge',
        'doors/require-code-challenge.test.ts: a link ends in the session and with the verifier that started it, and once',
        'doors/oauth-flow.test.ts: started with a challenge is exchanged with its verifier alone, and a wrong one spends nothing',
      ],
    ),
    oauth,
  ),
  asvs(
    2,
    '10.2.1',
    'Forged callbacks sign nobody in',
    always([
      'doors/oauth-flow.test.ts: ends at a word when its state is unknown, expired, or not there',
      'doors/oauth-flow.test.ts: state replay: a state is used once, and the id of a finished sign-in is no state',
    ]),
    oauth,
  ),
  asvs(
    2,
    '10.2.2',
    'One provider cannot stand in for another',
    always([
      'oauth/several.test.ts: a response of one at the callback of the other is refused, and the flow can still end where it began',
      'oauth/issuer-parameter.test.ts: signs nobody in where it should name one and does not',
    ]),
    oauth,
  ),
  asvs(
    3,
    '10.2.3',
    'Providers are asked for no more than is needed',
    needs([[set.fewScopes]], ['oauth/kinds.test.ts: a name is taken where its scope is asked for']),
    oauth,
  ),
  asvs(
    2,
    '10.3.1',
    'Only tokens for this service are accepted',
    needs(
      [[set.audience]],
      [
        'crypto/verified-tokens.test.ts: is refused by an instance with another secret or audience',
        'features/access-tokens/checks.test.ts: of another resource, a session, and what is no token are exactly inactive',
      ],
    ),
  ),
  asvs(
    2,
    '10.3.2',
    'APIs decide by the scopes of a token',
    always([
      'features/access-tokens/checks.test.ts: answers with problems, and with the words of RFC 6750 and 9470 in the challenge alone',
    ]),
    tokens,
  ),
  asvs(
    2,
    '10.3.3',
    'People are known by ids that are never reused',
    always([
      'doors/account.test.ts: frees its address for another account, which no token of the old one opens',
    ]),
  ),
  asvs(
    2,
    '10.3.4',
    'Demanded strength and age of a sign-in are checked',
    needs(
      [[set.twoFactorsFromOutside]],
      [
        'embedding/session-requirements.test.ts: refuses a sign-in that is too old, and names the age it accepts',
        'embedding/session-requirements.test.ts: asks for two factors, and for setting one up where there is none',
        'features/access-tokens/checks.test.ts: asks for a stronger sign-in where the account can have one',
        'doors/mfa-required.test.ts: can do no more than before it was set up: %s',
      ],
    ),
  ),
  asvs(
    3,
    '10.3.5',
    'A stolen token is of no use',
    unmet('Tokens are bearer tokens: neither DPoP nor mutual TLS binds them to who got them, by choice.'),
  ),
  ...(
    [
      [1, '10.4.1', 'Redirects go to registered addresses alone'],
      [1, '10.4.2', 'Authorization codes count once'],
      [1, '10.4.3', 'Authorization codes end soon'],
      [1, '10.4.4', 'Clients have only the grants they need'],
      [1, '10.4.5', 'Refresh tokens cannot be replayed'],
      [2, '10.4.6', 'Authorization codes are bound by PKCE'],
      [2, '10.4.7', 'Clients that register themselves are checked'],
      [2, '10.4.8', 'Refresh tokens end for good'],
      [2, '10.4.9', 'People can revoke refresh tokens'],
      [2, '10.4.10', 'Confidential clients authenticate'],
      [2, '10.4.11', 'Clients have only the scopes they need'],
      [3, '10.4.12', 'Clients have only the response modes they need'],
      [3, '10.4.13', 'Codes come with pushed authorization requests'],
      [3, '10.4.14', 'Issued tokens are bound to their holder'],
      [3, '10.4.15', 'Details of authorization come from the client itself'],
      [3, '10.4.16', 'Clients authenticate by keys'],
    ] as const
  ).map(([level, id, words]) => asvs(level, id, words, noProvider)),
  asvs(
    2,
    '10.5.1',
    'ID tokens cannot be replayed',
    always(['oauth/hostile-provider.test.ts: of another flow']),
    oauth,
  ),
  asvs(
    2,
    '10.5.2',
    'People of a provider are known by their subject',
    always([
      'oauth/hostile-provider.test.ts: an ID token with somebody else’s subject opens no account of that person',
    ]),
    oauth,
  ),
  asvs(
    2,
    '10.5.3',
    'A provider cannot describe itself as another',
    always(['oauth/hostile-provider.test.ts: whose description names another issuer is 503 at the start']),
    oauth,
  ),
  asvs(
    2,
    '10.5.4',
    'ID tokens count only for this client',
    always(['oauth/hostile-provider.test.ts: for another client']),
    oauth,
  ),
  asvs(2, '10.5.5', 'Logout messages of providers are checked', not('There is no back-channel logout.')),
  asvs(2, '10.6.1', 'Only safe response types are allowed', noProvider),
  asvs(2, '10.6.2', 'Nobody is signed out by force', noProvider),
  asvs(2, '10.7.1', 'People consent to each request', noProvider),
  asvs(2, '10.7.2', 'Consent says clearly to which access', noProvider),
  asvs(2, '10.7.3', 'People can see and revoke consent', noProvider),
];

const aal: readonly Requirement[] = [
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
      'processes/second-step.test.ts: 60 wrong codes of all kinds at once get five comparisons per pending token and ten per account',
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

const authenticators: readonly Requirement[] = [
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
      ['docs/strong-sign-in.md#leaving-text-messages'],
    ),
    texts,
  ),
];

const accounts: readonly Requirement[] = [
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

const sessions: readonly Requirement[] = [
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
export const requirements: readonly Requirement[] = [
  ...v6,
  ...v7,
  ...v9,
  ...v10,
  ...aal,
  ...authenticators,
  ...accounts,
  ...sessions,
];

/** Returns why no configuration meets a requirement; empty for one that a configuration meets. */
export function reasonOf(id: string): string {
  const verdict = requirements.find(each => each.id === id)?.verdict;
  return verdict && 'unmet' in verdict ? verdict.unmet : '';
}
