import { asksFirstProof, stopHash } from '../crypto/stopped-password.ts';
import type { KeysFate } from '../mail/core-mails.ts';
import type { Trail } from '../observability/watch.ts';
import type { UserChange, UserCondition } from '../storage/repositories/users.ts';
import type { User } from '../tables/user.ts';
import { notRevokedSince } from './authentication.ts';
import type { Dependencies } from './dependencies.ts';
import type { ChosenPassword, NewPasswordOf } from './new-passwords.ts';
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
  parts: Parts,
  user: User,
  password: string,
  field: NewPasswordOf['field'],
  { given = {}, trail, signsUp = false }: { given?: object; trail: Trail; signsUp?: boolean },
): Promise<{ changed: User; apiKeys: KeysFate | null } | null> {
  const { clock, passwords } = parts;
  const { users, pending } = parts.repositories;
  const chosen = await passwords.hash(password, { ...user, field });
  const isFirstProof =
    !user.isVerified || (user.hashedPassword !== null && asksFirstProof(user.hashedPassword));
  const set = { ...chosen, ...(signsUp && { signedUpAt: clock.now() }) };
  const only = { ...notRevokedSince(user), email: user.email };
  const owned = await (isFirstProof
    ? takePossession(parts, user, set, only)
    : users.change(user.id, mailedChange(set, clock.now()), only));
  if (!owned) return null;
  await pending.remove(user.email);
  return openAccount(parts, owned, given, trail);
}

/** Does what follows a password that its owner has set by a mailed link. Returns the account, and what became of its API keys. */
export async function openAccount(
  { repositories, limits: { lockout }, lifeCycle }: Pick<Parts, 'repositories' | 'limits' | 'lifeCycle'>,
  user: User,
  given: object,
  trail: Trail,
): Promise<{ changed: User; apiKeys: KeysFate | null }> {
  await lockout.clearPassword(user);
  const changed = await endIdleDistrust(repositories, user);
  return { changed, apiKeys: await lifeCycle.passwordChanged(changed, given, trail) };
}

const mailedChange = (set: UserChange['set'], now: Date): UserChange => ({
  set: { ...set, reportedAt: null, updatedAt: now },
  cutOffAt: now,
});

/**
 * Gives an account to the person who has proved its address for the first time and chosen a password: until now anyone could
 * have registered this address, and whatever others left behind is removed (pre-hijacking). Returns null when the account
 * changed meanwhile.
 *
 * Its sessions are revoked first, and again with the last write, because an identity signs in until it is removed. A stop in between
 * leaves the account unverified, with a password that does not sign in and asks for a first proof: another link repeats
 * the steps.
 */
export async function takePossession(
  { clock, repositories, lifeCycle }: Pick<Parts, 'clock' | 'repositories' | 'lifeCycle'>,
  { id, email }: Pick<User, 'id' | 'email'>,
  { hashedPassword, ...set }: ChosenPassword & UserChange['set'],
  only: UserCondition,
): Promise<User | null> {
  const { users } = repositories;
  const stopped = stopHash(hashedPassword, true);
  const unproved = { ...set, ...withoutSecondFactor, hashedPassword: stopped, isVerified: false };
  const claimed = await users.change(id, mailedChange(unproved, clock.now()), only);
  if (!claimed) return null;
  await removeCredentials({ repositories, lifeCycle }, claimed, 'self');
  const now = clock.now();
  const proved = { set: { hashedPassword, isVerified: true, updatedAt: now }, cutOffAt: now };
  return users.change(id, proved, { email, isActive: true, hashedPassword: stopped });
}
