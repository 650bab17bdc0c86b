import type { Clock } from '../../clock.ts';
import type { Claims } from '../../crypto/claims.ts';
import { acrOf, type Demand, type SignIn, shortfallOf, stepUpOf } from '../../domain/acr.ts';
import type { Factors } from '../../domain/factors.ts';
import type { Resource } from '../../domain/resources.ts';
import { GatehouseError } from '../../errors.ts';
import type { User } from '../../tables/user.ts';

/** Returns what a resource asks of a sign-in. */
export const demandOf = ({ acr, maxAgeSeconds }: Resource): Demand => ({
  acr: acr ?? null,
  maxAge: maxAgeSeconds ?? null,
});

/** Returns how strong the sign-in of a session was, and when it was. */
export const signInOf = (claims: Claims): SignIn => ({
  acr: acrOf(claims),
  authTime: claims.auth_time ?? claims.iat,
});

/**
 * Rejects a sign-in that is too weak or too old.
 * @throws {GatehouseError} recent_sign_in_required, mfa_enrolment_required (the account has nothing to sign in with so
 * strongly)
 */
export async function assertSignIn(
  signIn: SignIn,
  demand: Demand,
  user: User,
  { clock, factors }: { clock: Clock; factors: Factors },
): Promise<void> {
  const shortfall = shortfallOf(signIn, demand, clock.now().getTime() / 1000);
  if (!shortfall) return;
  if (shortfall === 'weak' && demand.acr !== 'aal1') {
    const present = await factors.of(user);
    const isPossible =
      demand.acr === 'phr'
        ? present.authenticators.some(({ kind }) => kind === 'passkey')
        : factors.hasAny(present);
    if (!isPossible) throw new GatehouseError('mfa_enrolment_required');
  }
  throw new GatehouseError('recent_sign_in_required', { stepUp: stepUpOf(demand) });
}
