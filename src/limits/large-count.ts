import { randomInt } from 'node:crypto';
import type { Clock } from '../clock.ts';
import type { Repositories } from '../storage/repositories/index.ts';
import type { LoginAttempt } from '../tables/login-attempt.ts';
import type { WindowLimit } from './sliding-count.ts';

export type LargeCounts = ReturnType<typeof createLargeCounts>;

/** How many random slots are tried before all of them are read. While a tenth is free, four attempts in five find one. */
const mostProbes = 16;

/**
 * Sliding counts for limits too large to read every slot each time: rows are counted through the index of the table, and
 * slots are tried at random. Here too the unique id decides who gets a slot, so the limit is never exceeded.
 */
export function createLargeCounts({ attempts }: Pick<Repositories, 'attempts'>, clock: Clock) {
  /** A row with a time in the future was stored by a wrong clock: it counts as of now, and is stored so. */
  async function correctFutureTimes(subject: string, now: Date): Promise<void> {
    const rows = await attempts.listAfter(subject, now);
    await Promise.all(rows.map(row => attempts.renew(row, { ...row, when: now })));
  }

  /** Takes the slot of this number if it is free. Returns its row, or null. */
  async function occupy(slot: number, subject: string, since: Date): Promise<LoginAttempt | null> {
    const id = `${subject}#${slot}`;
    const former = await attempts.find(id);
    if (former && former.when > since) return null;
    const fresh = { id, subject, when: clock.now(), ip: null, settled: true };
    return (former ? await attempts.renew(former, fresh) : await attempts.add(fresh)) ? fresh : null;
  }

  async function secondsUntilFree(subject: string, since: Date): Promise<number> {
    const [oldest] = await attempts.listAfter(subject, since, 1);
    return oldest ? Math.max(1, Math.ceil((oldest.when.getTime() - since.getTime()) / 1000)) : 1;
  }

  return {
    /** Takes a slot for the whole window. Returns its row, or, when none is free, the seconds until the next one is. */
    async reserve(subject: string, { limit, windowSeconds }: WindowLimit): Promise<LoginAttempt | number> {
      const now = clock.now();
      const since = new Date(now.getTime() - windowSeconds * 1000);
      await correctFutureTimes(subject, now);
      if ((await attempts.countAfter(subject, since)) < limit) {
        for (let probe = 0; probe < mostProbes; probe++) {
          const taken = await occupy(randomInt(limit), subject, since);
          if (taken) return taken;
        }
        const used = new Set(
          (await attempts.list(subject)).filter(row => row.when > since).map(row => row.id),
        );
        for (let slot = 0; slot < limit; slot++) {
          if (used.has(`${subject}#${slot}`)) continue;
          const taken = await occupy(slot, subject, since);
          if (taken) return taken;
        }
      }
      return secondsUntilFree(subject, since);
    },
  };
}
