import type { Clock } from '../clock.ts';
import type { Repositories } from '../storage/repositories/index.ts';
import type { LoginAttempt } from '../tables/login-attempt.ts';

/** A limit: how many times within how many seconds. */
export interface WindowLimit {
  limit: number;
  windowSeconds: number;
}

/** The state of a subject's slots when they were read. */
interface Slots {
  /** Slots taken for the whole window. */
  settled: LoginAttempt[];
  /** Slots that were never used, or before the window. */
  free: { slot: number; former: LoginAttempt | undefined }[];
}

/** A subject whose slots were read. */
export interface Capacity {
  /** Whole seconds until a slot is free; 0 while one is. Held slots do not count, because they will be released. */
  secondsUntilFree: number;
  /**
   * Takes a slot: for the whole window when it is `settled`, else for a moment, to be released. Returns its row; `full`
   * when all slots are settled; `busy` when some are only held until others release them.
   */
  reserve(as: Pick<LoginAttempt, 'ip' | 'settled'>): Promise<LoginAttempt | 'full' | 'busy'>;
}

export type SlidingCounts = ReturnType<typeof createSlidingCounts>;

/**
 * After how long a held slot counts as left behind by a stopped process, in milliseconds: less than a guess waits for it. A
 * slot that lapses too early admits no guess that was not decided.
 */
const longestHoldMs = 2000;

/**
 * Counts events per subject within a sliding window, shared by every process on one database. A subject has as many slots
 * as its limit, each a row with an id of its own, and an event takes a free one. The unique id decides who gets a slot,
 * so of any number of parallel events never more than the limit are accepted, and exactly as many as there are free
 * slots.
 */
export function createSlidingCounts({ attempts }: Pick<Repositories, 'attempts'>, clock: Clock) {
  /**
   * Corrects a row with a time in the future, which a wrong clock has stored. It counts as of now, and is stored so:
   * otherwise it would count until its own time has passed. Of several readers one stores it; the others treat it the
   * same.
   */
  async function correctFutureTime(row: LoginAttempt, now: Date): Promise<LoginAttempt> {
    if (!row.settled || row.when <= now) return row;
    const fresh = { ...row, when: now };
    await attempts.renew(row, fresh);
    return fresh;
  }

  async function read(
    subject: string,
    { limit, windowSeconds }: WindowLimit,
    stored?: LoginAttempt[],
  ): Promise<Slots> {
    const now = clock.now();
    const all = (stored ?? (await attempts.list(subject))).filter(row => slotOf(row) < limit);
    const rows = await Promise.all(all.map(row => correctFutureTime(row, now)));
    const isOccupied = ({ when, settled }: LoginAttempt) => {
      const ageMs = now.getTime() - when.getTime();
      // A held slot is not corrected, because its holder releases it by its stored time.
      return settled ? ageMs < windowSeconds * 1000 : Math.abs(ageMs) < longestHoldMs;
    };
    const bySlot = new Map(rows.map(row => [slotOf(row), row]));
    const free = Array.from({ length: limit }, (_, slot) => ({ slot, former: bySlot.get(slot) })).filter(
      ({ former }) => !former || !isOccupied(former),
    );
    return { settled: rows.filter(row => row.settled && isOccupied(row)), free };
  }

  /** Takes the first slot that is still free. Returns its row, or null. */
  async function occupy(
    subject: string,
    free: Slots['free'],
    as: Pick<LoginAttempt, 'ip' | 'settled'>,
  ): Promise<LoginAttempt | null> {
    const row = { subject, when: clock.now(), ...as };
    for (const { slot, former } of free) {
      const fresh = { id: `${subject}#${slot}`, ...row };
      if (former ? await attempts.renew(former, fresh) : await attempts.add(fresh)) return fresh;
    }
    return null;
  }

  /** Returns the whole seconds until the oldest settled slot is free again; 0 while one is free. */
  function secondsUntilFree({ settled }: Slots, { limit, windowSeconds }: WindowLimit): number {
    if (settled.length < limit) return 0;
    const oldest = Math.min(...settled.map(row => row.when.getTime()));
    const endsAt = oldest + windowSeconds * 1000;
    return Math.max(1, Math.ceil((endsAt - clock.now().getTime()) / 1000));
  }

  /**
   * Reads a subject's slots once, for a caller that first asks whether one is free and takes it later.
   * @param stored its rows, where they have just been read
   */
  async function readCapacity(
    subject: string,
    bound: WindowLimit,
    stored?: LoginAttempt[],
  ): Promise<Capacity> {
    const seen = await read(subject, bound, stored);
    return {
      secondsUntilFree: secondsUntilFree(seen, bound),
      async reserve(as) {
        // A slot that was free mostly still is. If it is not, the unique id rejects the insert, and all slots are read
        // again.
        const taken = await occupy(subject, seen.free.slice(0, 1), as);
        if (taken) return taken;
        const { settled, free } = await read(subject, bound);
        if (settled.length >= bound.limit) return 'full';
        return (await occupy(subject, free, as)) ?? 'busy';
      },
    };
  }

  return {
    readCapacity,

    /** Returns what is stored of a subject, for `readCapacity`. */
    list: (subject: string) => attempts.list(subject),

    /** Takes a slot for the whole window. Returns null when none is free. */
    async reserve(subject: string, bound: WindowLimit): Promise<LoginAttempt | null> {
      const room = await readCapacity(subject, bound);
      const taken = await room.reserve({ ip: null, settled: true });
      return typeof taken === 'object' ? taken : null;
    },

    /** Releases this slot and no other: one that was cleared or taken again since stays as it is. */
    async release(taken: LoginAttempt): Promise<void> {
      await attempts.remove(taken);
    },

    /** Clears everything counted for these subjects. */
    clear: (...subjects: string[]) => attempts.clear(...subjects),
  };
}

/** Returns the number of a slot, from the end of its id. */
export const slotOf = (row: LoginAttempt) => Number(row.id.slice(row.id.lastIndexOf('#') + 1));
