import { asksFirstProof } from '../crypto/stopped-password.ts';
import type { KeysFate } from '../mail/core-mails.ts';
import type { Trail } from '../observability/watch.ts';
import type { User } from '../tables/user.ts';
import { notRevokedSince } from './authentication.ts';
import type { Dependencies } from './dependencies.ts';
import type { NewPasswordOf } from './new-passwords.ts';
import { removeCredentials } from './removal.ts';
import { withoutSecondFactor } from './second-factor.ts';
import { endIdleDistrust } from './trust.ts';

type Parts = Pick<Dependencies, 'clock' | 'repositories' | 'passwords' | 'limits' | 'lifeCycle'>;

/**
 * Sets a password for the person who opened a link in an email to the account's address (reset, invitation), verifies the address
 * and ends every session, so that of all links sent so far only this one has worked. `user` is the account as it was read
 * when the token was checked. `signsUp` says that this is the owner's first act. A reported account is open again. Returns the
 * account, and what to tell the owner of its API keys; null when the account changed since: then the link is void.
 * @throws {GatehouseError} invalid_input, when the password is refused: the link stays valid
 */
export async function setMailedPassword(
  { clock, repositories, passwords, limits: { lockout }, lifeCycle }: Parts,
  user: User,
  password: string,
  field: NewPasswordOf['field'],
  { given = {}, trail, signsUp = false }: { given?: object; trail: Trail; signsUp?: boolean },
): Promise<{ changed: User; apiKeys: KeysFate | null } | null> {
  const { users, pending } = repositories;
  const chosen = await passwords.hash(password, { ...user, field });
  const now = clock.now();
  const isFirstProof =
    !user.isVerified || (user.hashedPassword !== null && asksFirstProof(user.hashedPassword));
  // Until now anyone could have registered this address: what they left behind must not pass to its owner.
  const set = {
    ...{ ...chosen, updatedAt: now, reportedAt: null },
    ...(signsUp && { signedUpAt: now }),
    // Verified again below: a stop in between leaves the account unverified, and another link repeats the steps.
    ...(isFirstProof && { ...withoutSecondFactor, isVerified: false }),
  };
  const only = { ...notRevokedSince(user), email: user.email };
  const changed = await users.change(user.id, { set, cutOffAt: now }, only);
  const owned =
    changed && isFirstProof ? await verifyOwner({ clock, repositories, lifeCycle }, changed) : changed;
  if (!owned) return null;
  await lockout.clearPassword(user);
  await pending.remove(user.email);
  const open = await endIdleDistrust(repositories, owned);
  return { changed: open, apiKeys: await lifeCycle.passwordChanged(open, given, trail) };
}

/**
 * Verifies an account whose address is proved for the first time, and removes what others may have left in it
 * (pre-hijacking). Returns null when the account changed meanwhile. Its sessions were revoked before and are revoked
 * again with the last write, because an identity signs in until it is removed. A stop in between leaves the account
 * unverified, and another link repeats the steps.
 */
async function verifyOwner(
  { clock, repositories, lifeCycle }: Pick<Parts, 'clock' | 'repositories' | 'lifeCycle'>,
  user: User,
): Promise<User | null> {
  const { id, email } = user;
  await removeCredentials({ repositories, lifeCycle }, user, 'self');
  const now = clock.now();
  const change = { set: { isVerified: true, updatedAt: now }, cutOffAt: now };
  return repositories.users.change(id, change, { email, isActive: true });
}
