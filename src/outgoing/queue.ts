import type { Logger } from '../logger.ts';
import { DeliveryError, loggable } from './delivery-error.ts';

/** Calls `run` after `ms`, unless the answered function cancels it first. */
export type Schedule = (ms: number, run: () => void) => () => void;

interface OutgoingQueueOptions<M> {
  /** What this queue carries, for the log: `mail`. */
  noun: string;
  send: (message: M) => Promise<void>;
  /** What the log may say of a recipient: a part that names nobody. */
  describe: (message: M) => object;
  logger: Logger;
  /** Messages that may wait, for their first try or another; further ones are dropped. */
  maxWaiting?: number;
  concurrency?: number;
  /** Tries for each message. The waits between them are 4, 8, 16 and 32 seconds, each give or take a half. */
  tries?: number;
  sendTimeoutMs?: number;
  schedule?: Schedule;
}

interface Job<M> {
  kind: string;
  message: M;
  attempt: number;
}

/** How a queue has fared since it was made. */
export interface QueueState {
  /** Neither delivered nor given up, those being sent included. */
  waiting: number;
  sent: number;
  /** Given up, or dropped as too many waited. */
  failed: number;
  /** Why the latest try failed, and how long ago; null when it succeeded. */
  failing: { code: string; secondsAgo: number } | null;
}

const firstDelayMs = 4000;

const scheduleOnTimer: Schedule = (ms, run) => {
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
};

/**
 * Mails or text messages on their way out, in memory: the caller never waits for a server, and a failure is a log
 * record that holds the kind of message, a part of the recipient and a code. What waits is lost when the process is
 * killed.
 */
export class OutgoingQueue<M> {
  readonly #noun: string;
  readonly #deliver: (message: M) => Promise<void>;
  readonly #describe: (message: M) => object;
  readonly #logger: Logger;
  readonly #maxWaiting: number;
  readonly #concurrency: number;
  readonly #tries: number;
  readonly #sendTimeoutMs: number;
  readonly #schedule: Schedule;

  readonly #ready: Job<M>[] = [];
  /** Messages between two tries, with what cancels the wait. */
  readonly #delayed = new Map<Job<M>, () => void>();
  #sending = 0;
  #draining = false;
  #failedWhileDraining = 0;
  #sent = 0;
  #failed = 0;
  #failure: { code: string; at: number } | null = null;
  #whenEmpty: (() => void)[] = [];

  constructor(options: OutgoingQueueOptions<M>) {
    this.#noun = options.noun;
    this.#deliver = options.send;
    this.#describe = options.describe;
    this.#logger = options.logger;
    this.#maxWaiting = options.maxWaiting ?? 1000;
    this.#concurrency = options.concurrency ?? 4;
    this.#tries = options.tries ?? 5;
    this.#sendTimeoutMs = options.sendTimeoutMs ?? 30_000;
    this.#schedule = options.schedule ?? scheduleOnTimer;
  }

  /** Messages neither delivered nor given up, those being sent included. */
  get size(): number {
    return this.#ready.length + this.#delayed.size + this.#sending;
  }

  get state(): QueueState {
    const failing = this.#failure && {
      code: this.#failure.code,
      secondsAgo: Math.round((performance.now() - this.#failure.at) / 1000),
    };
    return { waiting: this.size, sent: this.#sent, failed: this.#failed, failing };
  }

  /** Takes a message over and returns at once; `kind` (`verification`) stands for it in the log. Never throws. */
  enqueue(kind: string, message: M): void {
    const code = this.#draining ? 'closed' : this.#isFull ? 'full' : undefined;
    if (code) {
      this.#failed++;
      this.#logger.error({ kind, code, ...this.#describe(message) }, `${this.#noun} dropped`);
      return;
    }
    this.#ready.push({ kind, message, attempt: 0 });
    this.#sendNext();
  }

  /**
   * Accepts nothing from now on, gives every message that waits for another try its last one at once, and waits up to
   * `timeoutMs` for all of them; `undelivered` counts those that failed meanwhile or are unfinished at the end.
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
    const undelivered = this.#failedWhileDraining + this.size;
    this.#ready.length = 0;
    return { undelivered };
  }

  get #isFull(): boolean {
    return this.#ready.length + this.#delayed.size >= this.#maxWaiting;
  }

  #sendNext(): void {
    while (this.#sending < this.#concurrency) {
      const job = this.#ready.shift();
      if (!job) break;
      this.#sending++;
      this.#try(job)
        .catch(() => {}) // Only a logger that throws ends here, and it must not end the process.
        .finally(() => {
          this.#sending--;
          this.#sendNext();
        });
    }
    if (this.size === 0) for (const resolve of this.#whenEmpty.splice(0)) resolve();
  }

  async #try(job: Job<M>): Promise<void> {
    job.attempt++;
    const { kind, attempt } = job;
    try {
      await this.#send(job.message);
    } catch (error) {
      const again =
        !this.#draining && attempt < this.#tries && !(error instanceof DeliveryError && error.permanent);
      if (!again) this.#failed++;
      if (again) this.#delay(job);
      else if (this.#draining) this.#failedWhileDraining++;
      const reason = loggable(error);
      this.#failure = { code: reason.code, at: performance.now() };
      const fields = { kind, attempt, ...this.#describe(job.message), ...reason };
      if (again) this.#logger.warn(fields, `${this.#noun} not sent, will try again`);
      else this.#logger.error(fields, `${this.#noun} not sent, given up`);
      return;
    }
    this.#sent++;
    this.#failure = null;
    this.#logger.debug({ kind, attempt, ...this.#describe(job.message) }, `${this.#noun} sent`);
  }

  async #send(message: M): Promise<void> {
    let cancel = () => {};
    const timeout = new Promise<never>((_, reject) => {
      const late = () =>
        reject(new DeliveryError('the sender did not finish in time', { code: 'ETIMEDOUT' }));
      cancel = this.#schedule(this.#sendTimeoutMs, late);
    });
    try {
      await Promise.race([this.#deliver(message), timeout]);
    } finally {
      cancel();
    }
  }

  #delay(job: Job<M>): void {
    // Jitter: messages that failed together must not all come back together.
    const ms = firstDelayMs * 2 ** (job.attempt - 1) * (0.5 + Math.random());
    const cancel = this.#schedule(ms, () => {
      this.#delayed.delete(job);
      this.#ready.push(job);
      this.#sendNext();
    });
    this.#delayed.set(job, cancel);
  }
}
