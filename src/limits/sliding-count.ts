import type { Clock } from '../clock.ts';
import type { LoginAttempt } from '../entities/login-attempt.ts';
import type { Repositories } from '../storage/repositories/index.ts';

/** How many times within how many seconds. */
export interface Bound {
  limit: number;
  windowSeconds: number;
}

export type SlidingCounts = ReturnType<typeof createSlidingCounts>;

/**
 * Counts per subject within a sliding window, shared by every process on one database. A subject has as many slots as
 * its limit, each a row with an id of its own, and an event takes a free one: the unique id decides who gets it, so
 * however many come at once, never more than the limit are told yes, and exactly as many as there is room for.
 */
export function createSlidingCounts({ attempts }: Pick<Repositories, 'attempts'>, clock: Clock) {
  /** Rows that count now, and the slots that are free: never used, or used before the window. */
  async function read(subject: string, { limit, windowSeconds }: Bound) {
    const since = clock.now().getTime() - windowSeconds * 1000;
    const rows = (await attempts.list(subject)).filter(row => slotOf(row) < limit);
    const live = rows.filter(row => row.when.getTime() > since);
    const bySlot = new Map(rows.map(row => [slotOf(row), row]));
    const free = Array.from({ length: limit }, (_, slot) => ({ slot, former: bySlot.get(slot) })).filter(
      ({ former }) => !former || former.when.getTime() <= since,
    );
    return { live, free };
  }

  return {
    /** Whole seconds until there is room again; 0 while there is. */
    async secondsUntilRoom(subject: string, bound: Bound): Promise<number> {
      const { live, free } = await read(subject, bound);
      if (free.length > 0) return 0;
      const oldest = Math.min(...live.map(row => row.when.getTime()));
      const endsAt = oldest + bound.windowSeconds * 1000;
      return Math.max(1, Math.ceil((endsAt - clock.now().getTime()) / 1000));
    },

    /** Takes a slot; false when all are taken. */
    async take(subject: string, bound: Bound, ip: string | null = null): Promise<boolean> {
      const when = clock.now();
      const { free } = await read(subject, bound);
      for (const { slot, former } of free) {
        const taken = former
          ? await attempts.renew(former, { when, ip })
          : await attempts.add({ id: `${subject}#${slot}`, email: subject, when, ip });
        if (taken) return true;
      }
      // Slots freed meanwhile are left alone: refusing once too often is safe.
      return false;
    },

    /** Forgets everything counted for this subject. */
    clear: (subject: string) => attempts.clear(subject),
  };
}

/** The number at the end of the id. */
const slotOf = (row: LoginAttempt) => Number(row.id.slice(row.id.lastIndexOf('#') + 1));
