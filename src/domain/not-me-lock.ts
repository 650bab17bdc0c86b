import { type Clock, isCurrent } from '../clock.ts';
import type { NotMeLink } from '../entities/not-me-link.ts';
import { GatehouseError } from '../errors.ts';
import type { Repositories } from '../storage/repositories/index.ts';

/** How long an account is locked at most, in seconds: longer than putting it back takes. */
const lockSeconds = 60;

/** How often locking is tried when a lock is found that a stopped process has left behind. */
const mostTries = 5;

interface Parts {
  clock: Clock;
  repositories: Pick<Repositories, 'not_me_links'>;
}

/**
 * Lets one link at a time put an account back, over all processes: two at once could leave what each of them set. The lock
 * is a row whose unique id decides. It ends by itself, and putting back can be repeated, so a process that stops in between
 * costs a minute.
 */
export function createNotMeLock({ clock, repositories: { not_me_links: links } }: Parts) {
  async function acquire({ userId, id }: NotMeLink): Promise<Date> {
    for (let tries = 0; tries < mostTries; tries++) {
      const now = clock.now();
      const until = new Date(now.getTime() + lockSeconds * 1000);
      if (await links.lock(userId, id, until)) return until;
      const held = await links.findLock(userId);
      if (!held) continue;
      if (isCurrent(held.until, lockSeconds, now)) {
        throw held.link === id
          ? new GatehouseError('invalid_token')
          : new GatehouseError('unavailable', { retryAfterSeconds: 1 });
      }
      await links.unlock(userId, held);
    }
    throw new GatehouseError('unavailable', { retryAfterSeconds: 1 });
  }

  /** Records that a link has put its account back. */
  async function complete(id: string): Promise<void> {
    for (let link = await links.find(id); link && link.state !== 'done'; link = await links.find(id)) {
      if (await links.advance(link, 'done')) return;
    }
  }

  return {
    /** Returns whether a link is putting its account back at this moment. */
    async isHeldBy({ userId, id }: NotMeLink): Promise<boolean> {
      const held = await links.findLock(userId);
      return held?.link === id && isCurrent(held.until, lockSeconds, clock.now());
    },

    /**
     * Runs work that uses a link up, for one request at a time. When it fails, or returns null, the link stays good.
     * @param check rejects a link that was used meanwhile
     * @throws {GatehouseError} invalid_token (this link is in use), unavailable (another one of the account is)
     */
    async hold<T>(
      link: NotMeLink,
      check: () => Promise<unknown>,
      work: () => Promise<T | null>,
    ): Promise<T | null> {
      const { userId, id } = link;
      const until = await acquire(link);
      try {
        await check();
        const result = await work();
        if (result !== null) await complete(id);
        return result;
      } finally {
        // A lock that cannot be removed ends by itself.
        await links.unlock(userId, { link: id, until }).catch(() => {});
      }
    },
  };
}
