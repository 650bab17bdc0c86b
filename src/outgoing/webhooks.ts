import { v7 as uuidv7 } from 'uuid';
import type { Clock } from '../clock.ts';
import type { Logger } from '../logger.ts';
import type { OutboxRows } from '../storage/repositories/outbox.ts';
import type { WebhookEndpointRows } from '../storage/repositories/webhook-endpoints.ts';
import type { Item } from './item.ts';
import { Outcomes } from './outcomes.ts';
import type { MessageStore } from './store.ts';
import { NotTaken, send } from './webhook-request.ts';
import { sign } from './webhook-signature.ts';
import { WebhookStates } from './webhook-states.ts';

/** A `[webhooks.NAME]` table. */
export interface Endpoint {
  name: string;
  url: string;
  /** Whether it gets this event. */
  wants(event: string): boolean;
  /** The secrets that sign, as they are written; the first is the present one. */
  secrets: readonly string[];
}

/** What a row of a webhook contains. */
interface Stored {
  endpoint: string;
  /** The same in every try, so that a receiver recognises what it has. */
  id: string;
  body: string;
}

/** How a test delivery ended. */
export interface TestResult {
  /** Whether the endpoint has taken it. */
  isTaken: boolean;
  /** What was wrong, in one line; null if nothing was. */
  problem: string | null;
  milliseconds: number;
}

interface Parts {
  endpoints: readonly Endpoint[];
  store: MessageStore;
  rows: { outbox: OutboxRows; webhook_endpoints: WebhookEndpointRows };
  clock: Clock;
  logger: Logger;
  userAgent: string;
  /** How long an endpoint may take to answer, and to take anything, in milliseconds; for tests. */
  timeoutMs?: number | undefined;
  patienceMs?: number | undefined;
}

const [second, minute, hour] = [1000, 60_000, 3_600_000];
/** The waits between tries, in milliseconds (CONTRACT §12.2); after the last of them a delivery is given up. */
const pauses = [5 * second, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 10 * hour];
/** How far a wait differs from its number at most. */
const jitter = 0.2;

const isOffText = 'the webhook is switched off';
const nameOfTest = 'webhook_test';

/** Returns the lane of an endpoint. */
const laneOf = (name: string) => `webhook:${name}`;

export type Webhooks = ReturnType<typeof createWebhooks>;

/**
 * Webhooks (CONTRACT §12.2, Standard Webhooks): every event is a row for each endpoint that wants it before its act is
 * acknowledged, and is delivered from there. An endpoint has a lane of its own, so that a silent one holds up no other.
 */
export function createWebhooks({ endpoints, store, rows, clock, logger, ...parts }: Parts) {
  const byName = new Map(endpoints.map(endpoint => [endpoint.name, endpoint]));
  const states = new WebhookStates({
    ...{ rows: rows.webhook_endpoints, logger, now: store.now, patienceMs: parts.patienceMs },
  });
  const outcomes = new Outcomes();

  /** Returns the body of a delivery. What of the event is a link with a token stays here; its page is told without. */
  function bodyOf(type: string, { url: _, ...data }: { url?: string }): string {
    return JSON.stringify({ type, timestamp: clock.now().toISOString(), data });
  }

  const newId = () => `msg_${uuidv7()}`;

  const post = ({ url, secrets }: Endpoint, { id, body }: Pick<Stored, 'id' | 'body'>) =>
    send(url, sign(secrets, id, clock.now(), body), body, { ...parts, ending: store.ending });

  async function deliver(item: Item): Promise<void> {
    const { endpoint: name, ...delivery } = item.parcel.content as Stored;
    await states.refresh().catch(() => {});
    if (states.isOff(name)) {
      await store.bury(item, isOffText);
      return;
    }
    const { purpose: event, attempt } = item;
    const fields = { webhook: name, event, id: delivery.id, attempt };
    const failure = await post(byName.get(name)!, delivery).then(
      () => null,
      (error: unknown) => {
        if (error instanceof NotTaken) return error;
        throw error;
      },
    );
    // Its lease was given back, and another process sends it again.
    if (failure && store.ending.aborted) return;
    if (!failure) {
      outcomes.count(name, 'taken');
      logger.debug(fields, 'webhook delivered');
      await store.finish(item);
      await states.taken(name);
      return;
    }
    await retryLater(item, failure, fields);
    await states.failed(name, failure);
  }

  async function retryLater(item: Item, { code, message, isGone }: NotTaken, fields: { webhook: string }) {
    outcomes.count(fields.webhook, 'failed');
    const pause = isGone ? undefined : pauses[item.attempt - 1];
    const why = `${code}: ${message}`;
    if (pause === undefined) {
      outcomes.count(fields.webhook, 'dead');
      logger.error({ ...fields, code, reason: message }, 'webhook not delivered, given up');
      await store.bury(item, why);
      return;
    }
    logger.warn({ ...fields, code, reason: message }, 'webhook not delivered, will be retried');
    await store.giveBack(item, pause * (1 + jitter * (2 * Math.random() - 1)), why);
  }

  store.handle('webhook', deliver);
  for (const { name } of endpoints) {
    outcomes.open(name);
    store.openLane(laneOf(name), {
      async prepare() {
        await states.refresh();
        if (states.isOff(name)) await rows.outbox.buryLane(laneOf(name), isOffText);
        return !states.isOff(name);
      },
    });
  }

  return {
    endpoints,
    laneOf,

    /** Has this process see at once what was changed in the database about an endpoint; the others see it within seconds. */
    async lookAt(name: string): Promise<void> {
      states.forget();
      await states.refresh();
      store.look(laneOf(name));
    },

    /** What became of the deliveries of this process, and whether each endpoint is off as far as it knows. */
    get counts() {
      const isOff = Object.fromEntries(endpoints.map(({ name }) => [name, states.isOff(name)]));
      return { outcomes: outcomes.counts, isOff };
    },

    /** Stores an event for each endpoint that wants it. @throws {GatehouseError} unavailable */
    async record(event: string, content: object): Promise<void> {
      const wanting = endpoints.filter(({ wants }) => wants(event));
      if (wanting.length === 0) return;
      await states.refreshFor(wanting.map(({ name }) => name));
      const delivery = { id: newId(), body: bodyOf(event, content) };
      await Promise.all(
        wanting.map(({ name }) => {
          const stored: Stored = { endpoint: name, ...delivery };
          const parcel = { by: 'webhook', content: stored, isLasting: true as const };
          const item = {
            kind: 'webhook' as const,
            purpose: event,
            recipient: name,
            lane: laneOf(name),
            parcel,
          };
          return states.isOff(name) ? store.addDead(item, isOffText) : store.add(item);
        }),
      );
    },

    /** Sends a test to an endpoint at once, whether it is on or off. */
    async test(endpoint: Endpoint): Promise<TestResult> {
      const startedAt = store.now();
      const { name: webhook } = endpoint;
      const delivery = { id: newId(), body: bodyOf(nameOfTest, { webhook } as object) };
      const problem = await post(endpoint, delivery).then(
        () => null,
        (error: unknown) => {
          if (error instanceof NotTaken) return error.message;
          throw error;
        },
      );
      return { isTaken: problem === null, problem, milliseconds: Math.round(store.now() - startedAt) };
    },
  };
}
