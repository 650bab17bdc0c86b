import type { Clock } from '../clock.ts';
import type { LoginAttempt } from '../entities/login-attempt.ts';
import type { Repositories } from '../storage/repositories/index.ts';

/** How many times within how many seconds. */
export interface Bound {
  limit: number;
  windowSeconds: number;
}

/** A place held for a moment, or why there is none: all are taken, or some only until others give theirs back. */
export type Hold = LoginAttempt | 'full' | 'busy';

export type SlidingCounts = ReturnType<typeof createSlidingCounts>;

/** After how long a held place counts as left behind by a process that stopped, in milliseconds. */
const longestHoldMs = 10_000;

/**
 * Counts per subject within a sliding window, shared by every process on one database. A subject has as many slots as
 * its limit, each a row with an id of its own, and an event takes a free one: the unique id decides who gets it, so
 * however many come at once, never more than the limit are told yes, and exactly as many as there is room for.
 */
export function createSlidingCounts({ attempts }: Pick<Repositories, 'attempts'>, clock: Clock) {
  /** Rows that count now, and slots that are free: never used, or used before the window. */
  async function read(subject: string, { limit, windowSeconds }: Bound) {
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
    free: { slot: number; former: LoginAttempt | undefined }[],
    fields: Pick<LoginAttempt, 'ip' | 'settled'>,
  ): Promise<LoginAttempt | null> {
    const row = { email: subject, when: clock.now(), ...fields };
    for (const { slot, former } of free) {
      const fresh = { id: `${subject}#${slot}`, ...row };
      if (former ? await attempts.renew(former, fresh) : await attempts.add(fresh)) return fresh;
    }
    return null;
  }

  return {
    /** Whole seconds until there is room again; 0 while there is. Held places don't count: they are given back. */
    async secondsUntilRoom(subject: string, bound: Bound): Promise<number> {
      const { settled } = await read(subject, bound);
      if (settled.length < bound.limit) return 0;
      const oldest = Math.min(...settled.map(row => row.when.getTime()));
      const endsAt = oldest + bound.windowSeconds * 1000;
      return Math.max(1, Math.ceil((endsAt - clock.now().getTime()) / 1000));
    },

    /** Takes a slot for the whole window; false when none is free. */
    async take(subject: string, bound: Bound, ip: string | null = null): Promise<boolean> {
      const { free } = await read(subject, bound);
      return (await occupy(subject, free, { ip, settled: true })) !== null;
    },

    /** Takes a slot for a moment, to be released. */
    async hold(subject: string, bound: Bound, ip: string | null): Promise<Hold> {
      const { settled, free } = await read(subject, bound);
      if (settled.length >= bound.limit) return 'full';
      return (await occupy(subject, free, { ip, settled: false })) ?? 'busy';
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
