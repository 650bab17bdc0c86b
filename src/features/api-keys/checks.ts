import type { Clock } from '../../clock.ts';
import type { Background } from '../../domain/background.ts';
import type { Caller } from '../../domain/caller.ts';
import type { Key, KeyHolder } from '../../domain/session.ts';
import { isBlockedByReport } from '../../domain/trust.ts';
import { GatehouseError } from '../../errors.ts';
import type { RateLimits } from '../../limits/rate-limit.ts';
import type { OwnedRow } from '../../storage/backend.ts';
import type { Repositories } from '../../storage/repositories/index.ts';
import { say } from '../../words/said.ts';
import { hashOfKey, isKey, looksLikeKey } from './key-form.ts';
import type { OfferedScopes } from './scopes.ts';
import type { ApiKeyRow } from './table.ts';

export type KeyChecks = ReturnType<typeof createKeyChecks>;

/** A key that counts, and its person. */
export interface HeldKey extends KeyHolder {
  key: Key;
  row: ApiKeyRow;
}

/** The last use of a key is stored at most so often, in milliseconds. */
const pauseMs = 60_000;

interface Parts {
  clock: Clock;
  background: Background;
  repositories: Pick<Repositories, 'api_keys' | 'users'>;
  offered: OfferedScopes;
  limits: RateLimits;
}

/** Checks API keys: one read a key, so that a removed one is refused at once in every process (CONTRACT §17). */
export function createKeyChecks({ clock, background, repositories, offered, limits }: Parts) {
  const { api_keys: rows, users } = repositories;
  const outcomes = { ok: 0, malformed: 0, unknown: 0, expired: 0, refused: 0 };
  /** The keys whose use is being stored. */
  const storing = new Set<string>();

  /** Returns the holder of a key as it was read, or why it does not count. */
  function judge({ row, user }: OwnedRow<ApiKeyRow>): HeldKey | 'expired' | 'refused' {
    if (row.expiresAt !== null && row.expiresAt <= clock.now()) return 'expired';
    if (!user.isActive || isBlockedByReport(user, row.createdAt)) return 'refused';
    const { id, name, expiresAt } = row;
    return { user, row, key: { id, name, scopes: offered.counted(row.scopes), expiresAt } };
  }

  /** Stores the last use, unless that was less than a minute ago. The response does not wait for it. */
  function see(row: ApiKeyRow, ip: string | null): void {
    const now = clock.now();
    const notAfter = new Date(now.getTime() - pauseMs);
    if ((row.lastUsedAt !== null && row.lastUsedAt > notAfter) || storing.has(row.id)) return;
    storing.add(row.id);
    background.run('apiKeySeen', undefined, () =>
      rows.see(row, { lastUsedAt: now, lastUsedIp: ip }, notAfter).finally(() => storing.delete(row.id)),
    );
  }

  /** A key that was refused once stays refused after a crash of the database. */
  async function refuse(outcome: Exclude<keyof typeof outcomes, 'ok'>): Promise<null> {
    outcomes[outcome]++;
    if (outcome !== 'malformed') await users.awaitDurability();
    return null;
  }

  /**
   * Returns the holder of a key, or null where it does not count. One that is not found counts against the limit of its client.
   * @throws {GatehouseError} rate_limited, unavailable
   */
  async function check(
    key: string,
    ip: string | null,
    { isCounted }: { isCounted: boolean },
  ): Promise<HeldKey | null> {
    if (!isKey(key)) return refuse('malformed');
    const found = await rows.findByHash(hashOfKey(key));
    if (!found) {
      await refuse('unknown');
      if (isCounted) await limits.consume('api_key', ip);
      return null;
    }
    const held = judge(found);
    if (typeof held === 'string') return refuse(held);
    outcomes.ok++;
    return held;
  }

  /** As `check`, and records the use. */
  async function use(
    key: string,
    ip: string | null,
    counting: { isCounted: boolean },
  ): Promise<HeldKey | null> {
    const held = await check(key, ip, counting);
    if (held) see(held.row, ip);
    return held;
  }

  return {
    outcomes,
    check,
    use,

    /** Returns the holder of the key of an access token, as long as the token was not ended and the key counts, or null. */
    async findOfToken(id: string, tokenJti: string): Promise<HeldKey | null> {
      const found = await rows.findOfToken(id, tokenJti);
      const held = found && judge(found);
      if (held && typeof held !== 'string') return held;
      await users.awaitDurability();
      return null;
    },

    /** Returns a key by its text, with its person, and whether it counts; null where there is none. Nothing is recorded. */
    async look(key: string): Promise<(OwnedRow<ApiKeyRow> & { counts: boolean }) | null> {
      const found = isKey(key) ? await rows.findByHash(hashOfKey(key)) : null;
      return found && { ...found, counts: typeof judge(found) !== 'string' };
    },

    isSent: (caller: Caller): boolean => keyOf(caller) !== null,

    /** Returns the holder of the key that a caller sends, or null where the caller sends none. @throws {GatehouseError} unauthenticated */
    async holderOf(caller: Caller): Promise<HeldKey | null> {
      const key = keyOf(caller);
      if (key === null) return null;
      const held = await use(key, caller.ip, { isCounted: true });
      if (!held) throw new GatehouseError('unauthenticated', { detail: say('error_key_invalid') });
      return held;
    },
  };
}

/** Returns the key that a caller sends, or null. Where there is an Authorization header, it alone counts. */
function keyOf({ authorization, bearer, headers }: Pick<Caller, 'authorization' | 'bearer' | 'headers'>) {
  if (authorization !== undefined) return bearer !== undefined && looksLikeKey(bearer) ? bearer : null;
  const given = headers?.['x-api-key'];
  return typeof given === 'string' ? given : null;
}
