import { v7 as uuidv7 } from 'uuid';
import { scheduleOnTimer } from '../clock.ts';
import type { Logger } from '../logger.ts';
import { attempt, pauseAfter } from './attempt.ts';
import type { Item } from './item.ts';
import { Outcomes } from './outcomes.ts';
import type { MessageStore } from './store.ts';

/** What a durable handler gets beside the event. */
export interface EventDelivery {
  /** The same in every try, so that a handler recognises what it has done. */
  id: string;
  /** How many tries were begun, this one included. */
  attempt: number;
}

type Handler = (event: never, delivery: EventDelivery) => unknown;

/** What a row of an event contains; the event is JSON, so that each try gets an object of its own. */
interface Stored {
  handler: string;
  id: string;
  event: string;
}

interface Parts {
  store: MessageStore;
  logger: Logger;
  /** How long a handler may take, in milliseconds; for tests. */
  timeoutMs?: number | undefined;
}

/** How long a handler may take before it is tried again, in milliseconds: as long as a mail server. */
const usualTimeoutMs = 30_000;
/** After how many tries an event is given up: about a day, as a mail is, however long no process had the handler. */
const mostTries = 290;
/** How long an event is left alone whose handler this process does not have, in milliseconds. */
const unknownPauseMs = 60_000;

const validName = /^[a-z0-9][a-z0-9_-]{0,49}$/i;

/** Returns the lane of the handlers of a name. */
const laneOf = (name: string) => `event:${name}`;

/**
 * Durable handlers (CONTRACT §15.4): an event is a row for each name before its act is acknowledged, and a process that has
 * the handler runs it from there, at least once. The handlers of a name have a lane of their own.
 */
export class DurableHandlers {
  readonly #parts: Parts;
  /** The handlers of each name, by their event. */
  readonly #handlers = new Map<string, Map<string, Handler>>();
  readonly #outcomes = new Outcomes();

  constructor(parts: Parts) {
    this.#parts = parts;
    parts.store.handle('event', item => this.#run(item));
  }

  get counts() {
    return this.#outcomes.counts;
  }

  /**
   * Runs the handler after every such event, until the returned function is called; what is stored until then waits for
   * the next process that has it.
   * @throws {TypeError} when the name is none, or has a handler of this event
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
    this.#parts.store.openLane(laneOf(name), {
      purposes: () => [...handlers.keys()],
      prepare: async () => handlers.size > 0,
    });
    return handlers;
  }

  /** Stores an event for each name that has a handler of it. @throws {GatehouseError} unavailable */
  record(event: string, content: object): Promise<void> | undefined {
    const names = [...this.#handlers].filter(([, handlers]) => handlers.has(event)).map(([name]) => name);
    return names.length === 0 ? undefined : this.#store(event, names, JSON.stringify(content));
  }

  async #store(purpose: string, names: string[], event: string): Promise<void> {
    const id = `evt_${uuidv7()}`;
    await Promise.all(
      names.map(handler => {
        const stored: Stored = { handler, id, event };
        const parcel = { by: 'event', content: stored, isLasting: true as const };
        const item = { kind: 'event' as const, purpose, recipient: handler, lane: laneOf(handler), parcel };
        return this.#parts.store.add(item);
      }),
    );
  }

  async #run(item: Item): Promise<void> {
    const { store, logger, timeoutMs = usualTimeoutMs } = this.#parts;
    const { purpose: event, attempt: tries } = item;
    const { handler: name, id, event: content } = item.parcel.content as Stored;
    const handler = this.#handlers.get(name)?.get(event);
    if (!handler) {
      // It was taken away since the row was leased.
      await store.giveBack(item, unknownPauseMs, null);
      return;
    }
    let err: unknown;
    const run = async () => {
      try {
        await handler(JSON.parse(content) as never, { id, attempt: tries });
      } catch (error) {
        err = error;
        throw error;
      }
    };
    const failure = await attempt(run, timeoutMs, scheduleOnTimer);
    const fields = { handler: name, event, attempt: tries };
    if (!failure) {
      this.#outcomes.count(name, 'taken');
      logger.debug(fields, 'durable event handler done');
      await store.finish(item);
      return;
    }
    this.#outcomes.count(name, 'failed');
    const { code } = failure.reason;
    const told = { ...fields, code, ...(err !== undefined && { err }) };
    if (tries >= mostTries) {
      this.#outcomes.count(name, 'dead');
      logger.error(told, 'a durable event handler failed, given up');
      await store.bury(item, code);
      return;
    }
    logger.warn(told, 'a durable event handler failed, will be retried');
    await store.giveBack(item, pauseAfter(tries), code);
  }
}
