import type { Claims, Tokens } from '../crypto/tokens.ts';
import type { User } from '../entities/user.ts';
import { GatehouseError } from '../errors.ts';
import type { Repositories } from '../storage/repositories/index.ts';

/** Who calls, as far as a door can tell. */
export interface Caller {
  /** The client's address; null when there is none, as on the command line. */
  ip: string | null;
  userAgent?: string | undefined;
  /** Under which the log has this request. */
  requestId?: string | undefined;
  /** The token of the Authorization header, unchecked. */
  bearer?: string | undefined;
}

/** A session that stood when it was checked. */
export interface Session {
  user: User;
  claims: Claims;
}

export type Authentication = ReturnType<typeof createAuthentication>;

/** The check that every authenticated request passes (SPEC §5.1.7): one signature, one read. */
export function createAuthentication({
  tokens,
  repositories,
}: {
  tokens: Tokens;
  repositories: Repositories;
}) {
  const checked = new WeakMap<Caller, Promise<Session>>();

  /** A token that was refused once stays refused, whatever the database forgets in a crash. */
  async function turnAway(detail: string): Promise<never> {
    await repositories.users.settle();
    throw refuse(detail);
  }

  /** @throws {GatehouseError} unauthenticated, with a detail that names the class of the reason and no more. */
  async function authenticate(bearer: string | undefined): Promise<Session> {
    if (!bearer) throw refuse('No session token was sent.');
    const verdict = tokens.verify('session', bearer);
    if ('refused' in verdict) {
      throw refuse(
        verdict.refused === 'expired' ? 'The session has expired.' : 'The session token is not valid.',
      );
    }
    const { claims } = verdict;
    const row = await repositories.users.findSession(claims.sub, claims.jti);
    if (!row) return turnAway('The session token is not valid.');
    const { user, isBlacklisted } = row;
    if (isBlacklisted || isCutOff(claims, user)) return turnAway('The session has been ended.');
    if (!user.isActive) return turnAway('The account is disabled.');
    return { user, claims };
  }

  return {
    authenticate,

    /** The caller's session; the same caller object is checked once. @throws {GatehouseError} unauthenticated */
    sessionOf(caller: Caller): Promise<Session> {
      let session = checked.get(caller);
      if (!session) {
        session = authenticate(caller.bearer);
        checked.set(caller, session);
      }
      return session;
    },
  };
}

function refuse(detail: string): GatehouseError {
  return new GatehouseError('unauthenticated', { detail });
}

/** A token issued in the very tick of the cutoff is revoked (CONTRACT §4.1); both are whole milliseconds. */
export function isCutOff(claims: Pick<Claims, 'iat'>, user: User): boolean {
  const cutoff = user.tokensInvalidatedAfter?.getTime();
  return cutoff !== undefined && Math.round(claims.iat * 1000) <= cutoff;
}
