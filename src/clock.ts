/** The one source of time. A host or a test may put its own in its place. */
export interface Clock {
  /** The present moment; its resolution, a millisecond, is that of every time Gatehouse stores or signs. */
  now(): Date;
}

/** The clock of the machine. */
export const systemClock: Clock = { now: () => new Date() };
