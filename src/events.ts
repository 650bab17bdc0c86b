import type { z } from 'zod';
import { eventViews } from './contract/events.ts';
import { disownable as disownableActs } from './contract/views/events.ts';
import { type EventName, eventNames, type StoredEventName } from './event-names.ts';
import { type InNode, inNode } from './in-node.ts';
import type { Logger } from './logger.ts';

export type { SignInMethod } from './contract/events.ts';

/** Who made a change: the user, a superuser, an operator at the command line, or the host by the server API. */
export type By = WireEvents['user_deleted']['by'];

/** The acts whose emails have a link "this was not me" (CONTRACT §12.4). */
export const disownable = disownableActs.options;
export type Disownable = (typeof disownable)[number];

/** The events as they are emitted, stored and sent to webhooks. */
export type WireEvents = { [E in EventName]: z.infer<(typeof eventViews)[E]> };

/** The events that a host can listen to, each with its one argument. They are emitted after the change is stored. */
export type Events = { [E in EventName]: InNode<(typeof eventViews)[E]> };

/** One act that is relevant to security, as the event tells it. */
export type AuditEvent = Events['audit'];

/** Returns an event as a handler gets it. */
export const eventInNode = <E extends EventName>(name: E, event: WireEvents[E]): Events[E] =>
  inNode(eventViews[name], event) as Events[E];

export type Handler<E extends EventName> = (event: Events[E]) => unknown;

/** The second argument of a handler of stored events. */
export interface EventDelivery {
  /** The same in every attempt, so that a handler can recognise an event that it has handled. */
  id: string;
  /** The number of this attempt, from 1. */
  attempt: number;
}

/** As `Handler`, of events that were stored; the delivery tells one try from another. */
export type StoredHandler<E extends EventName> = (event: Events[E], delivery: EventDelivery) => unknown;

/** Stores events that are delivered later, before the act is acknowledged. */
export type Recorder = <E extends StoredEventName>(
  name: E,
  event: WireEvents[E],
  act?: string,
) => Promise<void> | undefined;

/** After how long a handler that has not returned is logged, in milliseconds. */
const slowHandlerMs = 10_000;

/** Passes events to the host's handlers. A handler that throws or never returns affects nothing else. */
export class EventHub {
  readonly #handlers = new Map<EventName, Set<Handler<never>>>();
  readonly #recorders: Recorder[] = [];
  readonly #logger: Logger;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /**
   * Calls the handler at every such event from now on, until the returned function is called.
   * @throws {TypeError} when there is no such event
   */
  on<E extends EventName>(name: E, handler: Handler<E>): () => void {
    assertEvent(name, eventNames);
    const handlers = this.#handlers.get(name) ?? new Set();
    this.#handlers.set(name, handlers);
    handlers.add(handler);
    return () => handlers.delete(handler);
  }

  /** Has events stored, too; nothing is awaited while no store is open. */
  recordWith(recorder: Recorder): void {
    this.#recorders.push(recorder);
  }

  /**
   * Starts every handler and waits for none. Returns what is to be awaited before the act is acknowledged: that the event
   * is stored for those who get it later (CONTRACT §12.2 and §15.4), so that no end of the process loses it.
   * @param act identifies an act that may be done again after a stop: its event keeps its id then
   * @throws {GatehouseError} unavailable, when it cannot be stored
   */
  emit<E extends EventName>(name: E, event: WireEvents[E], act?: string): Promise<void> | undefined {
    for (const handler of this.#handlers.get(name) ?? []) {
      // An object of its own for each handler: its changes must not reach the response or another handler.
      void this.#call(name, handler as Handler<E>, eventInNode(name, event));
    }
    if (name === 'audit' || this.#recorders.length === 0) return undefined;
    return this.#record(name, event as WireEvents[StoredEventName], act);
  }

  async #record(name: StoredEventName, event: WireEvents[StoredEventName], act?: string): Promise<void> {
    await Promise.all(this.#recorders.map(record => record(name, event, act)));
  }

  async #call<E extends EventName>(name: E, handler: Handler<E>, event: Events[E]): Promise<void> {
    const warnLate = () =>
      this.#logger.warn({ event: name }, `an event handler takes longer than ${slowHandlerMs} ms`);
    const timer = setTimeout(warnLate, slowHandlerMs).unref();
    try {
      await handler(event);
    } catch (err) {
      this.#logger.error({ event: name, err }, 'an event handler failed');
    } finally {
      clearTimeout(timer);
    }
  }
}

/** @throws {TypeError} when it is none of these events */
export function assertEvent(name: string, known: readonly string[]): void {
  if (!known.includes(name)) {
    throw new TypeError(`${name} is none of these events: ${known.join(', ')}.`);
  }
}
