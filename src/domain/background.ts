import { setTimeout as sleep } from 'node:timers/promises';
import { storageReason } from '../errors.ts';
import type { Logger } from '../logger.ts';
import { LateAnswer, storageErrorOf } from '../storage/errors.ts';

/** The shortest delay before background work starts, in milliseconds. */
const leastDelayMs = 25;
/** The largest random addition to that delay, in milliseconds. */
const spreadMs = 50;

/** How much of the work that waits for its time runs at once when the instance is closed: the database has few connections. */
const mostAtOnce = 10;

/** When work is done again that undoes what a failed request may have stored, in milliseconds. */
const undoneAgainMs = [5_000, 60_000];

/** Long enough for the response to be sent first; random, so that the timing of a later request reveals nothing either. */
const responseFirst = () => leastDelayMs + Math.random() * spreadMs;

/**
 * Work that runs after the response. Work that only known addresses need runs here, so that neither the content nor the
 * time of a response reveals whether an account exists (account enumeration, timing attack).
 */
export class Background {
  readonly #running = new Set<Promise<unknown>>();
  /** The part of it that does not wait for a time. */
  readonly #due = new Set<Promise<void>>();
  /** Ends the waiting of delayed work. */
  readonly #ending = new AbortController();
  /** Lanes of work that a drain has woken. Each is true until the database was late. */
  readonly #lanes = Array.from({ length: mostAtOnce }, () => Promise.resolve(true));
  #woken = 0;
  /** How much of it was not done. */
  #leftOut = 0;
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
    const attempt = () => this.#attempt(name, undefined, work);
    const done = sleep(delayMs, undefined, { ref: false, signal })
      .then(attempt, () => this.#inLane(attempt))
      .finally(() => this.#running.delete(done));
    this.#running.add(done);
  }

  /**
   * Undoes what a request may have stored that fails with this error. A request does not wait a second time for a database that
   * is away: the work is done after the response, and again later, because such a database may still be away, or carry out a
   * statement long after the request has given up.
   */
  async undo(
    name: string,
    requestId: string | undefined,
    error: unknown,
    work: () => Promise<void>,
  ): Promise<void> {
    if (storageReason(error) === null && (await succeeds(work))) return;
    this.run(name, requestId, work);
    for (const delayMs of undoneAgainMs) this.runLater(name, delayMs, work);
  }

  /** Resolves when all work that was started has ended, except for what was to start later. */
  async settled(): Promise<void> {
    while (this.#due.size > 0) await Promise.all(this.#due);
  }

  /** Resolves when all work that was started has ended; what was to start later starts now, a few at once. */
  async drain(): Promise<void> {
    this.#ending.abort();
    while (this.#running.size > 0) await Promise.all(this.#running);
    if (this.#leftOut > 0)
      this.#logger.warn(
        { left_out: this.#leftOut },
        'work that waited was left out, as the database is late',
      );
    this.#leftOut = 0;
  }

  async #guarded(name: string, requestId: string | undefined, work: () => Promise<void>): Promise<void> {
    await sleep(this.#delayMs());
    await this.#attempt(name, requestId, work);
  }

  /**
   * Runs work after that of its lane. Behind a late answer of the database the work of a lane is left out: each would take its
   * whole deadline.
   */
  #inLane(attempt: () => Promise<boolean>): Promise<boolean> {
    const lane = this.#woken++ % mostAtOnce;
    const done = this.#lanes[lane]!.then(goesOn => {
      if (!goesOn) this.#leftOut++;
      return goesOn && attempt();
    });
    this.#lanes[lane] = done;
    return done;
  }

  /** Returns whether the database, if the work asks it, answers in time. */
  async #attempt(name: string, requestId: string | undefined, work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (err) {
      this.#logger.error({ request_id: requestId, task: name, err }, 'work after a response failed');
      return !(storageErrorOf(err) instanceof LateAnswer);
    }
  }
}

/** Does work of which a failure is dealt with elsewhere. */
const succeeds = (work: () => Promise<void>): Promise<boolean> =>
  work().then(
    () => true,
    () => false,
  );
