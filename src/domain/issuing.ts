import { v4 as uuidv4 } from 'uuid';
import type { Clock } from '../clock.ts';
import type { Config } from '../config/schema.ts';
import type { SessionView } from '../contract/views/sign-in.ts';
import type { AuthenticationMethod, Claims, Purpose, ReplacedSession } from '../crypto/claims.ts';
import type { Tokens } from '../crypto/tokens.ts';
import type { SignInMethod } from '../events.ts';
import type { Repositories } from '../storage/repositories/index.ts';
import type { User } from '../tables/user.ts';
import { notRevokedSince } from './authentication.ts';
import { type Caller, keepsSession } from './caller.ts';
import type { LifeCycle } from './life-cycle.ts';
import type { Proof } from './proof.ts';
import { hasTwoFactors } from './session.ts';
import type { SessionList } from './session-list.ts';

export type Issuing = ReturnType<typeof createIssuing>;

interface IssuingParts {
  config: Config;
  clock: Clock;
  repositories: Repositories;
  tokens: Tokens;
  /** Absent while sessions are not listed. */
  sessionList: SessionList | undefined;
  lifeCycle: LifeCycle;
}

interface TokenRequest {
  /** The id of the token, where something else is stored under the same id. */
  jti?: string;
  new_email?: string;
  email?: string;
  auth_time?: number;
  amr?: AuthenticationMethod[];
  replaces?: ReplacedSession;
  supersedes?: ReplacedSession;
  /** Further columns that are stored in the same statement. */
  set?: { lastLogin: Date };
}

interface SessionRequest extends Pick<TokenRequest, 'auth_time' | 'amr' | 'set'> {
  method: SignInMethod;
  caller: Caller;
  /** The session that ends with this one. */
  replaces?: ReplacedSession | undefined;
  /** The session that ends with this one, and may have ended before. */
  supersedes?: ReplacedSession | undefined;
  /** The id of the session that this one continues, and that must not have been logged out. */
  continues?: string;
  /** Runs once the session is recorded, and before it ends any other; where it fails, so does the sign-in. */
  onceRecorded?: OnceRecorded;
}

/** Work of a sign-in that needs the user after it. */
type OnceRecorded = (user: User) => Promise<void>;

/** Seven days (CONTRACT §15.3), in seconds. */
const invitationTtlSeconds = 604_800;

/** How long a browser has to bring a ticket to another host (CONTRACT §16.7), in seconds. */
const ticketTtlSeconds = 60;

/** The settings that decide how long tokens live. */
export type LifetimesConfig = Pick<
  Config,
  | 'jwtTtlSeconds'
  | 'passwordResetTokenTtlSeconds'
  | 'emailChangeTokenTtlSeconds'
  | 'mfaPendingTokenTtlSeconds'
>;

/** Returns how long tokens of each purpose live, in seconds. */
export const lifetimesOf = (config: LifetimesConfig): Record<Purpose, number> => ({
  session: config.jwtTtlSeconds,
  browser_session: config.jwtTtlSeconds,
  forwarded_session: config.jwtTtlSeconds,
  forward_ticket: ticketTtlSeconds,
  password_reset: config.passwordResetTokenTtlSeconds,
  invitation: invitationTtlSeconds,
  email_change: config.emailChangeTokenTtlSeconds,
  phone_setup: config.mfaPendingTokenTtlSeconds,
  login_mfa: config.mfaPendingTokenTtlSeconds,
});

/** Issues tokens to users: every token of every purpose is issued here. */
export function createIssuing(parts: IssuingParts) {
  const { config, clock, repositories, tokens, sessionList, lifeCycle } = parts;

  /**
   * Stores that a token is issued to a user as it was read, later than the present cutoff, even where the clocks of two servers
   * disagree: no later cutoff can miss it. Returns when, with the user as it is now, or null when the user was revoked,
   * disabled or deleted since.
   */
  async function mark(
    user: User,
    more: Pick<TokenRequest, 'set'> | undefined,
  ): Promise<{ issuedAt: Date; user: User } | null> {
    const now = clock.now();
    const cutoff = user.tokensInvalidatedAfter;
    const issuedAt = cutoff && cutoff >= now ? new Date(cutoff.getTime() + 1) : now;
    const { isMfaEnabled, phoneNumber } = user;
    // A phone that was set up meanwhile requires the second step, which this token would skip.
    const unchanged = { ...notRevokedSince(user), isMfaEnabled, phoneNumber };
    const changed = await repositories.users.change(user.id, { ...more, issuedAt }, unchanged);
    return changed && { issuedAt, user: changed };
  }

  /**
   * Signs a token for a user as it was read. Returns it with the user as it is now, or null when the user was revoked, disabled
   * or deleted since: then the caller reads the user again and retries. The `iat` of the token is stored before the token is
   * signed.
   */
  async function sign(
    purpose: Purpose,
    user: User,
    request: TokenRequest = {},
  ): Promise<{ token: string; issuedAt: Date; user: User } | null> {
    const { set, ...claims } = request;
    const marked = await mark(user, set && { set });
    if (!marked) return null;
    const { issuedAt } = marked;
    return { token: tokens.sign(purpose, { sub: user.id, issuedAt, ...claims }), ...marked };
  }

  /** Ends a session. Returns false when it has ended before: of parallel calls, exactly one returns true. */
  async function end({ jti, exp }: ReplacedSession): Promise<boolean> {
    const isEnded = await repositories.blacklist.add({ jti, exp: new Date(Math.ceil(exp * 1000)) });
    await sessionList?.forget(jti);
    return isEnded;
  }

  /**
   * Ends the session that another one replaces. Returns false when it has ended before, unless the caller's document keeps it:
   * of the fields of that, one replaces it.
   */
  async function replace(session: ReplacedSession, caller: Caller): Promise<boolean> {
    if (await end(session)) return true;
    const isKept = keepsSession(caller, session.jti);
    if (isKept) delete caller.document?.keptSession;
    return isKept;
  }

  /** Ends the session that was sent with a sign-in. The other fields of its GraphQL document keep it. */
  async function supersede(session: ReplacedSession, { document }: Caller): Promise<void> {
    // One that had ended before, by a logout for one, must not live again.
    if ((await end(session)) && document) document.keptSession = session.jti;
  }

  /**
   * Signs a session with these claims, and records it where sessions are listed. Returns null as `issue` does, and when the
   * session has ended that this one replaces. A session is never given out without its record: when storing it fails, so
   * does the sign-in.
   */
  async function signSession(
    user: User,
    { method, caller, set, replaces, supersedes, continues, onceRecorded, ...claims }: SessionRequest,
  ): Promise<{ session: SessionView; user: User } | null> {
    const jti = uuidv4();
    const signed = await sign('session', user, { jti, ...(set && { set }), ...claims });
    if (signed === null) return null;
    // Before the record, so that the former session does not count beside the new one.
    if (replaces && !(await replace(replaces, caller))) return null;
    const isKept = continues !== undefined && keepsSession(caller, continues);
    if (continues && !isKept && (await repositories.blacklist.has(continues))) return null;
    // Before the record, because a place that a listed session has used is known. Only a sign-in sets its time; a session
    // that is merely renewed is none.
    if (set) await lifeCycle.sessionStarting(user, caller);
    const record = { jti, issuedAt: signed.issuedAt, method, caller };
    try {
      await sessionList?.record(signed.user, record);
      await onceRecorded?.(signed.user);
      // Last, so that a sign-in which fails or stops before ends no other session.
      await sessionList?.endSurplus(signed.user, supersedes?.jti);
      if (supersedes) await supersede(supersedes, caller);
    } catch (error) {
      await sessionList?.abandon(record, error);
      throw error;
    }
    const session: SessionView = {
      access_token: signed.token,
      token_type: 'bearer',
      expires_in: config.jwtTtlSeconds,
    };
    return { session, user: signed.user };
  }

  /** Returns the claim `auth_time` of a sign-in so many seconds ago; 1970 where it is unknown (infinite). */
  const authTime = (secondsAgo: number): number =>
    Math.max(0, Math.floor(clock.now().getTime() / 1000) - secondsAgo);

  return {
    authTime,
    end,
    supersede,

    /** See `mark`. */
    mark: (user: User) => mark(user, undefined),

    /** Signs a token for a user as it was read. Returns null when the user was revoked, disabled or deleted since. */
    issue: async (purpose: Purpose, user: User, request?: TokenRequest): Promise<string | null> =>
      (await sign(purpose, user, request))?.token ?? null,

    /**
     * Signs a session, the last step of every sign-in. Returns it with the user as it is now, or null as `issue` does, and
     * when the session has ended that it replaces.
     * @param onceRecorded runs before the session ends others; where it fails, so does the sign-in
     */
    async startSession(
      user: User,
      { amr, method, caller, replaces, supersedes, secondsAgo = 0 }: Proof,
      onceRecorded: OnceRecorded,
    ): Promise<{ session: SessionView; user: User } | null> {
      const lastLogin = clock.now();
      const request = {
        auth_time: authTime(secondsAgo),
        amr,
        method,
        caller,
        replaces,
        supersedes,
        onceRecorded,
        set: { lastLogin },
      };
      return signSession(user, request);
    },

    /** Signs a pending token again, which then also ends this session once the new one has begun. */
    superseding: ({ iat, purpose, aud: _, ...claims }: Claims, supersedes: ReplacedSession): string =>
      tokens.sign(purpose, { ...claims, supersedes, issuedAt: new Date(Math.round(iat * 1000)) }),

    /**
     * Signs the token by which the host's own pages recognise a session (CONTRACT §15.1). It has the session's id, times and
     * user, so whatever ends the session ends it too.
     */
    browserToken: ({ sub, jti, iat, exp, auth_time, amr }: Claims): string =>
      tokens.sign('browser_session', {
        ...{ sub, jti, exp, auth_time, amr },
        issuedAt: new Date(Math.round(iat * 1000)),
      }),

    /** Signs the same for one other host, behind a proxy that asks (CONTRACT §16.7). */
    forwardedToken: ({ sub, jti, iat, exp, auth_time, amr }: Claims, host: string): string =>
      tokens.sign('forwarded_session', {
        ...{ sub, jti, exp, auth_time, amr, host },
        issuedAt: new Date(Math.round(iat * 1000)),
      }),

    /** Signs the ticket that brings a session to another host, where the browser keeps the state. */
    forwardTicket: ({ sub, jti, iat, exp, auth_time, amr }: Claims, host: string, state: string): string =>
      tokens.sign('forward_ticket', {
        ...{ sub, auth_time, amr, host, state },
        session: { jti, iat, exp },
        issuedAt: clock.now(),
      }),

    /**
     * Signs a session of the same sign-in as another, and of two factors: those of the former one, or its first and the
     * method with which a second was set up in it. Returns null as `issue` does, and when the former was logged out.
     */
    async continueSession(
      user: User,
      former: Claims,
      proved: AuthenticationMethod,
      caller: Caller,
    ): Promise<SessionView | null> {
      const { auth_time = former.iat, amr = [], jti: continues } = former;
      const both = hasTwoFactors(former) ? amr : [...amr, proved, 'mfa' as const];
      const request: SessionRequest = { auth_time, amr: both, method: 'mfa', caller, continues };
      return (await signSession(user, request))?.session ?? null;
    },
  };
}
