import type { Clock } from '../../clock.ts';
import type { SessionTokens } from '../../domain/life-cycle.ts';
import type { Session } from '../../domain/session.ts';
import { RecentMap } from '../../recent-map.ts';

/** For so many sessions and APIs a process keeps the token that it has issued. */
const mostKept = 5000;

/**
 * Returns a function that returns the token of a session for an API: the same one until half of its life is over or it was
 * ended, so that not every request of a page costs a signature.
 * @throws {GatehouseError} recent_sign_in_required, mfa_enrolment_required
 */
export function keepTokens(clock: Clock, tokens: () => SessionTokens) {
  const kept = new RecentMap<string, ReturnType<SessionTokens['issue']>>(mostKept);
  const isFresh = ({ issuedAt, endsAt }: { issuedAt: number; endsAt: number }) =>
    clock.now().getTime() < (issuedAt + endsAt) / 2;

  return async function tokenFor(resource: string, session: Session): Promise<string> {
    const key = `${session.claims.jti} ${resource}`;
    const known = kept.get(key);
    // One that could not be issued is tried again.
    const issued = await known?.catch(() => undefined);
    if (issued && isFresh(issued) && (await tokens().counts(resource, issued.token))) return issued.token;
    // Of several requests at once, one replaces it.
    if (kept.get(key) !== known) return tokenFor(resource, session);
    const another = tokens().issue(resource, session);
    kept.set(key, another);
    return (await another).token;
  };
}
