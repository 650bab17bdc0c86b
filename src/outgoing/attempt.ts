import type { Schedule } from '../clock.ts';
import type { OutboxKind } from '../entities/outbox-message.ts';
import { DeliveryError, loggable } from './delivery-error.ts';

/** How messages of one kind are delivered, wherever they wait. */
export interface Delivery<M> {
  /** What it carries, for the log: `email`. */
  noun: string;
  /** Sends a message that was accepted so many milliseconds ago. @throws {DeliveryError} from Gatehouse's own senders */
  send(message: M, ageMs: number): Promise<void>;
  /** Returns what the log may contain about a recipient: a part that identifies nobody. */
  describe(message: M): object;
  /** Called once with each message that is given up, dropped, or lost at shutdown. */
  onUndelivered?(message: M): Promise<void>;
}

/** Accepts messages of one kind and has them delivered; services know nothing else of it. */
export interface MessageQueue<M> {
  readonly state: QueueState;
  /**
   * Accepts a message; `purpose` (`verification`) identifies it in the log. It is given up after `lifetimeMs`, when it is of
   * no use any more. Resolves when it is as safe as the store can make it, without waiting for its delivery.
   * @throws {GatehouseError} unavailable, when the store is the database and it cannot be written
   */
  enqueue(purpose: string, message: M, options?: EnqueueOptions): Promise<void>;
  /** Graceful shutdown: accepts no further messages and waits up to `timeoutMs` for those that are being sent. */
  drain(timeoutMs: number): Promise<{ undelivered: number }>;
  /** Resolves when nothing is being sent and nothing could be sent now; what waits for another try stays. */
  settled(): Promise<void>;
}

export interface EnqueueOptions {
  lifetimeMs?: number | undefined;
  /** The stored work that the message comes from: the message takes its row, so that there is always one of the two. */
  instead?: HeldWork | undefined;
}

/** Work that was stored before a response and runs after it; it may make one message. */
export interface HeldWork {
  readonly id: string;
  readonly kind: OutboxKind;
  readonly lease: string;
  /** Whether a message has taken its row. */
  isReplaced: boolean;
}

/** The state and counts of a queue since it was created. */
export interface QueueState {
  /** Messages of this process that are neither delivered nor given up, including those being sent. */
  waiting: number;
  sent: number;
  /** Messages given up, or dropped because too many waited. */
  failed: number;
  /** The code of the latest try's failure and how long ago it was; null when the latest try succeeded. */
  failing: { code: string; secondsAgo: number } | null;
}

/** Why a try failed. */
export interface Failure {
  reason: ReturnType<typeof loggable>;
  /** Whether a retry would fail the same way. */
  isPermanent: boolean;
}

/** Exponential backoff: the wait after the first failed try, in milliseconds. It doubles with every further one … */
const firstDelayMs = 4000;
/** … up to this, with jitter of up to a half in both directions. */
const longestDelayMs = 300_000;

/** Returns the wait after a failed try, in milliseconds. Messages that failed together are not all retried together. */
export const pauseAfter = (attempt: number) =>
  Math.min(firstDelayMs * 2 ** (attempt - 1), longestDelayMs) * (0.5 + Math.random());

/** Runs one try, within this time. Returns why it failed, or null. */
export async function attempt(
  send: () => Promise<void>,
  timeoutMs: number,
  schedule: Schedule,
): Promise<Failure | null> {
  let cancel = () => {};
  const timeout = new Promise<never>((_, reject) => {
    const rejectLate = () =>
      reject(new DeliveryError('the sender did not finish in time', { code: 'ETIMEDOUT' }));
    cancel = schedule(timeoutMs, rejectLate);
  });
  try {
    await Promise.race([send(), timeout]);
    return null;
  } catch (error) {
    return {
      reason: loggable(error),
      isPermanent: error instanceof DeliveryError && error.permanent,
    };
  } finally {
    cancel();
  }
}

/** What became of the messages of one kind since the start. */
export class Tally {
  #sent = 0;
  #failed = 0;
  #failure: { code: string; at: number } | null = null;
  readonly #now: () => number;

  /** @param now a monotonic clock, in milliseconds */
  constructor(now: () => number) {
    this.#now = now;
  }

  sent(): void {
    this.#sent++;
    this.#failure = null;
  }

  failedOnce({ reason }: Failure): void {
    this.#failure = { code: reason.code, at: this.#now() };
  }

  gaveUp(): void {
    this.#failed++;
  }

  /** Returns the state of a queue in which so many messages wait. */
  stateWith(waiting: number): QueueState {
    const failing = this.#failure && {
      code: this.#failure.code,
      secondsAgo: Math.round((this.#now() - this.#failure.at) / 1000),
    };
    return { waiting, sent: this.#sent, failed: this.#failed, failing };
  }
}
