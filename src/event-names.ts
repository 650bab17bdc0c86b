import { eventViews, storedEvents } from './contract/events.ts';

export type StoredEventName = keyof typeof storedEvents;
export type EventName = keyof typeof eventViews;

/** The names of the events that are delivered outside of the process, too: by webhooks and to durable handlers. */
export const storedEventNames = Object.keys(storedEvents) as StoredEventName[];

/** Events that are no longer emitted; a configuration may still name them (`webhooks.NAME.events`). */
export const retiredEventNames = ['account_restored'] as const;

/** The names of all events. */
export const eventNames = Object.keys(eventViews) as EventName[];
