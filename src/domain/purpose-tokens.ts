import type { Claims, Purpose } from '../crypto/claims.ts';
import type { Tokens } from '../crypto/tokens.ts';
import { GatehouseError } from '../errors.ts';
import type { User } from '../tables/user.ts';
import { isRevoked } from './authentication.ts';

/**
 * Returns the claims and the user of a token that proves more than a session: of a reset, an address change or a second
 * step. `findUser` returns the user of an id, or null when the token may not be theirs.
 * @throws {GatehouseError} invalid_token, also when the user was disabled or the token revoked since
 */
export async function redeemToken(
  tokens: Tokens,
  purpose: Exclude<Purpose, 'session'>,
  token: string,
  findUser: (id: string) => Promise<User | null> | User | null,
): Promise<{ claims: Claims; user: User }> {
  const verdict = tokens.verify(purpose, token);
  if ('refused' in verdict) throw new GatehouseError('invalid_token');
  const { claims } = verdict;
  const user = await findUser(claims.sub);
  if (!user?.isActive || isRevoked(claims, user)) throw new GatehouseError('invalid_token');
  return { claims, user };
}
