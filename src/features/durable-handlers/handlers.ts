import { scheduleOnTimer } from '../../clock.ts';
import type { EventDelivery } from '../../events.ts';
import type { Logger } from '../../logger.ts';
import { attempt, backoffMs } from '../../outgoing/attempt.ts';
import { eventId } from '../../outgoing/event-id.ts';
import type { Job } from '../../outgoing/job.ts';
import type { JobStore } from '../../outgoing/job-store.ts';
import { Outcomes } from '../../outgoing/outcomes.ts';

type Handler = (event: never, delivery: EventDelivery) => unknown;

/** The content of a job's payload. The event is JSON, so that each attempt gets an object of its own. */
interface Content {
  handler: string;
  id: string;
  event: string;
}

interface Parts {
  store: JobStore;
  logger: Logger;
  /** How long a handler may take, in milliseconds; for tests. */
  timeoutMs?: number | undefined;
}

/** How long a handler may take before it is retried, in milliseconds: as long as a mail server. */
const usualTimeoutMs = 30_000;
/** After how many attempts an event is given up: about a day. Time in which no process has the handler does not count. */
const mostAttempts = 290;
/** The delay of an event whose handler was removed, in milliseconds. */
const unknownDelayMs = 60_000;

const validName = /^[a-z0-9][a-z0-9_-]{0,49}$/i;

/** Returns the queue of the handlers of a name. */
const queueOf = (name: string) => `event:${name}`;

/**
 * Durable handlers (CONTRACT §15.4). Before the act of an event is acknowledged, a job is stored for each name that has a
 * handler of it. A process that has the handler runs it at least once. Each name has a queue of its own.
 */
export class DurableHandlers {
  readonly #parts: Parts;
  /** The handlers of each name, by their event. */
  readonly #handlers = new Map<string, Map<string, Handler>>();
  readonly #outcomes = new Outcomes();

  constructor(parts: Parts) {
    this.#parts = parts;
    parts.store.handle('event', job => this.#run(job));
  }

  get counts() {
    return this.#outcomes.counts;
  }

  /**
   * Runs the handler after every such event, until the returned function is called. Jobs that are stored by then wait for a
   * process that has the handler.
   * @throws {TypeError} when the name is invalid, or has a handler of this event already
   */
  on(event: string, name: string, handler: Handler): () => void {
    if (typeof name !== 'string' || !validName.test(name)) {
      throw new TypeError(
        'The name of a durable handler must be 1 to 50 letters, digits, hyphens and underscores.',
      );
    }
    const handlers = this.#handlers.get(name) ?? this.#open(name);
    if (handlers.has(event)) {
      throw new TypeError(`There is a durable handler ${name} of ${event} already: choose another name.`);
    }
    handlers.set(event, handler);
    return () => handlers.delete(event);
  }

  #open(name: string): Map<string, Handler> {
    const handlers = new Map<string, Handler>();
    this.#handlers.set(name, handlers);
    this.#outcomes.open(name);
    this.#parts.store.openQueue(queueOf(name), {
      purposes: () => [...handlers.keys()],
      prepare: async () => handlers.size > 0,
    });
    return handlers;
  }

  /** Stores an event for each name that has a handler of it. @throws {GatehouseError} unavailable */
  record(event: string, content: object, act?: string): Promise<void> | undefined {
    const names = [...this.#handlers].filter(([, handlers]) => handlers.has(event)).map(([name]) => name);
    return names.length === 0
      ? undefined
      : this.#store(event, names, JSON.stringify(content), eventId('evt', event, act));
  }

  async #store(purpose: string, names: string[], event: string, id: string): Promise<void> {
    await Promise.all(
      names.map(handler => {
        const content: Content = { handler, id, event };
        const payload = { by: 'event', content, isLasting: true as const };
        const job = { kind: 'event' as const, purpose, recipient: handler, queue: queueOf(handler), payload };
        return this.#parts.store.add(job);
      }),
    );
  }

  async #run(job: Job): Promise<void> {
    const { store, logger, timeoutMs = usualTimeoutMs } = this.#parts;
    const { purpose: event, attempt: number } = job;
    const { handler: name, id, event: content } = job.payload.content as Content;
    const handler = this.#handlers.get(name)?.get(event);
    if (!handler) {
      // The handler was removed after the job was claimed.
      await store.release(job, unknownDelayMs, null);
      return;
    }
    let err: unknown;
    const run = async () => {
      try {
        await handler(JSON.parse(content) as never, { id, attempt: number });
      } catch (error) {
        err = error;
        throw error;
      }
    };
    const failure = await attempt(run, timeoutMs, scheduleOnTimer);
    const fields = { handler: name, event, attempt: number };
    if (!failure) {
      this.#outcomes.count(name, 'taken');
      logger.debug(fields, 'durable event handler done');
      await store.complete(job);
      return;
    }
    this.#outcomes.count(name, 'failed');
    const { code } = failure.reason;
    const told = { ...fields, code, ...(err !== undefined && { err }) };
    if (number >= mostAttempts) {
      this.#outcomes.count(name, 'dead');
      logger.error(told, 'a durable event handler failed, given up');
      await store.deadLetter(job, code);
      return;
    }
    logger.warn(told, 'a durable event handler failed, will be retried');
    await store.release(job, backoffMs(number), code);
  }
}
