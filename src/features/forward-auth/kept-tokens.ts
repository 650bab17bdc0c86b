import type { Clock } from '../../clock.ts';
import type { SessionTokens } from '../../domain/life-cycle.ts';
import type { Session } from '../../domain/session.ts';
import { RecentMap } from '../../graphql/cache.ts';

/** For so many sessions and APIs a process keeps the token that it has issued. */
const mostKept = 5000;

/**
 * Returns a function that returns the token of a session for an API: the same one until half of its life is over, so that not
 * every request of a page costs a signature.
 * @throws {GatehouseError} recent_sign_in_required, mfa_enrolment_required
 */
export function keepTokens(clock: Clock, tokens: () => SessionTokens) {
  const kept = new RecentMap<string, ReturnType<SessionTokens['issue']>>(mostKept);
  const isFresh = ({ issuedAt, endsAt }: { issuedAt: number; endsAt: number }) =>
    clock.now().getTime() < (issuedAt + endsAt) / 2;

  return async (resource: string, session: Session): Promise<string> => {
    const key = `${session.claims.jti} ${resource}`;
    // One that could not be issued is tried again.
    const known = await kept.get(key)?.catch(() => undefined);
    if (known && isFresh(known)) return known.token;
    const issued = tokens().issue(resource, session);
    kept.set(key, issued);
    return (await issued).token;
  };
}
