/** The one source of time. A host application or a test may replace it. */
export interface Clock {
  /** Returns the present time; its resolution, a millisecond, is that of every time Gatehouse stores or signs. */
  now(): Date;
}

/** The clock of the machine. */
export const systemClock: Clock = { now: () => new Date() };

/** Calls `run` after `ms` milliseconds, unless the returned function cancels it first. */
export type Schedule = (ms: number, run: () => void) => () => void;

/** Real time: the timers of the process. */
export const scheduleOnTimer: Schedule = (ms, run) => {
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
};

/** As `scheduleOnTimer`, with timers that do not keep the process running. */
export const scheduleInBackground: Schedule = (ms, run) => {
  const timer = setTimeout(run, ms).unref();
  return () => clearTimeout(timer);
};

/** Returns what `work` returns, or what `late` returns or throws where `work` takes longer than `ms` milliseconds. */
export async function withinTime<T>(
  schedule: Schedule,
  ms: number,
  work: () => Promise<T>,
  late: () => T,
): Promise<T> {
  const { promise: isOver, resolve } = Promise.withResolvers<void>();
  const cancel = schedule(ms, resolve);
  try {
    return await Promise.race([work(), isOver.then(late)]);
  } finally {
    cancel();
  }
}

/** How far the clocks of servers may differ, in milliseconds. */
export const clockToleranceMs = 300_000;

/**
 * Returns the latest end that something of this lifetime (in seconds) can have. An end further ahead was stored by a wrong
 * clock, and counts as past: a clock that was wrong for a moment extends no lifetime.
 */
export const latestEnd = (lifetimeSeconds: number, now: Date) =>
  new Date(now.getTime() + lifetimeSeconds * 1000 + clockToleranceMs);

/** Returns whether something that was stored with this end and lifetime is valid now. */
export const isCurrent = (endsAt: Date, lifetimeSeconds: number, now: Date) =>
  endsAt > now && endsAt <= latestEnd(lifetimeSeconds, now);
