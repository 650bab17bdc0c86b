import type { Authenticator } from '../entities/authenticator.ts';
import type { OAuthIdentity } from '../entities/oauth-identity.ts';
import type { User } from '../entities/user.ts';

/** What was added to an account since a snapshot. */
export interface Planted {
  authenticators: Authenticator[];
  identities: OAuthIdentity[];
  /** Whether its recovery codes are others. */
  hasOtherCodes: boolean;
}

const names = { totp: 'an authenticator app', passkey: 'a passkey' };

/** Returns what was undone, for the audit and for the owner. */
export function inWords(
  first: User,
  user: User,
  { authenticators, identities, hasOtherCodes }: Planted,
  isFreed: boolean,
) {
  const parts: [change: string, sentences: string[], isDone: boolean][] = [
    [
      `authenticators:${authenticators.length}`,
      authenticators.map(({ kind }) => `Removed: ${names[kind]}.`),
      authenticators.length > 0,
    ],
    [
      `oauth_identities:${identities.length}`,
      identities.map(({ provider }) => `Removed: the sign-in with ${provider}.`),
      identities.length > 0,
    ],
    ['recovery_codes', ['Removed: the recovery codes.'], hasOtherCodes],
    [
      'phone_number',
      [user.phoneNumber === null ? 'Removed: the phone.' : 'The former phone was put back.'],
      first.phoneNumber !== user.phoneNumber,
    ],
    ['email', ['The former address was put back.'], first.email !== user.email],
    ['unverified_account', ['Removed: an account that was registered with your address.'], isFreed],
  ];
  const done = parts.filter(([, , isDone]) => isDone);
  return { changes: done.map(([change]) => change), sentences: done.flatMap(([, sentences]) => sentences) };
}
