import { type Schedule, scheduleOnTimer } from '../clock.ts';
import type { Logger } from '../logger.ts';
import {
  attempt,
  type Delivery,
  type EnqueueOptions,
  type Failure,
  type MessageQueue,
  pauseAfter,
  type QueueState,
  Tally,
} from './attempt.ts';
import { loggable } from './delivery-error.ts';

interface OutgoingQueueOptions<M> extends Delivery<M> {
  logger: Logger;
  /** How many messages may wait, for their first try or a retry; further ones are dropped. */
  maxWaiting?: number;
  concurrency?: number;
  sendTimeoutMs?: number;
  schedule?: Schedule;
  /** A monotonic clock, in milliseconds. */
  now?: () => number;
}

interface Job<M> {
  kind: string;
  message: M;
  attempt: number;
  /** When it was accepted, and when it is given up, by the monotonic clock of the queue, in milliseconds. */
  startedAt: number;
  endsAt: number;
  /** Why the latest try failed. */
  reason: Failure['reason'];
}

/** How long a message is retried, unless its own lifetime is shorter, in milliseconds: longer than most outages. */
const longestLifetimeMs = 4 * 3_600_000;
/** How many undelivered messages are handed back in parallel at shutdown. */
const reportsAtOnce = 20;

/**
 * Outgoing emails or text messages, in memory: the caller never waits for a server, and a failure is a log record with
 * the kind of message, a part of the recipient and a code. A message is retried until it is given up. Waiting messages
 * are lost when the process is killed.
 */
export class OutgoingQueue<M> implements MessageQueue<M> {
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

  readonly #ready: Job<M>[] = [];
  /** Messages between two tries, with the function that cancels the wait. */
  readonly #delayed = new Map<Job<M>, () => void>();
  readonly #sending = new Set<Job<M>>();
  /** Messages given up while draining, and at its end those that are undelivered. */
  readonly #undelivered: Job<M>[] = [];
  readonly #reports = new Set<Promise<boolean>>();
  #draining = false;
  readonly #tally: Tally;
  #whenEmpty: (() => void)[] = [];
  #whenIdle: (() => void)[] = [];

  constructor(options: OutgoingQueueOptions<M>) {
    this.#noun = options.noun;
    this.#deliver = options.send;
    this.#describe = options.describe;
    this.#logger = options.logger;
    this.#onUndelivered = options.onUndelivered ?? (async () => {});
    this.#maxWaiting = options.maxWaiting ?? 1000;
    this.#concurrency = options.concurrency ?? 4;
    this.#sendTimeoutMs = options.sendTimeoutMs ?? 30_000;
    this.#schedule = options.schedule ?? scheduleOnTimer;
    this.#now = options.now ?? (() => performance.now());
    this.#tally = new Tally(this.#now);
  }

  /** How many messages are neither delivered nor given up, including those being sent. */
  get size(): number {
    return this.#ready.length + this.#delayed.size + this.#sending.size;
  }

  get state(): QueueState {
    return this.#tally.stateWith(this.size);
  }

  /**
   * Accepts a message and returns at once; `kind` (`verification`) identifies it in the log. It is given up after
   * `lifetimeMs`, when it is of no use any more. Never throws.
   */
  async enqueue(
    kind: string,
    message: M,
    { lifetimeMs = longestLifetimeMs }: EnqueueOptions = {},
  ): Promise<void> {
    const code = this.#draining ? 'closed' : this.#isFull ? 'full' : undefined;
    if (code) {
      this.#tally.gaveUp();
      this.#logger.error({ kind, code, ...this.#describe(message) }, `${this.#noun} dropped`);
      this.#reportUndelivered({ kind, message });
      return;
    }
    const startedAt = this.#now();
    const endsAt = startedAt + Math.min(lifetimeMs, longestLifetimeMs);
    this.#ready.push({ kind, message, attempt: 0, startedAt, endsAt, reason: { code: 'expired' } });
    this.#sendNext();
  }

  /**
   * Graceful shutdown: accepts no further messages, gives every delayed message one last try at once, and waits up to
   * `timeoutMs` for all of them. `undelivered` counts those that failed meanwhile or are unfinished at the end. They have
   * been handed back when the promise resolves.
   */
  async drain(timeoutMs: number): Promise<{ undelivered: number }> {
    this.#draining = true;
    for (const [job, cancel] of this.#delayed) {
      cancel();
      this.#ready.push(job);
    }
    this.#delayed.clear();
    this.#sendNext();
    if (this.size > 0) {
      await new Promise<void>(resolve => {
        const cancel = this.#schedule(timeoutMs, resolve);
        this.#whenEmpty.push(() => {
          cancel();
          resolve();
        });
      });
    }
    const undelivered = [...this.#undelivered.splice(0), ...this.#ready.splice(0), ...this.#sending];
    // A message that is being sent may still arrive; its result is not reported any more.
    this.#sending.clear();
    for (let i = 0; i < undelivered.length; i += reportsAtOnce) {
      const some = undelivered.slice(i, i + reportsAtOnce);
      const handedBack = await Promise.all(some.map(job => this.#reportUndelivered(job)));
      // Stop at the first failure: do not wait for an unavailable database again and again.
      if (handedBack.includes(false)) break;
    }
    await Promise.all(this.#reports);
    return { undelivered: undelivered.length };
  }

  /** Resolves when nothing is being sent and nothing could be sent now; what waits for another try stays. */
  async settled(): Promise<void> {
    if (this.#sending.size > 0) await new Promise<void>(resolve => this.#whenIdle.push(resolve));
  }

  get #isFull(): boolean {
    return this.#ready.length + this.#delayed.size >= this.#maxWaiting;
  }

  #sendNext(): void {
    while (this.#sending.size < this.#concurrency) {
      const job = this.#ready.shift();
      if (!job) break;
      this.#sending.add(job);
      this.#try(job)
        .catch(() => {}) // Only a logger that throws is caught here; it must not end the process.
        .finally(() => {
          this.#sending.delete(job);
          this.#sendNext();
        });
    }
    if (this.#sending.size === 0) for (const resolve of this.#whenIdle.splice(0)) resolve();
    if (this.size === 0) for (const resolve of this.#whenEmpty.splice(0)) resolve();
  }

  async #try(job: Job<M>): Promise<void> {
    if (this.#now() >= job.endsAt) return this.#giveUp(job);
    job.attempt++;
    const send = () => this.#deliver(job.message, this.#now() - job.startedAt);
    const failure = await attempt(send, this.#sendTimeoutMs, this.#schedule);
    if (failure) {
      job.reason = failure.reason;
      this.#tally.failedOnce(failure);
      if (this.#draining || failure.isPermanent || this.#now() >= job.endsAt) return this.#giveUp(job);
      this.#delay(job);
      this.#logger.warn(this.#fieldsOf(job), `${this.#noun} not sent, will be retried`);
      return;
    }
    this.#tally.sent();
    const { kind, attempt: tries } = job;
    this.#logger.debug({ kind, attempt: tries, ...this.#describe(job.message) }, `${this.#noun} sent`);
  }

  #giveUp(job: Job<M>): void {
    // The drain ended while it was being sent: it was counted there.
    if (!this.#sending.has(job)) return;
    this.#tally.gaveUp();
    if (this.#draining) this.#undelivered.push(job);
    else this.#reportUndelivered(job);
    this.#logger.error(this.#fieldsOf(job), `${this.#noun} not sent, given up`);
  }

  /** Reports that the message was not delivered (`onUndelivered`). Returns false when that failed. */
  #reportUndelivered({ kind, message }: Pick<Job<M>, 'kind' | 'message'>): Promise<boolean> {
    const report = this.#onUndelivered(message)
      .then(() => true)
      .catch(error => {
        this.#logger.warn(
          { kind, ...loggable(error) },
          `an undelivered ${this.#noun} still counts towards the cap`,
        );
        return false;
      })
      .catch(() => false) // A logger that throws, as above.
      .finally(() => this.#reports.delete(report));
    this.#reports.add(report);
    return report;
  }

  #fieldsOf({ kind, attempt, message, reason }: Job<M>): object {
    return { kind, attempt, ...this.#describe(message), ...reason };
  }

  #delay(job: Job<M>): void {
    const ms = Math.min(pauseAfter(job.attempt), job.endsAt - this.#now());
    const cancel = this.#schedule(ms, () => {
      this.#delayed.delete(job);
      this.#ready.push(job);
      this.#sendNext();
    });
    this.#delayed.set(job, cancel);
  }
}
