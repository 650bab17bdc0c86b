import { type Schedule, withinTime } from '../clock.ts';
import { DeliveryError, loggable } from './delivery-error.ts';

/** The failure of an attempt. */
export interface Failure {
  reason: ReturnType<typeof loggable>;
  /** Whether a retry would fail the same way. */
  isPermanent: boolean;
  /** Whether other messages may arrive all the same. */
  isOfRecipient: boolean;
}

/** The delay after the first failed attempt, in milliseconds. It doubles with every further one (exponential backoff). */
const firstDelayMs = 4000;
/** The longest delay, in milliseconds, before jitter of up to a half in both directions. */
const longestDelayMs = 300_000;

/** How long an attempt may take, in milliseconds. */
export const usualTimeoutMs = 30_000;

/** Returns the delay after a failed attempt, in milliseconds. Jitter spreads the retries of messages that failed together. */
export const backoffMs = (attempt: number) =>
  Math.min(firstDelayMs * 2 ** (attempt - 1), longestDelayMs) * (0.5 + Math.random());

/** Makes one attempt, within this time. Returns why it failed, or null. */
export async function attempt(
  send: () => Promise<void>,
  timeoutMs: number,
  schedule: Schedule,
): Promise<Failure | null> {
  try {
    await withinTime(schedule, timeoutMs, send, () => {
      throw new DeliveryError('the sender did not finish in time', { code: 'ETIMEDOUT' });
    });
    return null;
  } catch (error) {
    const { permanent = false, isOfRecipient = false } = error instanceof DeliveryError ? error : {};
    return { reason: loggable(error), isPermanent: permanent, isOfRecipient };
  }
}
