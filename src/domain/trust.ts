import { releaseHash } from '../crypto/stopped-password.ts';
import type { Repositories } from '../storage/repositories/index.ts';
import type { User } from '../tables/user.ts';

/** An account without a report (CONTRACT §12.4). */
export const withoutReport = { reportedAt: null, distrustedSince: null, resetsHeldAt: null };

/**
 * Returns whether a passkey, an identity or an API key that was added at this time gives no access by itself any more, until
 * the owner keeps it.
 */
export const isDistrusted = ({ distrustedSince }: User, addedAt: Date): boolean =>
  distrustedSince !== null && addedAt >= distrustedSince;

/** Returns whether such a passkey or identity is refused at sign-in now: it is distrusted, or the account is reported. */
export const isBlockedByReport = (user: User, addedAt: Date): boolean =>
  user.reportedAt !== null || isDistrusted(user, addedAt);

/** Ends a report at the word of administration: the password signs in again, and what was added stays distrusted. */
export async function endReport({ users }: Pick<Repositories, 'users'>, user: User): Promise<void> {
  for (let present: User | null = user; present; present = await users.find(user.id)) {
    const { reportedAt, resetsHeldAt, hashedPassword } = present;
    if (reportedAt === null && resetsHeldAt === null) return;
    const set = { reportedAt: null, resetsHeldAt: null, hashedPassword: releaseHash(hashedPassword) };
    if (await users.change(user.id, { set }, { reportedAt, hashedPassword })) return;
  }
}

/** Ends the distrust of an account in which nothing is left of what was added meanwhile. Returns the account. */
export async function endIdleDistrust(
  {
    users,
    authenticators,
    oauth_identities,
    rows,
  }: Pick<Repositories, 'users' | 'authenticators' | 'oauth_identities' | 'rows'>,
  user: User,
): Promise<User> {
  const { id, distrustedSince } = user;
  if (distrustedSince === null) return user;
  const [factors, identities] = await Promise.all([
    authenticators.listByUser(id),
    oauth_identities.listByUser(id),
  ]);
  const isLeft =
    factors.some(({ kind, createdAt }) => kind === 'passkey' && isDistrusted(user, createdAt)) ||
    identities.some(({ linkedAt }) => isDistrusted(user, linkedAt)) ||
    (await rows.haveAddedSince(id, distrustedSince));
  if (isLeft) return user;
  return (await users.change(id, { set: { distrustedSince: null } }, { distrustedSince })) ?? user;
}
