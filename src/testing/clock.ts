import type { Clock, Schedule } from '../clock.ts';

/**
 * A clock that stands still until it is moved. Without another clock it starts at the present time.
 * @example
 * const clock = new TestClock();
 * clock.advance(60_000);
 */
export class TestClock implements Clock {
  readonly #base: Clock;
  #advancedMs = 0;
  /** Work that waits for a time of this clock. */
  readonly #waiting = new Set<{ at: number; run: () => void }>();

  /** @param base the clock that it is ahead of by what it was advanced */
  constructor(base: Clock = standingStillAt(new Date())) {
    this.#base = base;
  }

  now(): Date {
    return new Date(this.#base.now().getTime() + this.#advancedMs);
  }

  /**
   * Moves on by so many milliseconds, or back when they are negative.
   * @example gatehouse.clock.advance(2 * 60 * 60 * 1000);
   */
  advance(ms: number): void {
    this.#advancedMs += ms;
    const now = this.now().getTime();
    for (const waiting of this.#waiting) {
      if (waiting.at > now) continue;
      this.#waiting.delete(waiting);
      waiting.run();
    }
  }

  /** Calls `run` when the clock was moved on by `ms` milliseconds. */
  readonly schedule: Schedule = (ms, run) => {
    const waiting = { at: this.now().getTime() + ms, run };
    this.#waiting.add(waiting);
    return () => void this.#waiting.delete(waiting);
  };
}

/** Returns a clock that always shows this time. */
export const standingStillAt = (time: Date): Clock => ({ now: () => time });
