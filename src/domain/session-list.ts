import { isIP } from 'node:net';
import type { Clock } from '../clock.ts';
import type { Config } from '../config/schema.ts';
import type { SessionListItem } from '../contract/views/sessions.ts';
import type { Claims } from '../crypto/claims.ts';
import type { SignInMethod } from '../events.ts';
import type { Repositories } from '../storage/repositories/index.ts';
import type { SessionRecord } from '../tables/session-record.ts';
import type { User } from '../tables/user.ts';
import type { Background } from './background.ts';
import type { Caller } from './caller.ts';
import { deviceOf, longestUserAgent } from './device.ts';

export type SessionList = ReturnType<typeof createSessionList>;

/** A session that has just been issued. */
export interface NewSession {
  jti: string;
  issuedAt: Date;
  method: SignInMethod;
  caller: Caller;
}

/** The last use of a session, in milliseconds since 1970. */
interface Use {
  /** When this process last stored the use. */
  storedAt: number;
  usedAt: number;
  /** Whether storing it is due at the end of the pause. */
  isWaiting: boolean;
}

/** The last use is stored at most so often, in milliseconds (CONTRACT §10). */
const longestPauseMs = 60_000;
/** For so many sessions a process remembers when it last stored their use; beyond that, it asks the database again. */
const mostRemembered = 10_000;
interface Parts {
  config: Config;
  clock: Clock;
  background: Background;
  repositories: Pick<Repositories, 'sessions' | 'blacklist'>;
}

/**
 * The sessions that people can see and end (CONTRACT §10). A record authenticates nothing: ending a session puts its token
 * on the blacklist.
 */
export function createSessionList({ config, clock, background, repositories }: Parts) {
  const { sessions, blacklist } = repositories;
  const idleMs = config.sessionIdleTtlSeconds * 1000;
  const pauseMs = idleMs > 0 ? Math.min(longestPauseMs, idleMs / 4) : longestPauseMs;
  /** The sessions whose use this process stored last, least recently stored first. */
  const uses = new Map<string, Use>();

  /** Returns the sessions of an account that are still valid, the one used last first. */
  async function valid(user: User): Promise<SessionRecord[]> {
    const now = clock.now();
    const cutoff = user.tokensInvalidatedAfter;
    const oldest = idleMs > 0 ? new Date(now.getTime() - idleMs) : null;
    return (await sessions.listByUser(user.id))
      .filter(({ createdAt, expiresAt, lastSeenAt }) => {
        const isEnded = cutoff !== null && createdAt <= cutoff;
        return expiresAt > now && !isEnded && (oldest === null || lastSeenAt >= oldest);
      })
      .toSorted(latestFirst);
  }

  /** Ends these sessions, in two statements. Others may be ending them at the same time. */
  async function end(records: SessionRecord[]): Promise<void> {
    if (records.length === 0) return;
    await blacklist.addMany(records.map(({ id, expiresAt }) => ({ jti: id, exp: expiresAt })));
    await sessions.removeMany(records.map(({ id }) => id));
  }

  function remember(jti: string, use: Use): void {
    uses.delete(jti);
    uses.set(jti, use);
    if (uses.size > mostRemembered) uses.delete(uses.keys().next().value!);
  }

  /** Stores the last use of a session, unless another process has stored one within the pause. */
  async function store(jti: string, usedAt: number, pause: number): Promise<void> {
    await sessions.touch(jti, new Date(usedAt), new Date(usedAt - pause));
  }

  /**
   * Returns when a new session counts as used: later than every other one, even where the clock of another process is
   * ahead. Otherwise it could be the one unused for longest, and end at once.
   */
  const firstUseAfter = (others: SessionRecord[]): Date =>
    new Date(Math.max(clock.now().getTime(), ...others.map(({ lastSeenAt }) => lastSeenAt.getTime() + 1)));

  return {
    /** Records a session that was issued. */
    async record(user: User, { jti, issuedAt, method, caller }: NewSession): Promise<void> {
      const lastSeenAt = config.maxSessionsPerUser > 0 ? firstUseAfter(await valid(user)) : clock.now();
      await sessions.add({
        id: jti,
        userId: user.id,
        createdAt: issuedAt,
        lastSeenAt,
        expiresAt: new Date(issuedAt.getTime() + config.jwtTtlSeconds * 1000),
        // Where every proxy is trusted, a client can send any text as its address.
        ip: isIP(caller.ip ?? '') ? caller.ip : null,
        userAgent: caller.userAgent?.slice(0, longestUserAgent) ?? null,
        device: deviceOf(caller.userAgent),
        method,
      });
      const now = clock.now().getTime();
      remember(jti, { storedAt: now, usedAt: now, isWaiting: false });
    },

    /**
     * Beyond `max_sessions_per_user` ends the sessions unused for longest, after a new one was recorded. Each of several
     * parallel sign-ins sees the records of those before it and keeps the same ones, so that together they leave exactly
     * the maximum.
     * @param supersedes the id of a session that ends with the new one, and does not count beside it
     */
    async endSurplus(user: User, supersedes: string | undefined): Promise<void> {
      const most = config.maxSessionsPerUser;
      if (most === 0) return;
      const counting = (await valid(user)).filter(({ id }) => id !== supersedes);
      await end(counting.slice(most));
    },

    /** Forgets a session that is not handed out, because its sign-in has failed: it must not count beside those in use. */
    abandon({ jti, caller }: Pick<NewSession, 'jti' | 'caller'>, error: unknown): Promise<void> {
      const forget = async () => void (await sessions.remove(jti));
      return background.undo('abandonSession', caller.requestId, error, forget);
    },

    /**
     * Records the use of a session, after the response and at most once in a pause. Where sessions end by being unused,
     * the last use within a pause is stored at its end, so that a session is never refused for a use that was not stored.
     */
    see({ jti }: Pick<Claims, 'jti'>): void {
      const now = clock.now().getTime();
      const use = uses.get(jti);
      if (use === undefined || now - use.storedAt >= pauseMs || now < use.storedAt) {
        remember(jti, { storedAt: now, usedAt: now, isWaiting: use?.isWaiting ?? false });
        background.run('sessionSeen', undefined, () => store(jti, now, idleMs > 0 ? 1 : pauseMs));
        return;
      }
      use.usedAt = now;
      if (idleMs === 0 || use.isWaiting) return;
      use.isWaiting = true;
      background.runLater('sessionSeen', pauseMs - (now - use.storedAt), async () => {
        const last = uses.get(jti) ?? use;
        last.isWaiting = false;
        if (last.usedAt === last.storedAt) return;
        last.storedAt = last.usedAt;
        await store(jti, last.usedAt, 1);
      });
    },

    /** Returns whether a session was unused for too long. Without a record it was not: the list was off at its sign-in. */
    isIdle: (lastSeenAt: Date | null | undefined): boolean =>
      idleMs > 0 && lastSeenAt != null && clock.now().getTime() - lastSeenAt.getTime() > idleMs,

    /** Returns the sessions of an account as people see them; `currentJti` is that of the request. */
    async list(user: User, currentJti: string | null): Promise<SessionListItem[]> {
      return (await valid(user)).map(({ id, createdAt, lastSeenAt, expiresAt, ip, device, method }) => ({
        ...{ id, ip, device, method },
        created_at: createdAt.toISOString(),
        last_seen_at: lastSeenAt.toISOString(),
        expires_at: expiresAt.toISOString(),
        is_current: id === currentJti,
      }));
    },

    /** Ends one session of an account. Returns false when the account has no such session. */
    async endOne(user: User, id: string): Promise<boolean> {
      const record = (await valid(user)).find(each => each.id === id);
      if (record) await end([record]);
      return record !== undefined;
    },

    /** Ends every listed session of an account except one. Returns how many. */
    async endOthers(user: User, exceptJti: string | null): Promise<number> {
      const others = (await valid(user)).filter(({ id }) => id !== exceptJti);
      await end(others);
      return others.length;
    },

    /** Forgets a session that was ended otherwise. */
    forget: (jti: string) => sessions.remove(jti),
  };
}

/** The order in which sessions are listed; the id decides between two of one moment. */
function latestFirst(a: SessionRecord, b: SessionRecord): number {
  return b.lastSeenAt.getTime() - a.lastSeenAt.getTime() || (a.id < b.id ? 1 : -1);
}
