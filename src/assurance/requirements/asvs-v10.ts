import type { Requirement } from '../needs.ts';
import * as set from '../settings.ts';
import { always, asvs, needs, noProvider, not, oauth, tokens, unmet } from './entry.ts';

export const v10: readonly Requirement[] = [
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
      'oauth/issuer-parameter.test.ts: is refused where it should name one and does not',
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
