import type { Requirement } from '../needs.ts';
import * as set from '../settings.ts';
import { agesAtProviders, always, asvs, needs, not, oauth, onPages } from './entry.ts';

export const v7: readonly Requirement[] = [
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
      ['docs/sessions.md#the-list-of-sessions'],
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
        'doors/replace-session.test.ts: a password ends the session that is sent with it, of any account, and no other',
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
        'doors/password.test.ts: ends every session of the user, this one included, and none of other users',
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
