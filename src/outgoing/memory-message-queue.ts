import { type Schedule, scheduleOnTimer, withinTime } from '../clock.ts';
import type { Logger } from '../logger.ts';
import { attempt, backoffMs, type Failure, usualTimeoutMs } from './attempt.ts';
import { loggable } from './delivery-error.ts';
import { MessageCounts } from './message-counts.ts';
import type { Delivery, EnqueueOptions, MessageQueue, QueueState } from './message-queue.ts';

interface Options<M> extends Delivery<M> {
  logger: Logger;
  /** How many messages may wait for an attempt; further ones are dropped. */
  maxWaiting?: number;
  concurrency?: number;
  sendTimeoutMs?: number;
  schedule?: Schedule;
  /** A monotonic clock, in milliseconds. */
  now?: () => number;
}

interface Queued<M> {
  purpose: string;
  message: M;
  attempt: number;
  /** When it was accepted and when it is given up, by the monotonic clock of the queue, in milliseconds. */
  startedAt: number;
  endsAt: number;
  /** Why the latest attempt failed. */
  reason: Failure['reason'];
}

/** How long a message is retried, unless its own lifetime is shorter, in milliseconds: longer than most outages. */
const longestLifetimeMs = 4 * 3_600_000;
/** How many undelivered messages are reported in parallel at shutdown. */
const reportsAtOnce = 20;

/**
 * A queue of emails or text messages in memory. The caller never waits for a server. A failure is a log record with the
 * purpose of the message, a part of the recipient and a code. A message is retried until it is given up. Waiting messages
 * are lost when the process is killed.
 */
export class MemoryMessageQueue<M> implements MessageQueue<M> {
  readonly #noun: string;
  readonly #deliver: Delivery<M>['send'];
  readonly #describe: (message: M) => object;
  readonly #logger: Logger;
  readonly #onUndelivered: (message: M) => Promise<void>;
  readonly #maxWaiting: number;
  readonly #concurrency: number;
  readonly #sendTimeoutMs: number;
  readonly #schedule: Schedule;
  readonly #now: () => number;

  readonly #ready: Queued<M>[] = [];
  /** Messages that wait for a retry, with the function that cancels the wait. */
  readonly #delayed = new Map<Queued<M>, () => void>();
  readonly #sending = new Set<Queued<M>>();
  /** Messages given up during the drain. They are reported at its end. */
  readonly #undelivered: Queued<M>[] = [];
  readonly #reports = new Set<Promise<boolean>>();
  #draining = false;
  readonly #counts: MessageCounts;
  #whenEmpty: (() => void)[] = [];
  #whenIdle: (() => void)[] = [];

  constructor(options: Options<M>) {
    this.#noun = options.noun;
    this.#deliver = options.send;
    this.#describe = options.describe;
    this.#logger = options.logger;
    this.#onUndelivered = options.onUndelivered ?? (async () => {});
    this.#maxWaiting = options.maxWaiting ?? 1000;
    this.#concurrency = options.concurrency ?? 4;
    this.#sendTimeoutMs = options.sendTimeoutMs ?? usualTimeoutMs;
    this.#schedule = options.schedule ?? scheduleOnTimer;
    this.#now = options.now ?? (() => performance.now());
    this.#counts = new MessageCounts(this.#now);
  }

  /** How many messages are neither delivered nor given up, including those being sent. */
  get size(): number {
    return this.#ready.length + this.#delayed.size + this.#sending.size;
  }

  get state(): QueueState {
    return this.#counts.stateWith(this.size);
  }

  /** Accepts a message at once. Never throws: a message that cannot be accepted is logged and reported as undelivered. */
  async enqueue(
    purpose: string,
    message: M,
    { lifetimeMs = longestLifetimeMs }: EnqueueOptions = {},
  ): Promise<void> {
    const code = this.#draining ? 'closed' : this.#isFull ? 'full' : undefined;
    if (code) {
      this.#counts.gaveUp();
      this.#logger.error({ kind: purpose, code, ...this.#describe(message) }, `${this.#noun} dropped`);
      this.#reportUndelivered({ purpose, message });
      return;
    }
    const startedAt = this.#now();
    const endsAt = startedAt + Math.min(lifetimeMs, longestLifetimeMs);
    this.#ready.push({ purpose, message, attempt: 0, startedAt, endsAt, reason: { code: 'expired' } });
    this.#sendNext();
  }

  /**
   * Graceful shutdown: accepts no further messages, makes one last attempt for every delayed message at once, and waits up
   * to `timeoutMs` for all of them. `undelivered` counts those that failed meanwhile or are unfinished at the end. They have
   * been reported as undelivered when the promise resolves.
   */
  async drain(timeoutMs: number): Promise<{ undelivered: number }> {
    this.#draining = true;
    for (const [queued, cancel] of this.#delayed) {
      cancel();
      this.#ready.push(queued);
    }
    this.#delayed.clear();
    this.#sendNext();
    const empty = () => new Promise<void>(resolve => this.#whenEmpty.push(resolve));
    if (this.size > 0) await withinTime(this.#schedule, timeoutMs, empty, () => {});
    const undelivered = [...this.#undelivered.splice(0), ...this.#ready.splice(0), ...this.#sending];
    // A message that is being sent may still arrive. Its result is ignored.
    this.#sending.clear();
    for (let i = 0; i < undelivered.length; i += reportsAtOnce) {
      const some = undelivered.slice(i, i + reportsAtOnce);
      const reported = await Promise.all(some.map(queued => this.#reportUndelivered(queued)));
      // Stop at the first failure: the database is probably unavailable for the others, too.
      if (reported.includes(false)) break;
    }
    await Promise.all(this.#reports);
    return { undelivered: undelivered.length };
  }

  /** Resolves when nothing is being sent and nothing could be sent now. Messages that wait for a retry stay. */
  async settled(): Promise<void> {
    if (this.#sending.size > 0) await new Promise<void>(resolve => this.#whenIdle.push(resolve));
  }

  get #isFull(): boolean {
    return this.#ready.length + this.#delayed.size >= this.#maxWaiting;
  }

  #sendNext(): void {
    while (this.#sending.size < this.#concurrency) {
      const queued = this.#ready.shift();
      if (!queued) break;
      this.#sending.add(queued);
      this.#try(queued)
        .catch(() => {}) // Only a logger can throw here. It must not end the process.
        .finally(() => {
          this.#sending.delete(queued);
          this.#sendNext();
        });
    }
    if (this.#sending.size === 0) for (const resolve of this.#whenIdle.splice(0)) resolve();
    if (this.size === 0) for (const resolve of this.#whenEmpty.splice(0)) resolve();
  }

  async #try(queued: Queued<M>): Promise<void> {
    if (this.#now() >= queued.endsAt) return this.#giveUp(queued);
    queued.attempt++;
    const send = () => this.#deliver(queued.message, this.#now() - queued.startedAt);
    const failure = await attempt(send, this.#sendTimeoutMs, this.#schedule);
    if (failure) {
      queued.reason = failure.reason;
      this.#counts.attemptFailed(failure);
      if (this.#draining || failure.isPermanent || this.#now() >= queued.endsAt) return this.#giveUp(queued);
      this.#delay(queued);
      this.#logger.warn(this.#fieldsOf(queued), `${this.#noun} not sent, will be retried`);
      return;
    }
    this.#counts.sent();
    const { purpose, attempt: number, message } = queued;
    this.#logger.debug({ kind: purpose, attempt: number, ...this.#describe(message) }, `${this.#noun} sent`);
  }

  #giveUp(queued: Queued<M>): void {
    // When the drain ended before the attempt, the message was reported there.
    if (!this.#sending.has(queued)) return;
    this.#counts.gaveUp();
    if (this.#draining) this.#undelivered.push(queued);
    else this.#reportUndelivered(queued);
    this.#logger.error(this.#fieldsOf(queued), `${this.#noun} not sent, given up`);
  }

  /** Reports an undelivered message (`onUndelivered`). Returns false when that failed. */
  #reportUndelivered({ purpose, message }: Pick<Queued<M>, 'purpose' | 'message'>): Promise<boolean> {
    const report = this.#onUndelivered(message)
      .then(() => true)
      .catch(error => {
        this.#logger.warn(
          { kind: purpose, ...loggable(error) },
          `an undelivered ${this.#noun} still counts towards the cap`,
        );
        return false;
      })
      .catch(() => false) // A logger that throws, as above.
      .finally(() => this.#reports.delete(report));
    this.#reports.add(report);
    return report;
  }

  #fieldsOf({ purpose, attempt, message, reason }: Queued<M>): object {
    return { kind: purpose, attempt, ...this.#describe(message), ...reason };
  }

  #delay(queued: Queued<M>): void {
    const ms = Math.min(backoffMs(queued.attempt), queued.endsAt - this.#now());
    const cancel = this.#schedule(ms, () => {
      this.#delayed.delete(queued);
      this.#ready.push(queued);
      this.#sendNext();
    });
    this.#delayed.set(queued, cancel);
  }
}
