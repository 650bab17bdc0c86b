import { setTimeout as sleep } from 'node:timers/promises';
import { GatehouseError } from '../errors.ts';
import { isBusy } from './driver-codes.ts';
import { LateAnswer } from './errors.ts';

/** How long one storage call may take, in milliseconds: CONTRACT §4.5 gives a whole request three seconds. */
export const deadlineMs = 2000;

/** Fails work that has not ended within the deadline, so that a hung server delays a request no longer than that. */
export async function withDeadline<T>(work: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new GatehouseError('unavailable', { retryAfterSeconds: 2, cause: new LateAnswer() }));
    }, deadlineMs);
  });
  try {
    return await Promise.race([work(), deadline]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Repeats work that SQLite refused because another process was writing, until the deadline. The driver's own waiting would
 * block the event loop, so it waits only for a moment and the rest of the wait happens here.
 */
export async function withBusyRetry<T>(work: () => Promise<T>, waitMs = deadlineMs): Promise<T> {
  const until = performance.now() + waitMs;
  for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 2, 50)) {
    try {
      return await work();
    } catch (error) {
      if (!isBusy(error) || performance.now() > until) throw error;
    }
    await sleep(pauseMs * (0.5 + Math.random()));
  }
}
