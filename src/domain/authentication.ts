import type { Claims } from '../crypto/claims.ts';
import type { Tokens } from '../crypto/tokens.ts';
import { GatehouseError } from '../errors.ts';
import type { Repositories } from '../storage/repositories/index.ts';
import type { User } from '../tables/user.ts';
import { type Said, say } from '../words/said.ts';
import { type Caller, keepsSession } from './caller.ts';
import type { Session } from './session.ts';
import type { SessionList } from './session-list.ts';

export type Authentication = ReturnType<typeof createAuthentication>;

/** Authenticates a request (SPEC §5.1.7): one signature check and one database read. */
export function createAuthentication({
  tokens,
  repositories,
  sessionList,
}: {
  tokens: Tokens;
  repositories: Repositories;
  sessionList: SessionList | undefined;
}) {
  /**
   * Rejects a token. Settles the storage first, so that a token that was rejected once stays rejected after a database
   * crash.
   */
  async function reject(detail: Said): Promise<never> {
    await repositories.users.awaitDurability();
    throw unauthenticatedError(detail);
  }

  /**
   * @param keptSession the id of a session that is not refused for having ended
   * @throws {GatehouseError} unauthenticated; the detail names the class of the reason and nothing more
   */
  async function authenticate(
    token: string | null | undefined,
    purpose: 'session' | 'browser_session' | 'forwarded_session' = 'session',
    keptSession?: string,
  ): Promise<Session> {
    if (!token) throw unauthenticatedError(say('error_session_missing'));
    const verdict = tokens.verify(purpose, token);
    if ('refused' in verdict) {
      throw unauthenticatedError(
        verdict.refused === 'expired' ? say('error_session_expired') : say('error_session_invalid'),
      );
    }
    const { claims } = verdict;
    const row = await repositories.users.findSession(claims.sub, claims.jti);
    if (!row) return reject(say('error_session_invalid'));
    const { user, isBlacklisted } = row;
    const isEnded = isBlacklisted && claims.jti !== keptSession;
    if (isEnded || isRevoked(claims, user)) return reject(say('error_session_ended'));
    if (!user.isActive) return reject(say('error_session_disabled'));
    if (sessionList) {
      if (sessionList.isIdle(row.lastSeenAt)) return reject(say('error_session_idle'));
      sessionList.see(claims);
    }
    return { user, claims };
  }

  return {
    /** Returns the session of a bearer token. @throws {GatehouseError} unauthenticated */
    authenticate: (bearer: string | undefined) => authenticate(bearer),

    /**
     * Returns the session that a browser keeps for the host's own pages (CONTRACT §15.1).
     * @throws {GatehouseError} unauthenticated
     */
    authenticateBrowser: (token: string | null) => authenticate(token, 'browser_session'),

    /**
     * Returns the session that a browser keeps at another host (CONTRACT §16.7).
     * @throws {GatehouseError} unauthenticated, for one of any other host, too
     */
    async authenticateForwarded(token: string | null, host: string): Promise<Session> {
      const session = await authenticate(token, 'forwarded_session');
      if (session.claims.host !== host) throw unauthenticatedError(say('error_session_invalid'));
      return session;
    },

    /** Returns the caller's session. Each caller object is checked once. @throws {GatehouseError} unauthenticated */
    sessionOf(caller: Caller): Promise<Session> {
      // The callers without a token include those that are shared: the command line and the host.
      const { bearer } = caller;
      if (bearer === undefined) return authenticate(undefined);
      caller.session ??= authenticate(bearer, 'session', caller.document?.keptSession);
      return caller.session;
    },
  };
}

/** The part of a session that is kept, without its token, to check later whether the session is still valid. */
export type SessionReference = Pick<Claims, 'sub' | 'jti' | 'iat'>;

/**
 * Returns the user of a session that was checked before, or null when the session has ended since. Code that adds
 * something to an account that outlives a session (an identity, a phone) calls this once more after storing it. So a race
 * has two outcomes: either this call sees that the session has ended, or the request that ended it sees what was stored
 * (CONTRACT §4.3).
 * @param caller whose document may keep the session, where the call is about the session that was sent with it
 */
export async function findUserOfSession(
  { users }: Pick<Repositories, 'users'>,
  { sub, jti, iat }: SessionReference,
  caller?: Caller,
): Promise<User | null> {
  const row = await users.findSession(sub, jti);
  const isKept = caller !== undefined && keepsSession(caller, jti);
  if (!row || (row.isBlacklisted && !isKept) || !row.user.isActive || isRevoked({ iat }, row.user))
    return null;
  return row.user;
}

function unauthenticatedError(detail: Said): GatehouseError {
  return new GatehouseError('unauthenticated', { detail });
}

/** Returns the condition that a user was neither revoked nor disabled since it was read (compare-and-set). */
export const notRevokedSince = ({ tokensInvalidatedAfter }: User) => ({
  tokensInvalidatedAfter,
  isActive: true,
});

/**
 * Returns whether a token was issued at or before the user's revocation cutoff. A token of the same millisecond is
 * revoked (CONTRACT §4.1); both times are whole milliseconds.
 */
export function isRevoked(claims: Pick<Claims, 'iat'>, user: User): boolean {
  const cutoff = user.tokensInvalidatedAfter?.getTime();
  return cutoff !== undefined && Math.round(claims.iat * 1000) <= cutoff;
}
