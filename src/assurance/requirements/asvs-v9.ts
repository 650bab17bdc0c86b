import type { Requirement } from '../needs.ts';
import * as set from '../settings.ts';
import { always, asvs, needs, tokens } from './entry.ts';

export const v9: readonly Requirement[] = [
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
