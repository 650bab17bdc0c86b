import type { HashLoad } from '../crypto/password-hash.ts';
import { lazily } from '../lazily.ts';
import { importOptional } from '../optional.ts';
import type { QueueState } from '../outgoing/message-queue.ts';
import type { Repositories } from '../storage/repositories/index.ts';
import { type OutboxKind, outboxKinds } from '../tables/outbox-message.ts';

/** The counts of the parts of an instance, whether metrics are on or off. */
export interface Counts {
  hashing: HashLoad;
  mail: QueueState;
  text: QueueState;
  /** Guesses that a lockout refused, by kind of secret. */
  lockouts: Record<string, number>;
}

export type Metrics = Awaited<ReturnType<typeof openMetrics>>;

/** How many messages of each kind are stored, by state; counting stops at `mostStored`. */
export type StoredCounts = Record<OutboxKind, { waiting: number; dead: number }>;

/** Where counting stops, so that a look at metrics stays cheap. */
export const mostStored = 10_000;

/** Counts the stored messages, for every process on the database. Those that are being sent count as waiting. */
export async function countStored({ outbox }: Pick<Repositories, 'outbox'>): Promise<StoredCounts> {
  const countOf = async (kind: OutboxKind) => {
    const [waiting, sending, dead] = await Promise.all(
      (['waiting', 'sending', 'dead'] as const).map(state => outbox.count({ kind, state }, mostStored)),
    );
    return { waiting: waiting! + sending!, dead: dead! };
  };
  const counted = outboxKinds.map(async kind => [kind, await countOf(kind)] as const);
  return Object.fromEntries(await Promise.all(counted)) as StoredCounts;
}

/** Figures by the value of a label; where a metric has several labels, by that of each, in their order. */
export interface Figures {
  readonly [value: string]: number | Figures;
}

type Add = (name: string, help: string, labels: string | readonly string[], read: () => Figures) => void;

/** Adds metrics that are read where they are asked for. A label has few values, none of which come from requests. */
export interface Meter {
  /** Counts that only rise. */
  total: Add;
  /** Values of this moment. */
  now: Add;
}

type Sample = [labels: Record<string, string>, value: number];

/** Returns each figure with its labels. */
function samplesOf(figures: Figures, [label, ...others]: readonly string[]): Sample[] {
  return Object.entries(figures).flatMap(([value, figure]): Sample[] =>
    typeof figure === 'number'
      ? [[{ [label!]: value }, figure]]
      : samplesOf(figure, others).map(([labels, number]) => [{ [label!]: value, ...labels }, number]),
  );
}

/** Histogram buckets in seconds: from a read of the profile to a login that waits for its hash. */
const operationBuckets = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
const databaseBuckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1, 2];

const load = () => import('prom-client');

/** Measures the process, once for all its instances: the package has no way to end its observers. */
const measureProcess = lazily(async () => {
  const { default: client } = await load();
  const register = new client.Registry();
  client.collectDefaultMetrics({ register });
  return register;
});

/**
 * Opens metrics in the text format of Prometheus, in a registry of this instance. A label has few values, none of which
 * come from requests.
 * @throws {MissingPackageError} when prom-client is missing
 */
export async function openMetrics(
  counts: () => Counts,
  { stored }: { stored?: (() => Promise<StoredCounts>) | undefined },
) {
  const { default: client } = await importOptional('prom-client', 'enable_metrics', load);
  const registry = new client.Registry();
  const registers = [registry];
  const ofProcess = await measureProcess();

  const operations = new client.Counter({
    name: 'gatehouse_operations_total',
    help: 'Calls of operations by outcome: ok, or the error code.',
    labelNames: ['operation', 'outcome'],
    registers,
  });
  const durations = new client.Histogram({
    name: 'gatehouse_operation_duration_seconds',
    help: 'Duration of operations.',
    labelNames: ['operation'],
    buckets: operationBuckets,
    registers,
  });
  const database = new client.Histogram({
    name: 'gatehouse_database_duration_seconds',
    help: 'Duration of database calls.',
    labelNames: ['outcome'],
    buckets: databaseBuckets,
    registers,
  });

  const adding =
    (Metric: typeof client.Counter | typeof client.Gauge): Add =>
    (name, help, labels, read) => {
      const labelNames = [labels].flat();
      new Metric({
        ...{ name, help, labelNames, registers },
        collect() {
          this.reset();
          for (const [labels, value] of samplesOf(read(), labelNames)) this.inc(labels, value);
        },
      });
    };
  const total = adding(client.Counter);
  const now = adding(client.Gauge);
  now('gatehouse_hashing', 'Password hashes in progress.', 'state', () => {
    const { running, waiting } = counts().hashing;
    return { running, waiting };
  });
  total(
    'gatehouse_hashing_refused_total',
    'Password hashes refused because too many were waiting.',
    'reason',
    () => ({
      queue_full: counts().hashing.refused,
    }),
  );
  for (const kind of ['mail', 'text'] as const) {
    const noun = kind === 'mail' ? 'mails' : 'text_messages';
    now(`gatehouse_${noun}`, 'Messages that wait, or are being delivered.', 'state', () => ({
      waiting: counts()[kind].waiting,
    }));
    total(`gatehouse_${noun}_total`, 'Messages that were sent, or that delivery gave up.', 'outcome', () => {
      const { sent, failed } = counts()[kind];
      return { sent, failed };
    });
  }
  if (stored) {
    new client.Gauge({
      name: 'gatehouse_outbox_messages',
      help: 'Messages in the database, of all processes: those that wait or are being sent, and those given up.',
      labelNames: ['kind', 'state'],
      registers,
      async collect() {
        // Without the database the figure is missing, and every other one is there.
        this.reset();
        const found = await stored().catch(() => null);
        for (const [kind, states] of Object.entries(found ?? {}))
          for (const [state, value] of Object.entries(states)) this.set({ kind, state }, value);
      },
    });
  }
  total('gatehouse_lockouts_total', 'Attempts that a lockout refused.', 'subject', () => counts().lockouts);

  return {
    contentType: registry.contentType,
    text: () => client.Registry.merge([ofProcess, registry]).metrics(),
    meter: { total, now },
    operation(operation: string, outcome: string, seconds: number): void {
      operations.inc({ operation, outcome });
      durations.observe({ operation }, seconds);
    },
    database: (outcome: 'ok' | 'failed', seconds: number): void => database.observe({ outcome }, seconds),
  };
}
