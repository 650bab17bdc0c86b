import type { Given, TestDelivery } from '../../feature.ts';
import { isPlainObject } from '../../plain-object.ts';

/** Returns what a delivery says of an event. The event's `url` is left out, because it contains a token. */
export function dataOf(event: object): object {
  const { url: _, ...data }: { url?: unknown } = event;
  return data;
}

/** Returns whether an endpoint gets this event: it names it, or names none. */
export const wants = (events: readonly unknown[], event: string) =>
  events.length === 0 || events.includes(event);

/** Returns what the webhooks of an unparsed configuration would get of an event, one delivery for each. */
export function deliversInTests({ webhooks }: Given, event: string, content: object): TestDelivery[] {
  const tables = isPlainObject(webhooks) ? Object.values(webhooks) : [];
  return tables.flatMap(table => {
    const events = isPlainObject(table) && 'events' in table ? table.events : [];
    return Array.isArray(events) && wants(events, event) ? [{ type: event, data: dataOf(content) }] : [];
  });
}
