import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../logger.ts';

/** The shortest delay before background work starts, in milliseconds. */
const leastDelayMs = 25;
/** The largest random addition to that delay, in milliseconds. */
const spreadMs = 50;

/** Long enough for the response to be sent first; random, so that the timing of a later request reveals nothing either. */
const responseFirst = () => leastDelayMs + Math.random() * spreadMs;

/**
 * Work that runs after the response. Work that only known addresses need runs here, so that neither the content nor the
 * time of a response reveals whether an account exists (account enumeration, timing attack).
 */
export class Background {
  readonly #running = new Set<Promise<void>>();
  /** The part of it that does not wait for a time. */
  readonly #due = new Set<Promise<void>>();
  /** Ends the waiting of delayed work. */
  readonly #ending = new AbortController();
  readonly #logger: Logger;

  readonly #delayMs: () => number;

  /** @param delayMs how long work waits for the response to leave, in milliseconds */
  constructor(logger: Logger, delayMs: () => number = responseFirst) {
    this.#logger = logger;
    this.#delayMs = delayMs;
  }

  /** Starts the work after a short delay. A failure is logged with the id of the request that started it. */
  run(name: string, requestId: string | undefined, work: () => Promise<void>): void {
    const done = this.#guarded(name, requestId, work).finally(() => {
      this.#running.delete(done);
      this.#due.delete(done);
    });
    this.#running.add(done);
    this.#due.add(done);
  }

  /** Starts the work after this time, in milliseconds, or when the instance is closed if that is sooner. */
  runLater(name: string, delayMs: number, work: () => Promise<void>): void {
    const { signal } = this.#ending;
    const waited = sleep(delayMs, undefined, { ref: false, signal }).catch(() => {});
    const done = waited
      .then(() => this.#attempt(name, undefined, work))
      .finally(() => this.#running.delete(done));
    this.#running.add(done);
  }

  /** Resolves when all work that was started has ended, except for what was to start later. */
  async settled(): Promise<void> {
    while (this.#due.size > 0) await Promise.all(this.#due);
  }

  /** Resolves when all work that was started has ended; what was to start later starts now. */
  async drain(): Promise<void> {
    this.#ending.abort();
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  async #guarded(name: string, requestId: string | undefined, work: () => Promise<void>): Promise<void> {
    await sleep(this.#delayMs());
    await this.#attempt(name, requestId, work);
  }

  async #attempt(name: string, requestId: string | undefined, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (err) {
      this.#logger.error({ request_id: requestId, task: name, err }, 'work after a response failed');
    }
  }
}
