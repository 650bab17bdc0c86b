import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../logger.ts';

/** How long the work waits after its answer: at least this, in milliseconds … */
const leastDelayMs = 25;
/** … and up to this much more. */
const spreadMs = 50;

/**
 * Work that goes on after the answer: where the answer must not tell whether an address is known, what only known ones
 * need is done here, so that neither content nor time differs.
 */
export class Background {
  readonly #running = new Set<Promise<void>>();
  readonly #logger: Logger;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** Begins the work soon; what fails in it stands in the log under the id of the request that asked for it. */
  run(name: string, requestId: string | undefined, work: () => Promise<void>): void {
    const done = this.#guarded(name, requestId, work).finally(() => this.#running.delete(done));
    this.#running.add(done);
  }

  /** Resolves when everything that was begun has ended. */
  async settle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  async #guarded(name: string, requestId: string | undefined, work: () => Promise<void>): Promise<void> {
    // Long enough for the answer to be gone, and not always the same, so that no later request tells either.
    await sleep(leastDelayMs + Math.random() * spreadMs);
    try {
      await work();
    } catch (err) {
      this.#logger.error({ request_id: requestId, task: name, err }, 'work after an answer failed');
    }
  }
}
