import type { Clock } from '../../clock.ts';
import type { Logger } from '../../logger.ts';
import { loggable } from '../../outgoing/delivery-error.ts';
import { eventId } from '../../outgoing/event-id.ts';
import { type Job, monthMs } from '../../outgoing/job.ts';
import type { JobStore } from '../../outgoing/job-store.ts';
import { Outcomes } from '../../outgoing/outcomes.ts';
import type { OutboxRows } from '../../storage/repositories/outbox.ts';
import type { Said } from '../../words/said.ts';
import { dataOf } from './content.ts';
import { send, WebhookError } from './request.ts';
import type { WebhookEndpointRows } from './rows.ts';
import { sign } from './signature.ts';
import { WebhookStates } from './states.ts';

/** A `[webhooks.NAME]` table. */
export interface Endpoint {
  name: string;
  url: string;
  /** Returns whether it gets this event. */
  wants(event: string): boolean;
  /** The secrets, as they are configured. Each signs; the first is the current one. */
  secrets: readonly string[];
}

/** The content of a job's payload. */
interface Content {
  endpoint: string;
  /** The same in every attempt, so that a receiver recognises duplicates. */
  id: string;
  body: string;
}

/** The result of a test delivery. */
export interface TestResult {
  /** Whether the endpoint has accepted it. */
  isTaken: boolean;
  /** The problem in one line; null if there was none. */
  problem: Said | null;
  milliseconds: number;
}

interface Parts {
  endpoints: readonly Endpoint[];
  store: JobStore;
  rows: { outbox: OutboxRows; webhook_endpoints: WebhookEndpointRows };
  clock: Clock;
  logger: Logger;
  userAgent: string;
  /** How long an endpoint may take to answer, and how long it may accept nothing, in milliseconds; for tests. */
  timeoutMs?: number | undefined;
  patienceMs?: number | undefined;
}

const [second, minute, hour] = [1000, 60_000, 3_600_000];
/** The delays between attempts, in milliseconds (CONTRACT §12.2). The attempt after the last of them is the final one. */
const delays = [5 * second, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 10 * hour];
/** The largest deviation of a delay, as a part of it. */
const jitter = 0.2;

const isOffText = 'the webhook is switched off';
const nameOfTest = 'webhook_test';

/** Returns the queue of an endpoint. */
const queueOf = (name: string) => `webhook:${name}`;

export type Webhooks = ReturnType<typeof createWebhooks>;

/**
 * Webhooks (CONTRACT §12.2, Standard Webhooks). Before the act of an event is acknowledged, a job is stored for each endpoint
 * that wants the event. Each endpoint has a queue of its own, so that a slow one does not delay the others.
 */
export function createWebhooks({ endpoints, store, rows, clock, logger, ...parts }: Parts) {
  const byName = new Map(endpoints.map(endpoint => [endpoint.name, endpoint]));
  const states = new WebhookStates({
    ...{ rows: rows.webhook_endpoints, logger, now: store.now, patienceMs: parts.patienceMs },
  });
  const outcomes = new Outcomes();

  const bodyOf = (type: string, event: object): string =>
    JSON.stringify({ type, timestamp: clock.now().toISOString(), data: dataOf(event) });

  const post = ({ url, secrets }: Endpoint, { id, body }: Pick<Content, 'id' | 'body'>) =>
    send(url, sign(secrets, id, clock.now(), body), body, { ...parts, ending: store.ending });

  async function deliver(job: Job): Promise<void> {
    const { endpoint: name, ...delivery } = job.payload.content as Content;
    await states.refresh().catch(() => {});
    if (states.isOff(name)) {
      await store.deadLetter(job, isOffText);
      await retryIfOn(name, [job.id]);
      return;
    }
    const { purpose: event, attempt } = job;
    const fields = { webhook: name, event, id: delivery.id, attempt };
    const failure = await post(byName.get(name)!, delivery).then(
      () => null,
      (error: unknown) => {
        if (error instanceof WebhookError) return error;
        throw error;
      },
    );
    // The shutdown has released the job, and another process delivers it again.
    if (failure && store.ending.aborted) return;
    if (!failure) {
      outcomes.count(name, 'taken');
      logger.debug(fields, 'webhook delivered');
      await store.complete(job);
      await states.taken(name);
      return;
    }
    await retryLater(job, failure, fields);
    await states.failed(name, failure);
  }

  /** Retries dead letters of an endpoint that was switched on after its state was read and before they were written. */
  async function retryIfOn(name: string, ids: readonly string[]): Promise<void> {
    await states.refresh().catch(() => {});
    if (states.isOff(name) || ids.length === 0) return;
    try {
      for (const id of ids) await rows.outbox.retry(id, monthMs);
      store.wake(queueOf(name));
    } catch (error) {
      const fields = { webhook: name, ...loggable(error) };
      logger.warn(fields, 'a webhook was switched on, and deliveries stay given up until they are replayed');
    }
  }

  async function retryLater(job: Job, { code, message, isGone }: WebhookError, fields: { webhook: string }) {
    outcomes.count(fields.webhook, 'failed');
    const delay = isGone ? undefined : delays[job.attempt - 1];
    const why = `${code}: ${message}`;
    if (delay === undefined) {
      outcomes.count(fields.webhook, 'dead');
      logger.error({ ...fields, code, reason: message }, 'webhook not delivered, given up');
      await store.deadLetter(job, why);
      return;
    }
    logger.warn({ ...fields, code, reason: message }, 'webhook not delivered, will be retried');
    await store.release(job, delay * (1 + jitter * (2 * Math.random() - 1)), why);
  }

  store.handle('webhook', deliver);
  for (const { name } of endpoints) {
    outcomes.open(name);
    store.openQueue(queueOf(name), {
      async prepare() {
        await states.refresh();
        if (states.isOff(name))
          await retryIfOn(name, await rows.outbox.deadLetterDue(queueOf(name), isOffText));
        return !states.isOff(name);
      },
    });
  }

  return {
    endpoints,
    queueOf,

    /** Applies a changed state of an endpoint in this process at once; other processes read it within seconds. */
    async refresh(name: string): Promise<void> {
      states.forget();
      await states.refresh();
      store.wake(queueOf(name));
    },

    /** The outcomes of this process's deliveries, and whether each endpoint is off by the cached states. */
    get counts() {
      const isOff = Object.fromEntries(endpoints.map(({ name }) => [name, states.isOff(name)]));
      return { outcomes: outcomes.counts, isOff };
    },

    /** Stores an event for each endpoint that wants it. @throws {GatehouseError} unavailable */
    async record(event: string, content: object, act?: string): Promise<void> {
      const wanting = endpoints.filter(({ wants }) => wants(event));
      if (wanting.length === 0) return;
      await states.refreshFor(wanting.map(({ name }) => name));
      const delivery = { id: eventId('msg', event, act), body: bodyOf(event, content) };
      await Promise.all(
        wanting.map(async ({ name }) => {
          const content: Content = { endpoint: name, ...delivery };
          const payload = { by: 'webhook', content, isLasting: true as const };
          const job = {
            kind: 'webhook' as const,
            purpose: event,
            recipient: name,
            queue: queueOf(name),
            payload,
          };
          if (states.isOff(name)) await retryIfOn(name, [await store.addDeadLetter(job, isOffText)]);
          else await store.add(job);
        }),
      );
    },

    /** Sends a test to an endpoint at once, whether it is on or off. */
    async test(endpoint: Endpoint): Promise<TestResult> {
      const startedAt = store.now();
      const { name: webhook } = endpoint;
      const delivery = { id: eventId('msg', nameOfTest), body: bodyOf(nameOfTest, { webhook } as object) };
      const problem = await post(endpoint, delivery).then(
        () => null,
        (error: unknown) => {
          if (error instanceof WebhookError) return error.said;
          throw error;
        },
      );
      return { isTaken: problem === null, problem, milliseconds: Math.round(store.now() - startedAt) };
    },
  };
}
