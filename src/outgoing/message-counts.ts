import type { Failure } from './attempt.ts';
import type { QueueState } from './message-queue.ts';

/** Counts sent and failed messages of one kind since the start. */
export class MessageCounts {
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

  /** Notes that delivery fails; a refusal of one recipient does not show it. */
  attemptFailed({ reason, isOfRecipient }: Failure): void {
    if (isOfRecipient) return;
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
