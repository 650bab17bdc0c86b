import type { Clock } from '../../clock.ts';
import type { Factors } from '../../domain/factors.ts';
import { type Acr, acrValues, atLeast } from '../../domain/resources.ts';
import { GatehouseError } from '../../errors.ts';
import type { User } from '../../tables/user.ts';

/** The sign-in that is asked for. */
export interface Demand {
  acr: Acr | null;
  /** In seconds. */
  maxAge: number | null;
}

/** How the person has signed in; null where nobody knows, as of a token of the host. */
export interface SignIn {
  acr: Acr | null;
  /** In seconds since 1970. */
  authTime: number | null;
}

const rank = (acr: Acr | null) => (acr === null ? -1 : acrValues.indexOf(acr));

/** Returns the weakest of these strengths: a stronger one is enough as well. Unknown names are none. */
export const weakestOf = (names: readonly string[]): Acr | null =>
  acrValues.find(acr => names.includes(acr)) ?? null;

/** Returns the stricter of each. */
export const strictest = (a: Demand, b: Demand): Demand => ({
  acr: rank(a.acr) >= rank(b.acr) ? a.acr : b.acr,
  maxAge: a.maxAge === null || b.maxAge === null ? (a.maxAge ?? b.maxAge) : Math.min(a.maxAge, b.maxAge),
});

/**
 * Rejects a sign-in that is too weak or too old.
 * @throws {GatehouseError} recent_sign_in_required, mfa_enrolment_required (the account has nothing to sign in with so
 * strongly)
 */
export async function assertSignIn(
  { acr, authTime }: SignIn,
  demand: Demand,
  user: User,
  { clock, factors }: { clock: Clock; factors: Factors },
): Promise<void> {
  const isWeak = rank(acr) < rank(demand.acr);
  const age = authTime === null ? Number.POSITIVE_INFINITY : clock.now().getTime() / 1000 - authTime;
  const isOld = demand.maxAge !== null && age > demand.maxAge;
  if (!isWeak && !isOld) return;
  if (isWeak && demand.acr !== 'aal1') {
    const present = await factors.of(user);
    const isPossible =
      demand.acr === 'phr'
        ? present.authenticators.some(({ kind }) => kind === 'passkey')
        : factors.hasAny(present);
    if (!isPossible) throw new GatehouseError('mfa_enrolment_required');
  }
  throw new GatehouseError('recent_sign_in_required', {
    stepUp: {
      acrValues: demand.acr === null ? undefined : atLeast(demand.acr),
      maxAge: demand.maxAge ?? undefined,
    },
  });
}
