import type { Claims } from '../crypto/claims.ts';

/** The strengths of a sign-in, the weakest first. */
export const acrValues = ['aal1', 'aal2', 'phr'] as const;
export type Acr = (typeof acrValues)[number];

/** Returns how strong a sign-in was (CONTRACT §16.3): `phr` is one with a passkey alone. */
export function acrOf({ amr = [] }: Pick<Claims, 'amr'>): Acr {
  const hasPasskey = amr.includes('hwk') || amr.includes('swk');
  if (hasPasskey && !amr.some(method => ['pwd', 'fed', 'host'].includes(method))) return 'phr';
  return amr.includes('mfa') ? 'aal2' : 'aal1';
}

/** Returns a strength and those above it. */
const atLeast = (acr: Acr): Acr[] => acrValues.slice(acrValues.indexOf(acr));

/** Returns the weakest of these strengths: a stronger one is enough as well. Unknown names are none. */
export const weakestOf = (names: readonly string[]): Acr | null =>
  acrValues.find(acr => names.includes(acr)) ?? null;

/** The sign-in that is asked for. */
export interface Demand {
  acr: Acr | null;
  /** In seconds. */
  maxAge: number | null;
}

/** How the person has signed in; null where that is unknown, as of a token of the host. */
export interface SignIn {
  acr: Acr | null;
  /** In seconds since 1970. */
  authTime: number | null;
}

const rank = (acr: Acr | null) => (acr === null ? -1 : acrValues.indexOf(acr));

/** Returns the stricter of each. */
export const strictest = (a: Demand, b: Demand): Demand => ({
  acr: rank(a.acr) >= rank(b.acr) ? a.acr : b.acr,
  maxAge: a.maxAge === null || b.maxAge === null ? (a.maxAge ?? b.maxAge) : Math.min(a.maxAge, b.maxAge),
});

/** Returns how a sign-in falls short of what is asked for, or null. @param now in seconds since 1970 */
export function shortfallOf({ acr, authTime }: SignIn, demand: Demand, now: number): 'weak' | 'old' | null {
  if (rank(acr) < rank(demand.acr)) return 'weak';
  const age = authTime === null ? Number.POSITIVE_INFINITY : now - authTime;
  return demand.maxAge !== null && age > demand.maxAge ? 'old' : null;
}

/** Returns what a refusal names of the sign-in that is asked for (RFC 9470 §3). */
export const stepUpOf = ({ acr, maxAge }: Demand) => ({
  acrValues: acr === null ? undefined : atLeast(acr),
  maxAge: maxAge ?? undefined,
});
