import type { Clock } from '../../clock.ts';
import type { Config } from '../../config/schema.ts';
import type { UserViews } from '../../contract/views/account.ts';
import { createOrderedIds } from '../../crypto/ordered-ids.ts';
import { findUserOfSession } from '../../domain/authentication.ts';
import type { Background } from '../../domain/background.ts';
import type { Caller } from '../../domain/caller.ts';
import type { Notices } from '../../domain/notices.ts';
import { sessionEndedError } from '../../domain/reauthentication.ts';
import type { Session } from '../../domain/session.ts';
import { isDistrusted } from '../../domain/trust.ts';
import { GatehouseError } from '../../errors.ts';
import type { By, EventHub } from '../../events.ts';
import type { Logger } from '../../logger.ts';
import type { Trail } from '../../observability/watch.ts';
import { dayMs } from '../../outgoing/job.ts';
import type { Repositories } from '../../storage/repositories/index.ts';
import type { User } from '../../tables/user.ts';
import { hashOfKey, hintOf, newKey } from './key-form.ts';
import type { OfferedScopes } from './scopes.ts';
import type { ApiKeyRow } from './table.ts';
import { type ApiKeyCreated, type ApiKeyView, toApiKeyView } from './views.ts';

export type ApiKeys = ReturnType<typeof createApiKeys>;

/** A key as its owner wants it. */
export interface WantedKey {
  name: string;
  scopes: readonly string[];
  expires_in_days?: number | null | undefined;
}

interface Parts {
  config: Config;
  clock: Clock;
  background: Background;
  repositories: Repositories;
  events: EventHub;
  views: UserViews;
  notices: Notices;
  offered: OfferedScopes;
  logger: Logger;
}

/** How long before its end the owner of a key is told, and of keys of which lifetime, in milliseconds (CONTRACT §17). */
const warnedBeforeMs = 7 * dayMs;
const leastWarnedMs = 15 * dayMs;

/** Makes, shows and removes API keys (CONTRACT §17). */
export function createApiKeys(parts: Parts) {
  const { config, clock, background, repositories, events, views, notices, offered, logger } = parts;
  const { users, api_keys: rows } = repositories;
  const orderedId = createOrderedIds();

  /** Returns a key as it counts now: scopes that would not be given any more are left out. */
  const viewOf = (row: ApiKeyRow, owner: User): ApiKeyView =>
    toApiKeyView(
      { ...row, scopes: offered.counted(row.scopes) },
      clock.now(),
      isDistrusted(owner, row.createdAt),
    );

  /** Returns for how many days a key is made; 0 for one without end. */
  function daysOf({ expires_in_days: given }: WantedKey): number {
    const { apiKeyDefaultDays: usual, apiKeyMaxDays: most } = config;
    return given ?? (most === 0 ? usual : Math.min(usual, most));
  }

  /** Removes a key, and tells programs of it. Returns false when it is gone. */
  async function removeRow(user: User, row: ApiKeyRow, by: By): Promise<boolean> {
    if (!(await rows.remove(user.id, row.id))) return false;
    await events.emit('api_key_removed', { user: views.toUserPublic(user), api_key: viewOf(row, user), by });
    return true;
  }

  /**
   * Makes a key.
   * @param standing returns the person who makes it as it is after the key was stored, or null where that has ended meanwhile: of a
   * creation and what ends it at the same time, one sees the other (CONTRACT §4.3)
   * @throws {GatehouseError} email_not_verified, api_key_limit, unauthenticated
   */
  async function create(
    user: User,
    wanted: WantedKey,
    trail: Trail,
    standing: () => Promise<User | null>,
  ): Promise<ApiKeyCreated> {
    if (!user.isVerified) throw new GatehouseError('email_not_verified');
    const now = clock.now();
    const days = daysOf(wanted);
    const key = newKey(config.apiKeyPrefix);
    const row: Omit<ApiKeyRow, 'slot'> = {
      ...{ id: orderedId(now.getTime()), ownerKind: 'user', ownerId: user.id },
      ...{ hash: hashOfKey(key), hint: hintOf(key), name: wanted.name },
      scopes: offered.names.filter(scope => wanted.scopes.includes(scope)),
      createdAt: now,
      expiresAt: days === 0 ? null : new Date(now.getTime() + days * dayMs),
      ...{ lastUsedAt: null, lastUsedIp: null, warnedAt: null },
    };
    trail.changes = [`api_keys.${row.id}`];
    let present: User | null;
    try {
      if (!(await rows.add(row, config.apiKeysPerUser))) throw new GatehouseError('api_key_limit');
      present = await standing();
      if (!present) throw sessionEndedError();
      await notices.notify('apiKeyCreated', present, trail, { name: row.name }, 'api_key');
    } catch (error) {
      // It may be stored even where storing it has failed.
      const undo = async () => void (await rows.remove(user.id, row.id));
      await background.undo('takeBackApiKey', undefined, error, undo);
      throw error;
    }
    const api_key = viewOf({ ...row, slot: '' }, present);
    await events.emit('api_key_created', {
      ...{ user: views.toUserPublic(present), api_key, by: trail.by },
    });
    return { api_key, key };
  }

  return {
    viewOf,

    /** Returns the keys of an account, newest first. */
    list: async (user: User): Promise<ApiKeyView[]> =>
      (await rows.listByUser(user.id)).map(row => viewOf(row, user)),

    /** Makes a key for the owner of a session. */
    createInSession: ({ user, claims }: Session, wanted: WantedKey, caller: Caller, trail: Trail) =>
      create(user, wanted, trail, () => findUserOfSession(repositories, claims, caller)),

    /**
     * Makes a key for an account at the word of the host or an operator, unless the account is cut off meanwhile.
     * @throws {GatehouseError} account_disabled, and as `create`
     */
    async createFor(user: User, wanted: WantedKey, trail: Trail): Promise<ApiKeyCreated> {
      if (!user.isActive) throw new GatehouseError('account_disabled');
      return create(user, wanted, trail, async () => {
        const present = await users.find(user.id);
        const before = user.tokensInvalidatedAfter?.getTime() ?? 0;
        const isSame = present && (present.tokensInvalidatedAfter?.getTime() ?? 0) === before;
        return isSame && present.isActive && present.isVerified ? present : null;
      });
    },

    /** @throws {GatehouseError} not_found */
    async rename(user: User, id: string, name: string): Promise<ApiKeyView> {
      const row = await rows.rename(user.id, id, name);
      if (!row) throw new GatehouseError('not_found');
      return viewOf(row, user);
    },

    /** Removes one key of an account. @throws {GatehouseError} not_found */
    async remove(user: User, id: string, by: By): Promise<void> {
      const row = (await rows.listByUser(user.id)).find(each => each.id === id);
      if (!row || !(await removeRow(user, row, by))) throw new GatehouseError('not_found');
    },

    /** Removes every key of an account. Returns how many. */
    async removeAll(user: User, by: By): Promise<number> {
      let removed = 0;
      for (const row of await rows.listByUser(user.id)) if (await removeRow(user, row, by)) removed++;
      return removed;
    },

    /**
     * Tells owners of keys that end within a week. Of several processes one does, by a conditional write; a mail that cannot
     * be queued is sent by the next try.
     */
    async warn(): Promise<void> {
      const now = clock.now();
      const ending = await rows.listEnding(now, new Date(now.getTime() + warnedBeforeMs));
      for (const { id, ownerId, name, createdAt, expiresAt } of ending) {
        if (expiresAt === null || expiresAt.getTime() - createdAt.getTime() < leastWarnedMs) continue;
        const user = await users.find(ownerId);
        if (!user?.isActive || !(await rows.warn(id, now))) continue;
        // An owner who does not know the key disowns what was done since it was made.
        const made = { by: 'host', ip: null, at: createdAt } as const;
        try {
          await notices.notify('apiKeyEnds', user, made, { name, endsAt: expiresAt }, 'api_key');
        } catch (err) {
          await rows.unwarn(id, now);
          logger.warn({ err, user_id: ownerId }, 'the owner of an API key could not be told that it ends');
        }
      }
    },
  };
}
