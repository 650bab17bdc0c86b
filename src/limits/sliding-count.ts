import type { Clock } from '../clock.ts';
import type { LoginAttempt } from '../entities/login-attempt.ts';
import type { Repositories } from '../storage/repositories/index.ts';

/** How many times within how many seconds. */
export interface Bound {
  limit: number;
  windowSeconds: number;
}

/** What a subject's slots were when they were read. */
interface Slots {
  /** Those taken for the whole window. */
  settled: LoginAttempt[];
  /** Never used, or used before the window. */
  free: { slot: number; former: LoginAttempt | undefined }[];
}

/** A subject whose slots were read. */
export interface Room {
  /** Whole seconds until there is room; 0 while there is. Held slots don't count: they are given back. */
  secondsUntilRoom: number;
  /**
   * Takes a slot, for the whole window when it is `settled`, else for a moment, to be released. Else says why there is
   * none: all are taken, or some only until others give theirs back.
   */
  take(as: Pick<LoginAttempt, 'ip' | 'settled'>): Promise<LoginAttempt | 'full' | 'busy'>;
}

export type SlidingCounts = ReturnType<typeof createSlidingCounts>;

/**
 * After how long a held place counts as left behind by a process that stopped, in milliseconds: less than the five seconds
 * after which an outage must be over for everybody. One that lapses too early lets in no guess that was not decided.
 */
const longestHoldMs = 4000;

/**
 * Counts per subject within a sliding window, shared by every process on one database. A subject has as many slots as
 * its limit, each a row with an id of its own, and an event takes a free one: the unique id decides who gets it, so
 * however many come at once, never more than the limit are told yes, and exactly as many as there is room for.
 */
export function createSlidingCounts({ attempts }: Pick<Repositories, 'attempts'>, clock: Clock) {
  async function read(subject: string, { limit, windowSeconds }: Bound): Promise<Slots> {
    const now = clock.now().getTime();
    const rows = (await attempts.list(subject)).filter(row => slotOf(row) < limit);
    const counts = ({ when, settled }: LoginAttempt) =>
      when.getTime() > now - (settled ? windowSeconds * 1000 : longestHoldMs);
    const bySlot = new Map(rows.map(row => [slotOf(row), row]));
    const free = Array.from({ length: limit }, (_, slot) => ({ slot, former: bySlot.get(slot) })).filter(
      ({ former }) => !former || !counts(former),
    );
    return { settled: rows.filter(row => row.settled && counts(row)), free };
  }

  /** Takes a free slot, whichever is still free when it is asked for. */
  async function occupy(
    subject: string,
    free: Slots['free'],
    as: Pick<LoginAttempt, 'ip' | 'settled'>,
  ): Promise<LoginAttempt | null> {
    const row = { email: subject, when: clock.now(), ...as };
    for (const { slot, former } of free) {
      const fresh = { id: `${subject}#${slot}`, ...row };
      if (former ? await attempts.renew(former, fresh) : await attempts.add(fresh)) return fresh;
    }
    return null;
  }

  /** Whole seconds until the oldest of the settled slots is free again; 0 while one is. */
  function untilRoom({ settled }: Slots, { limit, windowSeconds }: Bound): number {
    if (settled.length < limit) return 0;
    const oldest = Math.min(...settled.map(row => row.when.getTime()));
    const endsAt = oldest + windowSeconds * 1000;
    return Math.max(1, Math.ceil((endsAt - clock.now().getTime()) / 1000));
  }

  /** Reads a subject's slots once, for whoever asks whether there is room and takes some of it later. */
  async function look(subject: string, bound: Bound): Promise<Room> {
    const seen = await read(subject, bound);
    return {
      secondsUntilRoom: untilRoom(seen, bound),
      async take(as) {
        // What was free is most often free still; where it is not, its unique id says so, and all are read again.
        const taken = await occupy(subject, seen.free.slice(0, 1), as);
        if (taken) return taken;
        const { settled, free } = await read(subject, bound);
        if (settled.length >= bound.limit) return 'full';
        return (await occupy(subject, free, as)) ?? 'busy';
      },
    };
  }

  return {
    look,

    /** Takes a slot for the whole window; false when none is free. */
    async take(subject: string, bound: Bound): Promise<boolean> {
      const room = await look(subject, bound);
      return typeof (await room.take({ ip: null, settled: true })) === 'object';
    },

    async release(held: LoginAttempt): Promise<void> {
      await attempts.remove(held);
    },

    /** Forgets everything counted for these subjects. */
    clear: (...subjects: string[]) => attempts.clear(...subjects),
  };
}

/** The number at the end of the id. */
const slotOf = (row: LoginAttempt) => Number(row.id.slice(row.id.lastIndexOf('#') + 1));
